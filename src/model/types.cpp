#include "model/types.h"

#include <array>
#include <limits>

namespace hone {
namespace {

struct ElementFacts {
  std::string_view name;
  int bits;
  bool floating;
};

// In the order of their numbers.
constexpr std::array<ElementFacts, 27> element_facts = {{
    {"undefined", 0, false},     {"float", 32, true},     {"uint8", 8, false},
    {"int8", 8, false},          {"uint16", 16, false},   {"int16", 16, false},
    {"int32", 32, false},        {"int64", 64, false},    {"string", 0, false},
    {"bool", 8, false},          {"float16", 16, true},   {"double", 64, true},
    {"uint32", 32, false},       {"uint64", 64, false},   {"complex64", 64, false},
    {"complex128", 128, false},  {"bfloat16", 16, true},  {"float8e4m3fn", 8, true},
    {"float8e4m3fnuz", 8, true}, {"float8e5m2", 8, true}, {"float8e5m2fnuz", 8, true},
    {"uint4", 4, false},         {"int4", 4, false},      {"float4e2m1", 4, true},
    {"float8e8m0", 8, true},     {"uint2", 2, false},     {"int2", 2, false},
}};

const ElementFacts* facts_of(ElementType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < element_facts.size() ? &element_facts[index] : nullptr;
}

std::string to_string(const Dim& dim) {
  if (dim.value) return std::to_string(*dim.value);
  return dim.symbol.empty() ? "?" : dim.symbol;
}

std::string to_string(ElementType element, const std::optional<Shape>& shape) {
  std::string text = name_of(element);
  if (!shape) return text + "[...]";
  text += '[';
  for (const Dim& dim : *shape) {
    if (text.back() != '[') text += ',';
    text += to_string(dim);
  }
  return text + ']';
}

}  // namespace

std::string name_of(ElementType type) {
  const ElementFacts* facts = facts_of(type);
  return facts ? std::string(facts->name)
               : "type " + std::to_string(static_cast<std::int32_t>(type));
}

std::optional<ElementType> element_type_named(std::string_view name) {
  for (std::size_t i = 0; i < element_facts.size(); ++i) {
    if (element_facts[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

int bits_of(ElementType type) {
  const ElementFacts* facts = facts_of(type);
  return facts ? facts->bits : 0;
}

bool is_float(ElementType type) {
  const ElementFacts* facts = facts_of(type);
  return facts && facts->floating;
}

std::optional<std::uint64_t> count_elements(const std::vector<std::int64_t>& dims) {
  std::uint64_t count = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(dim), &count)) return std::nullopt;
  }
  return count;
}

std::optional<std::uint64_t> bytes_of(ElementType type, std::uint64_t elements) {
  const auto bits = static_cast<std::uint64_t>(bits_of(type));
  std::uint64_t total = 0;
  if (__builtin_mul_overflow(elements, bits, &total)) return std::nullopt;
  return total / 8 + (total % 8 != 0);
}

Shape shape_of(const std::vector<std::int64_t>& dims) {
  Shape shape;
  for (const std::int64_t dim : dims) shape.emplace_back().value = dim;
  return shape;
}

Type Type::tensor(ElementType element, std::optional<Shape> shape) {
  Type type;
  type.kind = Kind::tensor;
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

std::string to_string(const Type& type) {
  switch (type.kind) {
    case Type::Kind::none:
      return "unknown";
    case Type::Kind::tensor:
      return to_string(type.element, type.shape);
    case Type::Kind::sparse_tensor:
      return "sparse_tensor(" + to_string(type.element, type.shape) + ")";
    case Type::Kind::sequence:
      return "seq(" + (type.inner ? to_string(*type.inner) : "?") + ")";
    case Type::Kind::optional:
      return "optional(" + (type.inner ? to_string(*type.inner) : "?") + ")";
    case Type::Kind::map:
      return "map(" + name_of(type.element) + ", " + (type.inner ? to_string(*type.inner) : "?") +
             ")";
    case Type::Kind::opaque:
      return "opaque(" + type.opaque_domain + "." + type.opaque_name + ")";
  }
  return "unknown";
}

bool same_type(const Type& a, const Type& b) {
  if (a.kind != b.kind || a.element != b.element || a.shape != b.shape) return false;
  if (a.opaque_domain != b.opaque_domain || a.opaque_name != b.opaque_name) return false;
  if (!a.inner || !b.inner) return a.inner == b.inner;
  return same_type(*a.inner, *b.inner);
}

}  // namespace hone
