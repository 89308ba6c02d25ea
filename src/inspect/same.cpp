#include "inspect/same.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace hone {
namespace {

constexpr std::size_t most_elements = 8;
constexpr std::size_t most_characters = 48;

bool same(const std::monostate&, const std::monostate&) { return true; }
bool same(float a, float b) { return a == b || (a != a && b != b); }
bool same(std::int64_t a, std::int64_t b) { return a == b; }
bool same(const Blob& a, const Blob& b) { return a.view() == b.view(); }
bool same(const TensorPtr& a, const TensorPtr& b) { return same_tensor(*a, *b); }
bool same(const std::unique_ptr<Graph>&, const std::unique_ptr<Graph>&) { return true; }
bool same(const SparseTensorPtr& a, const SparseTensorPtr& b) {
  return a->dims == b->dims && same_tensor(*a->values, *b->values) &&
         same_tensor(*a->indices, *b->indices);
}
bool same(const Type& a, const Type& b) { return same_type(a, b); }

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) { return same(x, y); });
}

std::string text(const std::monostate&) { return "nothing"; }
std::string text(float value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}
std::string text(std::int64_t value) { return std::to_string(value); }
std::string text(const Blob& value) {
  const bool is_long = value.size() > most_characters;
  return "'" + to_utf8(value.view().substr(0, most_characters)) + (is_long ? "...'" : "'");
}
std::string text(const TensorPtr& value) { return short_text(*value); }
std::string text(const std::unique_ptr<Graph>&) { return "a graph"; }
std::string text(const SparseTensorPtr& value) { return "sparse " + short_text(*value->values); }
std::string text(const Type& value) { return to_string(value); }

template <class T>
std::string text(const std::vector<T>& values) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(values.size(), most_elements); ++i)
    texts.push_back(text(values[i]));
  if (values.size() > most_elements)
    texts.push_back("... " + std::to_string(values.size()) + " in all");
  return "[" + join(texts, ", ") + "]";
}

}  // namespace

bool is_content_known(const Tensor& a, const Tensor& b) { return !a.absent && !b.absent; }

bool same_tensor(const Tensor& a, const Tensor& b) {
  if (a.type != b.type || a.dims != b.dims) return false;
  if (!is_content_known(a, b)) return true;
  return a.strings == b.strings && a.dense.view() == b.dense.view();
}

bool same_attribute(const Attribute& a, const Attribute& b) {
  if (a.held.index() != b.held.index() || a.reference != b.reference) return false;
  return std::visit(
      [&](const auto& held) {
        return same(held, std::get<std::remove_cvref_t<decltype(held)>>(b.held));
      },
      a.held);
}

std::string short_text(const Tensor& tensor) {
  return to_string(Type::tensor(tensor.type, shape_of(tensor.dims)));
}

std::string short_text(const Attribute& attribute) {
  if (!attribute.reference.empty()) return "@" + attribute.reference;
  return std::visit([](const auto& held) { return text(held); }, attribute.held);
}

}  // namespace hone
