#pragma once
// What a GPU did while a session ran, as its vendor's library recorded it.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/enum_names.h"
#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t gpu_activity_schema_version = 1;

enum class GpuWorkKind { kernel, copy, fill };

constexpr auto enum_names(GpuWorkKind) {
  return std::to_array<EnumName<GpuWorkKind>>(
      {{GpuWorkKind::kernel, "kernel"}, {GpuWorkKind::copy, "copy"}, {GpuWorkKind::fill, "fill"}});
}

// One kernel, copy or fill. Times are on the clock of the session's profile, in microseconds since
// that began.
struct GpuWork {
  GpuWorkKind kind = GpuWorkKind::kernel;
  std::string name{};
  double start_us = 0;
  double duration_us = 0;
  std::optional<double> launch_us{};  // when the host launched it, where that was recorded
  std::uint64_t bytes = 0;            // of a copy or fill
};
template <RecordOf<GpuWork> Self>
void for_each_field(Self& work, auto&& field) {
  field("kind", work.kind);
  field("name", work.name);
  field("start_us", work.start_us);
  field("duration_us", work.duration_us);
  field("launch_us", work.launch_us);
  field("bytes", work.bytes);
}

struct GpuActivity {
  std::string library;
  std::uint64_t version = 0;           // CUPTI's number of its interface
  std::uint64_t dropped = 0;           // records that the library had no room for
  std::uint64_t malformed = 0;         // records that make no sense, and were left out
  std::optional<std::string> problem;  // why there is nothing
  std::vector<GpuWork> work;           // in the order of their start
};
template <RecordOf<GpuActivity> Self>
void for_each_field(Self& activity, auto&& field) {
  field("library", activity.library);
  field("version", activity.version);
  field("dropped", activity.dropped);
  field("malformed", activity.malformed);
  field("problem", activity.problem);
  field("work", activity.work);
}

}  // namespace hone
