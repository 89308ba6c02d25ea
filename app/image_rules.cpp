#include "app/image_rules.h"

#include <algorithm>
#include <cmath>

#include "base/system_files.h"
#include "base/text.h"

namespace hone::app {
namespace {

Result<std::vector<double>> read_numbers(const std::string& text, const std::string& option) {
  std::vector<double> numbers;
  for (const std::string& word : split(text, ',')) {
    const std::optional<double> number = parse_number<double>(word);
    if (!number || !std::isfinite(*number)) {
      return fail(Fault::bad_input, "'" + word + "' is no value for " + option, {},
                  "it takes a number, or one per channel: 0.485,0.456,0.406");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

Result<ImageRules> read_image_rules(const std::string& mean, const std::string& deviation) {
  ImageRules rules;
  if (!mean.empty()) {
    HONE_TRY(rules.mean, read_numbers(mean, "--mean"));
  }
  if (!deviation.empty()) {
    HONE_TRY(rules.deviation, read_numbers(deviation, "--std"));
    if (std::ranges::find(rules.deviation, 0.0) != rules.deviation.end())
      return fail(Fault::bad_input, "--std cannot be 0: pixels are divided by it");
  }
  return rules;
}

}  // namespace hone::app
