#include "checkpoint/config.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace hone {
namespace {

constexpr std::int64_t largest_size = std::numeric_limits<std::int32_t>::max();
// Of published networks the deepest have some 130 layers.
constexpr std::int64_t most_layers = 1'000;

const Json& nothing() {
  static const Json empty = Json::object();
  return empty;
}

}  // namespace

Config::Config(Json document, Problems& problems)
    : root_(std::make_shared<const Json>(std::move(document))),
      object_(root_.get()),
      problems_(&problems),
      read_(std::make_shared<std::vector<ConfigSwitch>>()) {}

Config::Config(std::shared_ptr<const Json> root, const Json* object, std::string path,
               Problems& problems, std::shared_ptr<std::vector<ConfigSwitch>> read)
    : root_(std::move(root)),
      object_(object),
      path_(std::move(path)),
      problems_(&problems),
      read_(std::move(read)) {}

std::string Config::full(std::string_view key) const { return path_ + std::string(key); }

const Json* Config::look(std::string_view key) const {
  const Json* found = object_->find(key);
  return found && !found->is_null() ? found : nullptr;
}

bool Config::has(std::string_view key) const { return look(key) != nullptr; }

bool Config::is_null(std::string_view key) const {
  const Json* found = object_->find(key);
  if (!found || !found->is_null()) return false;
  remember(key, *found, true);
  return true;
}

void Config::remember(std::string_view key, const Json& value, bool is_said) const {
  const std::string name = full(key);
  const auto is_it = [&](const ConfigSwitch& seen) { return seen.name == name; };
  if (std::none_of(read_->begin(), read_->end(), is_it)) {
    read_->push_back({.name = name, .value = value.dump(-1), .is_said = is_said});
  }
}

Config Config::nullable() const {
  Config same = *this;
  same.is_nullable_ = true;
  return same;
}

void Config::refuse_null(std::string_view key, bool is_nothing) const {
  const Json* found = object_->find(key);
  if (is_nullable_ || is_nothing || !found || !found->is_null()) return;
  refuse(key, "it has to have a value, or not to be there");
}

void Config::missing(std::string_view key) const {
  problems_->add("config.json: " + full(key) + " is missing");
}

void Config::refuse(std::string_view key, std::string_view why) const {
  const Json* found = object_->find(key);
  problems_->add("config.json: " + full(key) + " is " +
                 (found ? printable(found->dump(-1)) : std::string("not said")) + ": " +
                 std::string(why));
}

std::int64_t Config::in_range(std::string_view key, std::int64_t value, std::int64_t low,
                              std::int64_t high) const {
  if (value >= low && value <= high) return value;
  refuse(key, "it can be " + format_count(static_cast<std::uint64_t>(low)) + " to " +
                  format_count(static_cast<std::uint64_t>(high)));
  return 1;
}

std::int64_t Config::whole(std::string_view key) const {
  if (!has(key)) missing(key);
  return nullable().whole(key, 1);
}

std::int64_t Config::whole(std::string_view key, std::int64_t otherwise) const {
  const Json* found = look(key);
  remember(key, found ? *found : Json(otherwise), found != nullptr);
  refuse_null(key, otherwise == 0);
  if (!found) return otherwise;
  if (const auto value = found->to_int()) return *value;
  refuse(key, "it has to be a whole number");
  return 1;
}

std::int64_t Config::size(std::string_view key) const {
  return in_range(key, whole(key), 1, largest_size);
}

std::int64_t Config::size(std::string_view key, std::int64_t otherwise) const {
  return in_range(key, whole(key, otherwise), 1, largest_size);
}

std::int64_t Config::layers(std::string_view key) const {
  return in_range(key, whole(key), 0, most_layers);
}

std::int64_t Config::layers(std::string_view key, std::int64_t otherwise) const {
  return in_range(key, whole(key, otherwise), 0, most_layers);
}

double Config::real(std::string_view key) const {
  if (!has(key)) missing(key);
  return nullable().real(key, 1.0);
}

double Config::real(std::string_view key, double otherwise) const {
  const Json* found = look(key);
  remember(key, found ? *found : Json(otherwise), found != nullptr);
  refuse_null(key, otherwise == 0);
  if (!found) return otherwise;
  if (const auto value = found->to_double()) return *value;
  refuse(key, "it has to be a number");
  return 1.0;
}

bool Config::flag(std::string_view key, bool otherwise) const {
  const Json* found = look(key);
  remember(key, found ? *found : Json(otherwise), found != nullptr);
  refuse_null(key, !otherwise);
  if (!found) return otherwise;
  if (const bool* value = found->as_bool()) return *value;
  refuse(key, "it has to be true or false");
  return otherwise;
}

std::string Config::word(std::string_view key) const {
  if (!has(key)) missing(key);
  return word(key, "");
}

std::string Config::word(std::string_view key, std::string_view otherwise) const {
  const Json* found = look(key);
  remember(key, found ? *found : Json(otherwise), found != nullptr);
  refuse_null(key, otherwise.empty());
  if (!found) return std::string(otherwise);
  if (const std::string* value = found->as_string()) return *value;
  refuse(key, "it has to be a word");
  return std::string(otherwise);
}

