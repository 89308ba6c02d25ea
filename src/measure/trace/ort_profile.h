#pragma once
// Profiles ONNX Runtime writes for a session (EnableProfiling) or for single runs, for any EP.
// Beware of what they say about time: the profiler's own work is inside the times of the nodes, a
// few microseconds each, and makes small models several times slower. reconcile() takes it out.

#include <span>
#include <string_view>

#include "measure/trace/options.h"

namespace hone {

// Never fails: profiles that cannot be read are a trace with status parse_failed, those without a
// measured run have no_data.
OpTrace parse_ort_profiles(std::span<const std::string_view> profiles, const TraceOptions& options);

}  // namespace hone
