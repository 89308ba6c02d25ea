#include "processor/settings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace hone {
namespace {

// Names, forms of what comes out that are chosen by the caller, and what is for labels and
// annotations alone.
constexpr auto harmless = std::to_array<std::string_view>({
    "_name_or_path",
    "_processor_class",
    "_valid_processor_keys",
    "backend",
    "data_format",
    "default_to_square",
    "device",
    "disable_grouping",
    "do_convert_annotations",
    "do_reduce_labels",
    "feature_extractor_type",
    "format",
    "id2label",
    "image_processor_type",
    "input_data_format",
    "label2id",
    "num_labels",
    "processor_class",
    "reduce_labels",
    "return_tensors",
    "transformers_version",
});

struct Parameter {
  std::string_view key;
  std::string_view step;
};
// What a step takes; it means nothing where the step is not done.
constexpr auto parameters = std::to_array<Parameter>({{"crop_size", "do_center_crop"},
                                                      {"image_mean", "do_normalize"},
                                                      {"image_std", "do_normalize"},
                                                      {"pad_size", "do_pad"},
                                                      {"rescale_factor", "do_rescale"},
                                                      {"size_divisor", "do_pad"}});

bool switches_off(const Json& value) {
  const bool* flag = value.as_bool();
  return value.is_null() || (flag != nullptr && !*flag);
}

std::string shortened(const Json& value) {
  constexpr std::size_t most = 60;
  const std::string text = value.dump(-1);
  return printable(text.size() <= most ? text : to_utf8(text.substr(0, most)) + "...");
}

}  // namespace

Settings::Settings(Json said, Json defaults, std::string file, std::string owner)
    : said_(std::move(said)),
      defaults_(std::move(defaults)),
      file_(std::move(file)),
      owner_(std::move(owner)) {}

bool Settings::says(std::string_view key) const {
  const Json* value = said_.find(key);
  return value != nullptr && !value->is_null();
}

const Json& Settings::at(std::string_view key) {
  static const Json nothing;
  if (const Json* value = said(key)) return *value;
  const Json* value = defaults_.find(key);
  return value != nullptr ? *value : nothing;
}

const Json* Settings::said(std::string_view key) {
  pass(key);
  return says(key) ? said_.find(key) : nullptr;
}

Result<bool> Settings::flag(std::string_view key) {
  if (!knows(key)) return false;
  const bool is_null = said_.find(key) != nullptr && !says(key);
  const Json& value = at(key);
  if (is_null) {
    if (switches_off(value)) return false;
    return refuse(key, "it has to be true or false");
  }
  if (const bool* flag = value.as_bool()) return *flag;
  return refuse(key, "it has to be true or false");
}

Result<double> Settings::number(std::string_view key, double low, double high) {
  const auto value = at(key).to_double();
  if (value && std::isfinite(*value) && *value >= low && *value <= high) return *value;
  return refuse(key,
                "it has to be a number from " + Json(low).dump(-1) + " to " + Json(high).dump(-1));
}

Result<std::size_t> Settings::whole(std::string_view key, std::size_t least, std::size_t most) {
  const auto value = at(key).to_uint();
  if (value && *value >= least && *value <= most) return static_cast<std::size_t>(*value);
  return refuse(key, "it has to be a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most));
}

Result<std::vector<double>> Settings::by_channel(std::string_view key) {
  constexpr std::size_t channels = 3;
  const Json& value = at(key);
  std::vector<double> numbers;
  if (const auto one = value.to_double()) numbers.assign(channels, *one);
  if (const Json::Array* list = value.as_array()) {
    for (const Json& element : *list) {
      const auto number = element.to_double();
      if (number) numbers.push_back(*number);
    }
    if (list->size() != channels) numbers.clear();
  }
  const bool are_finite =
      std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
  if (numbers.size() == channels && are_finite) return numbers;
  return refuse(key, "it has to be a number, or one for each of red, green and blue");
}

Failure Settings::refuse(std::string_view key, std::string why) const {
  const Json* value = said_.find(key);
  if (value == nullptr) value = defaults_.find(key);
  const std::string shown = value != nullptr ? shortened(*value) : "nothing";
  return fail(Fault::unsupported,
              "'" + file_ + "' says " + printable(key) + ": " + shown + " of " + owner_,
              std::move(why), without_processor);
}

Status Settings::refuse_unknown() const {
  const Json::Object* members = said_.as_object();
  if (members == nullptr) return done();
  for (const auto& [key, value] : *members) {
    if (read_.contains(key) || switches_off(value)) continue;
    if (std::ranges::find(harmless, key) != harmless.end()) continue;
    const auto parameter = std::ranges::find(parameters, key, &Parameter::key);
    if (parameter != parameters.end()) {
      const Json* step = said_.find(parameter->step);
      if (step == nullptr || switches_off(*step)) continue;
    }
    return refuse(key, knows(key) ? "it has no effect together with the others"
                                  : "what that does to its numbers is not known");
  }
  return done();
}

}  // namespace hone
