#include "report/generate/generation_perf_text.h"

#include <array>
#include <charconv>

#include "base/counted.h"
#include "base/text.h"
#include "record/target_name.h"
#include "report/table.h"

namespace hone {
namespace {

std::string rounded(double value) {
  if (value >= 1000) return format_count(static_cast<std::uint64_t>(value + 0.5));
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3);
  return {text.data(), end.ptr};
}

std::string in_ms(const std::optional<double>& value) {
  return value ? rounded(*value) + " ms" : "-";
}

// "3.12 ms (3.05 to 3.2)"
std::string with_interval(const PerfSessions& sessions) {
  std::string text = in_ms(sessions.latency_ms);
  if (sessions.interval_ms.size() == 2)
    text +=
        " (" + rounded(sessions.interval_ms[0]) + " to " + rounded(sessions.interval_ms[1]) + ")";
  return text;
}

std::string count(const std::optional<double>& value) { return value ? rounded(*value) : "-"; }

text_form::Row row_of(const GenerationPoint& point) {
  return {std::to_string(point.sizes.prompt_tokens),
          std::to_string(point.sizes.output_tokens),
          with_interval(point.first_token),
          count(point.prefill_tokens_per_second),
          with_interval(point.per_token),
          in_ms(point.p95_ms),
          count(point.tokens_per_second)};
}

}  // namespace

std::string describe_generation_perf(const GenerationPerf& perf) {
  std::string text = printable(perf.model) + " on " +
                     target_name(perf.target.ep, perf.target.device) + ", onnxruntime " +
                     perf.runtime_version + ": " +
                     counted(static_cast<std::uint64_t>(perf.sessions), "session") + ", " +
                     counted(static_cast<std::uint64_t>(perf.repeats), "text") + " each\n";
  text_form::Rows rows{
      {"prompt", "output", "first token", "prefill/s", "per token", "p95", "tokens/s"}};
  for (const GenerationPoint& point : perf.points) rows.push_back(row_of(point));
  text += text_form::table(rows, {.right = "0136", .most_rows = rows.size()});
  text += "caches grow by " + format_bytes(perf.cache_bytes_per_token) + " a token; opened in " +
          with_interval(perf.load) + "\n";
  if (perf.sessions > 1) text += "in brackets: 95 % intervals over sessions\n";
  return text;
}

}  // namespace hone
