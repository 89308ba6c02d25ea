#pragma once
// The options of a session on the simulator: what `ep.honesim.<key>` says, on top of the profile.

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "ep/ort.h"
#include "ep/sim/faults.h"
#include "ep/sim/profile.h"

namespace hone::ep::sim {

// QNN's words; its third level, optrace, is a binary format.
enum class ProfilingLevel { off, basic, detailed };
constexpr auto enum_names(ProfilingLevel) {
  return std::to_array<EnumName<ProfilingLevel>>({{ProfilingLevel::off, "off"},
                                                  {ProfilingLevel::basic, "basic"},
                                                  {ProfilingLevel::detailed, "detailed"}});
}

struct Options {
  Profile profile;                    // with what the options change in it
  std::optional<std::uint64_t> seed;  // of session_jitter; absent: differs from session to session
  ProfilingLevel profiling_level = ProfilingLevel::off;
  Path profiling_file;
  Path report;  // where to write which nodes were taken, and why not the others
  Faults faults;
};

// Unknown options, values that mean nothing and a profile that is wrong are refused by name.
Result<Options> read_options(const KeyValues& given);

}  // namespace hone::ep::sim
