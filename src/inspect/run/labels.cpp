#include "inspect/run/labels.h"

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/system_files.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;
// More classes than any model has; a single number in a file cannot ask for more names.
constexpr std::uint64_t most_classes = 1 << 20;

using ByClass = std::map<std::uint64_t, std::string>;

Failure no_labels(std::string why) { return fail(Fault::bad_input, std::move(why)); }

// Classes that are left out have no name.
Result<std::vector<std::string>> in_order(const ByClass& by_class) {
  std::vector<std::string> names;
  if (by_class.empty()) return no_labels("it names no class");
  if (by_class.rbegin()->first >= most_classes)
    return no_labels("it has a class " + std::to_string(by_class.rbegin()->first));
  names.resize(by_class.rbegin()->first + 1);
  for (const auto& [index, name] : by_class) names[index] = name;
  return names;
}

Result<std::string> name_in(const Json& json) {
  if (const std::string* name = json.as_string()) return *name;
  return no_labels("a label is text, not " + json.described_kind());
}

Result<std::vector<std::string>> names_in_list(const Json::Array& list) {
  std::vector<std::string> names;
  for (const Json& element : list) {
    HONE_TRY(std::string name, name_in(element));
    names.push_back(std::move(name));
  }
  if (names.empty()) return no_labels("it names no class");
  return names;
}

Result<std::vector<std::string>> names_in_object(const Json& json) {
  ByClass by_class;
  for (const auto& [key, value] : *json.as_object()) {
    const auto index = parse_number<std::uint64_t>(key);
    if (!index) return no_labels("'" + printable(key) + "' is no number of a class");
    HONE_TRY(by_class[*index], name_in(value));
  }
  return in_order(by_class);
}

Result<std::vector<std::string>> names_in_json(const Json& json) {
  if (const Json* inner = json.find("id2label")) return names_in_json(*inner);
  if (const Json::Array* list = json.as_array()) return names_in_list(*list);
  if (json.as_object() != nullptr) return names_in_object(json);
  return no_labels("it is " + json.described_kind());
}

std::vector<std::string> names_in_lines(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string& line : split(text, '\n')) names.emplace_back(trimmed(line));
  while (!names.empty() && names.back().empty()) names.pop_back();
  return names;
}

Result<std::vector<std::string>> names_in_text(const std::string& text) {
  const std::string_view inside = trimmed(text);
  if (inside.empty()) return no_labels("it is empty");
  if (inside.front() != '[' && inside.front() != '{') return names_in_lines(text);
  HONE_TRY(const Json json, Json::parse(text));
  return names_in_json(json);
}

std::optional<Labels> labels_of_config(const Path& file) {
  const auto text = read_file(file, most_bytes);
  const auto json = text ? Json::parse(*text) : Result<Json>(fail(text.error()));
  if (!json || json->find("id2label") == nullptr) return std::nullopt;
  auto names = names_in_json(*json);
  if (!names) return std::nullopt;
  return Labels{*std::move(names), file.string()};
}

// Reads Python's literals from the front of a text.
class PythonText {
 public:
  explicit PythonText(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    text_ = trimmed(text_);
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::optional<std::uint64_t> number() {
    text_ = trimmed(text_);
    const std::size_t end = std::min(text_.find_first_not_of("0123456789"), text_.size());
    const auto value = parse_number<std::uint64_t>(text_.substr(0, end));
    text_.remove_prefix(end);
    return value;
  }

  // In either kind of quotes; a backslash takes the character behind it.
  std::optional<std::string> string() {
    text_ = trimmed(text_);
    const char quote = text_.empty() ? '\0' : text_.front();
    if (quote != '\'' && quote != '"') return std::nullopt;
    std::string value;
    for (std::size_t i = 1; i < text_.size(); ++i) {
      if (text_[i] == quote) {
        text_.remove_prefix(i + 1);
        return value;
      }
      if (text_[i] == '\\' && i + 1 < text_.size()) ++i;
      value += text_[i];
    }
    return std::nullopt;
  }

 private:
  std::string_view text_;
};

}  // namespace

std::optional<std::vector<std::string>> parse_python_names(std::string_view text) {
  PythonText python(text);
  ByClass by_class;
  if (!python.take('{')) return std::nullopt;
  while (!python.take('}')) {
    const auto index = python.number();
    if (!index || !python.take(':')) return std::nullopt;
    const auto name = python.string();
    if (!name) return std::nullopt;
    by_class[*index] = *name;
    python.take(',');
  }
  auto names = in_order(by_class);
  return names ? std::optional(*std::move(names)) : std::nullopt;
}

Result<Labels> read_labels(const Path& file) {
  HONE_TRY(const std::string text, read_file(file, most_bytes));
  auto names = names_in_text(text);
  if (names) return Labels{*std::move(names), file.string()};
  return fail(Fault::bad_input, "'" + file.string() + "' holds no labels", names.error().what,
              R"(a line per class, ["cat", "dog"] or {"0": "cat", "1": "dog"} are labels)");
}

std::optional<Labels> find_labels(const Model& model, const Path& file) {
  const Path folder = std::filesystem::absolute(file).parent_path();
  const Path given = file.parent_path();
  if (auto labels = labels_of_config(given / "config.json")) return labels;
  if (folder.filename() == "onnx") {
    if (auto labels = labels_of_config(folder.parent_path() / "config.json")) return labels;
  }
  for (const auto& [key, value] : model.metadata) {
    if (key != "names") continue;
    if (auto names = parse_python_names(value))
      return Labels{*std::move(names), "`names` of the model"};
  }
  return std::nullopt;
}

}  // namespace hone