std::vector<std::int64_t> Config::wholes(std::string_view key) const {
  if (!has(key)) missing(key);
  return wholes(key, {});
}

std::vector<std::int64_t> Config::wholes(std::string_view key,
                                         std::vector<std::int64_t> otherwise) const {
  const Json* found = look(key);
  refuse_null(key, otherwise.empty());
  if (!found) return otherwise;
  remember(key, *found, true);
  std::vector<std::int64_t> values;
  if (const Json::Array* array = found->as_array()) {
    for (const Json& element : *array) {
      if (const auto value = element.to_int()) values.push_back(*value);
    }
    if (values.size() == array->size()) return values;
  }
  refuse(key, "it has to be a list of whole numbers");
  return otherwise;
}

std::vector<double> Config::reals(std::string_view key, std::vector<double> otherwise) const {
  const Json* found = look(key);
  refuse_null(key, otherwise.empty());
  if (!found) return otherwise;
  remember(key, *found, true);
  std::vector<double> values;
  if (const Json::Array* array = found->as_array()) {
    for (const Json& element : *array) {
      if (const auto value = element.to_double()) values.push_back(*value);
    }
    if (values.size() == array->size()) return values;
  }
  refuse(key, "it has to be a list of numbers");
  return otherwise;
}

std::vector<std::string> Config::words(std::string_view key,
                                       std::vector<std::string> otherwise) const {
  const Json* found = look(key);
  refuse_null(key, otherwise.empty());
  if (!found) return otherwise;
  remember(key, *found, true);
  std::vector<std::string> values;
  if (const Json::Array* array = found->as_array()) {
    for (const Json& element : *array) {
      if (const std::string* value = element.as_string()) values.push_back(*value);
    }
    if (values.size() == array->size()) return values;
  }
  refuse(key, "it has to be a list of words");
  return otherwise;
}

std::vector<std::int64_t> Config::pair(std::string_view key) const {
  if (!has(key)) missing(key);
  return nullable().pair(key, 1);
}

std::vector<std::int64_t> Config::pair(std::string_view key, std::int64_t otherwise) const {
  const Json* found = look(key);
  std::vector<std::int64_t> sizes = {otherwise};
  if (found && found->as_array()) {
    sizes = wholes(key, {});
  } else {
    sizes = {whole(key, otherwise)};
  }
  if (sizes.size() == 1) sizes.push_back(sizes.front());
  const auto is_size = [](std::int64_t size) { return size >= 1 && size <= largest_size; };
  if (sizes.size() == 2 && std::all_of(sizes.begin(), sizes.end(), is_size)) return sizes;
  refuse(key, "it has to be a size, or two");
  return {1, 1};
}

const Json* Config::raw(std::string_view key) const {
  const Json* found = look(key);
  if (found) remember(key, *found, true);
  return found;
}

Config Config::part(std::string_view key) const {
  const Json* found = look(key);
  const bool is_object = found && found->as_object();
  if (!found) missing(key);
  if (found && !is_object) refuse(key, "it has to be a configuration of its own");
  Config made = {root_, is_object ? found : &nothing(), full(key) + ".", *problems_, read_};
  made.is_nullable_ = is_nullable_;
  return made;
}

void Config::only(std::string_view key, const Json& value, std::string_view why) const {
  const Json* found = look(key);
  remember(key, found ? *found : value, found != nullptr);
  refuse_null(key, value.is_null() || value == Json(false) || value == Json(0));
  if (!found || *found == value) return;
  const auto number = found->to_double();
  const auto wanted = value.to_double();
  if (number && wanted && *number == *wanted) return;
  refuse(key, why);
}

std::string Config::one_of(std::string_view key, std::initializer_list<std::string_view> words,
                           std::string_view otherwise) const {
  std::string said = word(key, otherwise);
  if (std::find(words.begin(), words.end(), said) != words.end()) return said;
  const std::vector<std::string> known(words.begin(), words.end());
  refuse(key, "known are " + join(known, ", "));
  return std::string(otherwise);
}

std::int64_t Config::divided(std::string_view whole_key, std::int64_t whole,
                             std::string_view parts_key, std::int64_t parts) const {
  if (parts > 0 && whole % parts == 0) return std::max<std::int64_t>(1, whole / parts);
  problems_->add("config.json: " + full(whole_key) + ", " + std::to_string(whole) +
                 ", cannot be divided by " + full(parts_key) + ", " + std::to_string(parts));
  return 1;
}

std::vector<std::string> Config::not_read() const {
  std::vector<std::string> names;
  const Json::Object* members = object_->as_object();
  if (!members) return names;
  for (const auto& [key, value] : *members) {
    const std::string name = full(key);
    const bool is_read = std::any_of(read_->begin(), read_->end(), [&](const ConfigSwitch& seen) {
      return seen.name == name || seen.name.starts_with(name + ".");
    });
    if (!is_read) names.push_back(name);
  }
  return names;
}

}  // namespace hone
