#include "report/generate/generate_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <vector>

#include "base/counted.h"
#include "base/text.h"

namespace hone {
namespace {

std::string three_digits(double value) {
  std::array<char, 32> text{};
  const bool is_large = value >= 100;
  const auto end = is_large ? std::to_chars(text.data(), text.data() + text.size(),
                                            static_cast<std::int64_t>(value + 0.5))
                            : std::to_chars(text.data(), text.data() + text.size(), value,
                                            std::chars_format::general, 3);
  return {text.data(), end.ptr};
}

std::string text_of(const GeneratedText& text) {
  if (text.text) return for_terminals(*text.text);
  std::vector<std::string> ids;
  for (const std::int64_t token : text.tokens) ids.push_back(std::to_string(token));
  return join(ids, " ");
}

std::string reasons_of(const std::vector<GeneratedText>& texts) {
  std::vector<std::string> reasons;
  for (const GeneratedText& text : texts) {
    const std::string reason(name_of(text.stopped_by));
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  }
  return join(reasons, ", ");
}

// Of all rows together.
std::string speed_of(const Generation& made) {
  const std::vector<double>& steps = made.times.step_ms;
  const double all_ms = std::accumulate(steps.begin(), steps.end(), 0.0);
  std::string text;
  if (made.times.first_token_ms > 0)
    text = "; first token after " + three_digits(made.times.first_token_ms) + " ms";
  if (all_ms > 0)
    text += ", then " + three_digits(static_cast<double>(steps.size()) / all_ms * 1000) +
            " steps a second";
  if (text.empty()) text = " in " + three_digits(made.times.total_ms) + " ms";
  return text;
}

}  // namespace

std::string for_terminals(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    shown += printable(text.substr(0, end));
    if (end < text.size()) shown += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shown;
}

std::string describe_texts(const GenerateReport& report) {
  const std::vector<GeneratedText>& texts = report.generation.texts;
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts.size() > 1) all += std::to_string(i + 1) + ": ";
    all += text_of(texts[i]) + "\n";
  }
  return all;
}

std::string describe_generation(const GenerateReport& report) {
  const Generation& made = report.generation;
  std::uint64_t tokens = 0;
  for (const GeneratedText& text : made.texts) tokens += text.tokens.size();
  return counted(tokens, "token") + ", ended by " + reasons_of(made.texts) + " (" +
         report.decoding + ")" + speed_of(made);
}

}  // namespace hone
