#include "report/perf/points_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/counted.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using text_form::duration;
using text_form::fixed;
using text_form::Row;
using text_form::share;

constexpr double bar_width = 24;

std::string milliseconds(double value) { return duration(value * 1000); }
std::string cell(const std::optional<double>& value) { return value ? milliseconds(*value) : "-"; }

// In eighths of a character.
std::string bar(double part) {
  constexpr std::array<std::string_view, 8> ends = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(part > 0)) return "";
  const auto eighths = static_cast<std::size_t>(std::lround(std::min(part, 1.0) * bar_width * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + std::string(ends[eighths % 8]);
}

double rate_of(const PerfPoint& point) {
  const auto& throughput = point.throughput;
  return throughput.samples_per_sec.value_or(throughput.batches_per_sec.value_or(0));
}

// "1.23 mJ", "0.60 J".
std::string joules(double value) {
  return value < 0.1 ? fixed(value * 1000, 2) + " mJ" : fixed(value, 2) + " J";
}

Row row_of(const PerfPoint& point, double most, bool has_energy) {
  Row row = {std::to_string(point.batch_size), std::to_string(point.streams),
             cell(point.latency_ms.p50),
             cell(point.latency_ms.p99 ? point.latency_ms.p99 : point.latency_ms.p90)};
  const double rate = rate_of(point);
  row.push_back(rate > 0 ? fixed(rate, rate < 100 ? 1 : 0) : "-");
  if (has_energy) {
    const auto energy = point.energy ? point.energy->joules_per_sample : std::nullopt;
    row.push_back(energy ? joules(*energy) : "-");
  }
  row.push_back(most > 0 ? bar(rate / most) : "");
  return row;
}

// The tail the rows have in common: p99 where every one that was measured has it.
bool have_all_p99(const std::vector<PerfPoint>& points) {
  return std::ranges::all_of(
      points, [](const PerfPoint& point) { return point.error || point.latency_ms.p99; });
}

// Throughput is of all the time that runs took: where most of it was somebody else's, it says
// nothing of the row.
bool was_interrupted(const PerfPoint& point) {
  constexpr double most = 1.5;  // of the median
  const auto& times = point.latency_ms;
  return times.mean && times.p50 && *times.mean > most * *times.p50;
}

std::string best_of(const std::vector<PerfPoint>& points) {
  const auto best = std::ranges::max_element(points, {}, rate_of);
  if (best == points.end() || rate_of(*best) <= 0) return "";
  const double gain = rate_of(*best) / std::max(rate_of(points.front()), 1e-300);
  std::string text = "  most: batch " + std::to_string(best->batch_size) + ", " +
                     counted(static_cast<std::uint64_t>(best->streams), "stream");
  if (std::ranges::any_of(points, was_interrupted))
    return text + ", as far as can be told: other work took much of the time of a row\n";
  if (best != points.begin() && std::isfinite(gain) && rate_of(points.front()) > 0) {
    text += ", " + fixed(gain, 2) + " times the first row's throughput";
    const auto first = points.front().latency_ms.p50;
    const auto last = best->latency_ms.p50;
    if (first && last && *first > 0)
      text += " at " + fixed(*last / *first, 2) + " times its latency";
  }
  return text + "\n";
}

}  // namespace

std::string describe_sessions(const PerfSessions& sessions) {
  const auto count = sessions.sessions.size();
  if (count == 0) return "none was measured";
  std::vector<std::string> medians;
  for (const PerfSession& session : sessions.sessions)
    medians.push_back(milliseconds(session.p50_ms));
  std::string text = counted(count, "fresh process", "fresh processes");
  if (sessions.interval_ms.size() == 2) {
    text += ": " + cell(sessions.latency_ms) + " [" + milliseconds(sessions.interval_ms[0]) + ", " +
            milliseconds(sessions.interval_ms[1]) + "] at 95 %";
  }
  text += ", medians " + join(medians, ", ");
  if (sessions.spread) text += " (" + share(*sessions.spread) + " apart)";
  return text;
}

std::string describe_points(const std::vector<PerfPoint>& points) {
  if (points.empty()) return "";
  double most = 0;
  for (const PerfPoint& point : points) most = std::max(most, rate_of(point));
  const bool has_energy =
      std::ranges::any_of(points, [](const PerfPoint& point) { return point.energy.has_value(); });
  const bool is_p99 = have_all_p99(points);
  Row title = {"batch", "streams", "p50", is_p99 ? "p99" : "p90", "samples/s"};
  if (has_energy) title.emplace_back("per sample");
  title.emplace_back("");
  std::vector<Row> rows = {title};
  for (PerfPoint point : points) {
    if (!is_p99) point.latency_ms.p99.reset();
    rows.push_back(row_of(point, most, has_energy));
  }
  std::string text = "\n" + text_form::columns(rows, 8, has_energy ? "6" : "5") + best_of(points);
  for (const PerfPoint& point : points) {
    if (!point.error) continue;
    text += "note: batch " + std::to_string(point.batch_size) + " with " +
            counted(static_cast<std::uint64_t>(point.streams), "stream") +
            " was not measured: " + printable(*point.error) + "\n";
  }
  return text;
}

std::string describe_transfers(const PerfTransfers& transfers) {
  const std::string both = milliseconds(transfers.p50_device_ms) + " on the device, " +
                           milliseconds(transfers.p50_crossing_ms) +
                           " with inputs and outputs crossing in each run";
  if (!transfers.is_beyond_noise) return both + ": no difference beyond the noise";
  return both + ": transfers take " + milliseconds(transfers.transfer_ms);
}

std::string describe_energy(const PerfEnergy& energy) {
  std::string text = joules(energy.joules_per_inference) + " per inference";
  if (energy.joules_per_sample && *energy.joules_per_sample != energy.joules_per_inference)
    text += ", " + joules(*energy.joules_per_sample) + " per sample";
  return text + " (" + fixed(energy.mean_watts, 1) + " W over " + fixed(energy.seconds, 1) +
         " s; " + printable(energy.source) + ", idle power included)";
}

}  // namespace hone
