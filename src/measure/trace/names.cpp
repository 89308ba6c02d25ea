#include "measure/trace/names.h"

namespace hone {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && is_digit(text[at + count])) ++count;
  return count;
}

std::string trim(const std::string& text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// "Add_3" is "Add": EPs number the copies of a node they make. Empty where nothing would be left.
std::string_view without_number(std::string_view name) {
  const std::size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos || underscore == 0) return {};
  const std::size_t digits = digits_at(name, underscore + 1);
  const bool is_number = digits > 0 && underscore + 1 + digits == name.size();
  return is_number ? name.substr(0, underscore) : std::string_view{};
}

// The part behind the last slash; empty for a path that ends with one.
std::string_view leaf_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

const std::string* type_in_model(std::string_view path, const NodeTypes& node_types) {
  if (const auto exact = node_types.find(path); exact != node_types.end()) return &exact->second;
  const std::string_view original = without_number(path);
  const auto found = original.empty() ? node_types.end() : node_types.find(original);
  return found == node_types.end() ? nullptr : &found->second;
}

}  // namespace

std::string strip_token_suffixes(std::string_view raw) {
  constexpr std::string_view marker = "_token_";
  std::string stripped;
  while (!raw.empty()) {
    const std::size_t at = raw.find(marker);
    const std::size_t number =
        at == std::string_view::npos ? 0 : digits_at(raw, at + marker.size());
    if (at == std::string_view::npos) {
      stripped += raw;
      break;
    }
    if (number == 0) {
      stripped += raw.substr(0, at + marker.size());
      raw.remove_prefix(at + marker.size());
      continue;
    }
    stripped += raw.substr(0, at);
    std::size_t end = at + marker.size() + number;
    const std::size_t second = end < raw.size() && raw[end] == '_' ? digits_at(raw, end + 1) : 0;
    if (second > 0) end += 1 + second;
    raw.remove_prefix(end);
  }
  return stripped;
}

void name_operator(TraceOperator& op, const RawName& raw, const NodeTypes& node_types) {
  const bool is_exact =
      raw.token_suffix == TokenSuffix::is_the_models || node_types.contains(raw.text);
  op.op_path = is_exact ? std::string(raw.text) : trim(strip_token_suffixes(raw.text));
  if (op.op_path.empty()) op.op_path = raw.text;
  const std::string_view leaf = leaf_of(op.op_path);
  if (const std::string* type = type_in_model(op.op_path, node_types); type != nullptr) {
    op.name = op.op_type = *type;
    op.type_source = TypeSource::onnx;
  } else if (!raw.ep_type.empty()) {
    op.name = op.op_type = raw.ep_type;
    op.type_source = TypeSource::ep;
  } else if (!leaf.empty()) {
    op.name = leaf;
    const std::string_view type_name = without_number(leaf);
    op.op_type = type_name.empty() ? leaf : type_name;
    op.type_source = TypeSource::path;
  } else {
    op.name = op.op_type = op.op_path;
    op.type_source = TypeSource::raw;
  }
}

}  // namespace hone
