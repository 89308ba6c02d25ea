#include "measure/memory.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace hone {
namespace {

// Two decimals are 10 KiB, less than the kernel's own counting error.
double megabytes(double bytes) { return std::round(bytes / (1 << 20) * 100) / 100; }

std::optional<double> megabytes(std::optional<std::uint64_t> bytes) {
  if (!bytes) return std::nullopt;
  return megabytes(static_cast<double>(*bytes));
}

std::optional<double> difference(std::optional<std::uint64_t> from,
                                 std::optional<std::uint64_t> to) {
  if (!from || !to) return std::nullopt;
  return megabytes(static_cast<double>(*to) - static_cast<double>(*from));
}

std::optional<std::uint64_t> largest(const MemoryPoints& points) {
  std::optional<std::uint64_t> most;
  for (const auto& point : {points.baseline, points.loaded, points.finished, points.most_sampled}) {
    if (point && (!most || *point > *most)) most = point;
  }
  return most;
}

std::optional<std::uint64_t> known(std::uint64_t bytes) {
  if (bytes == 0) return std::nullopt;
  return bytes;
}

}  // namespace

std::optional<std::uint64_t> read_resident_bytes(const SystemRoots& roots,
                                                 const std::string& process) {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::vector<std::string> fields =
      split(read_line(roots.proc / process / "statm").value_or(""), ' ');
  if (fields.size() < 2) return std::nullopt;
  const std::optional<std::uint64_t> pages = parse_number<std::uint64_t>(fields[1]);
  if (!pages) return std::nullopt;
  return *pages * page;
}

std::optional<std::uint64_t> read_peak_bytes(const SystemRoots& roots, const std::string& process) {
  const auto values = parse_key_values(read_text(roots.proc / process / "status").value_or(""));
  const auto found = values.find("VmHWM");
  if (found == values.end()) return std::nullopt;
  const std::string_view text = found->second;  // "12345 kB"
  const auto kibibytes = parse_number<std::uint64_t>(text.substr(0, text.find(' ')));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

PerfMemory summarize_memory(const MemoryPoints& points) {
  PerfMemory memory;
  memory.rss_baseline_mb = megabytes(points.baseline);
  memory.rss_after_compile_mb = megabytes(points.loaded);
  memory.rss_after_inference_mb = megabytes(points.finished);
  memory.rss_model_load_delta_mb = difference(points.baseline, points.loaded);
  memory.rss_inference_delta_mb = difference(points.loaded, points.finished);
  memory.rss_total_delta_mb = difference(points.baseline, points.finished);

  const std::optional<std::uint64_t> sampled = largest(points);
  const bool has_risen =
      points.peak_before && points.peak_after && *points.peak_after > *points.peak_before;
  memory.rss_peak_mb = megabytes(has_risen ? points.peak_after : sampled);
  if (memory.rss_peak_mb) memory.peak_source = has_risen ? "kernel" : "sampled";
  return memory;
}

MemoryWatch::MemoryWatch(std::string process, SystemRoots roots, std::chrono::milliseconds interval)
    : process_(std::move(process)),
      roots_(std::move(roots)),
      points_{.baseline = read_resident_bytes(roots_, process_),
              .loaded = {},
              .finished = {},
              .most_sampled = {},
              .peak_before = read_peak_bytes(roots_, process_),
              .peak_after = {}},
      sampler_(interval, [this] { sample(); }) {}

void MemoryWatch::session_is_open(std::optional<std::uint64_t> baseline,
                                  std::optional<std::uint64_t> loaded) {
  if (baseline) points_.baseline = baseline;
  points_.loaded = loaded ? loaded : read_resident_bytes(roots_, process_);
}

void MemoryWatch::sample() {
  const std::uint64_t bytes = read_resident_bytes(roots_, process_).value_or(0);
  now_ = bytes;
  most_ = std::max(most_.load(), bytes);
}

std::optional<std::uint64_t> MemoryWatch::now_bytes() const { return known(now_); }
std::optional<std::uint64_t> MemoryWatch::most_bytes() const { return known(most_); }

PerfMemory MemoryWatch::finish() {
  sampler_.stop();
  points_.most_sampled = known(most_);
  points_.peak_after = read_peak_bytes(roots_, process_);
  return summarize_memory(points_);
}

}  // namespace hone
