#pragma once
// Element types, dimensions, shapes and value types, as ONNX defines them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace hone {

// The numbers are those of TensorProto.DataType.
enum class ElementType : std::int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26,
};

// ONNX's own word: "float", "double", "bool", "int4", ...; "type 99" for a number we do not know.
std::string name_of(ElementType type);
std::optional<ElementType> element_type_named(std::string_view name);
// Bits of one element: 0 for strings and for types we do not know.
int bits_of(ElementType type);
bool is_float(ElementType type);

// Elements of a shape, or nothing when the product does not fit or a dimension is negative.
std::optional<std::uint64_t> count_elements(const std::vector<std::int64_t>& dims);
// Bytes of that many dense elements (4- and 2-bit types are packed).
std::optional<std::uint64_t> bytes_of(ElementType type, std::uint64_t elements);

// Fields of a message that this version does not know, word for word, in their order. They survive
// a round trip, so that a newer model loses nothing by passing through.
using UnknownFields = std::vector<Blob>;

using Metadata = std::vector<std::pair<std::string, std::string>>;

// A number, a symbol ("batch"), or unknown when it has neither.
struct Dim {
  std::optional<std::int64_t> value{};
  std::string symbol{};
  std::string denotation{};
  UnknownFields unknown{};
  bool operator==(const Dim& other) const {
    return value == other.value && symbol == other.symbol && denotation == other.denotation;
  }
};
using Shape = std::vector<Dim>;

Shape shape_of(const std::vector<std::int64_t>& dims);

struct Type {
  enum class Kind { none, tensor, sparse_tensor, sequence, optional, map, opaque };
  Kind kind = Kind::none;
  ElementType element = ElementType::undefined;  // of tensors; the key's type of a map
  std::optional<Shape> shape;                    // of tensors; absent = unknown rank
  std::shared_ptr<const Type> inner;             // of sequence, optional and map (its value)
  std::string opaque_domain;
  std::string opaque_name;
  std::string denotation;
  UnknownFields unknown;
  UnknownFields unknown_in_kind;  // of the message that says which kind it is
  UnknownFields unknown_in_shape;

  static Type tensor(ElementType element, std::optional<Shape> shape = std::nullopt);
  bool is_known() const { return kind != Kind::none; }
  bool is_tensor() const { return kind == Kind::tensor; }
};

// "float[N,3,224,224]", "seq(map(int64, float[?]))": for people and for the text form.
std::string to_string(const Type& type);
bool same_type(const Type& a, const Type& b);

}  // namespace hone
