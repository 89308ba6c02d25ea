#pragma once
// The ONNX messages on the wire: field numbers, and reading a message field by field with
// protozero. Private to the reader and the writer.

#include <protozero/pbf_reader.hpp>

#include <cstdint>

#include "base/bytes.h"
#include "model/types.h"

namespace hone::wire {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

// A field number together with the wire type we expect it in; any other combination is an unknown
// field (protozero's getters may not be called on the wrong wire type).
constexpr std::uint32_t varint(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::varint);
}
constexpr std::uint32_t bytes(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}
constexpr std::uint32_t fixed32(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed32);
}
constexpr std::uint32_t fixed64(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed64);
}

namespace model {
enum : std::uint32_t {
  ir_version = 1,
  producer_name,
  producer_version,
  domain,
  model_version,
  doc,
  graph,
  opset_import,
  metadata = 14,
  functions = 25
};
}
namespace opset {
enum : std::uint32_t { domain = 1, version };
}
namespace entry {
enum : std::uint32_t { key = 1, value };
}
namespace graph {
enum : std::uint32_t {
  node = 1,
  name = 2,
  initializer = 5,
  doc = 10,
  input,
  output,
  value_info,
  sparse_initializer = 15,
  metadata
};
}
namespace node {
enum : std::uint32_t {
  input = 1,
  output,
  name,
  op_type,
  attribute,
  doc,
  domain,
  overload,
  metadata
};
}
namespace attribute {
enum : std::uint32_t {
  name = 1,
  f,
  i,
  s,
  t,
  g,
  floats,
  ints,
  strings,
  tensors,
  graphs,
  doc = 13,
  tp,
  type_protos,
  type = 20,
  ref_attr_name,
  sparse_tensor,
  sparse_tensors
};
}
namespace tensor {
enum : std::uint32_t {
  dims = 1,
  data_type,
  segment,
  float_data,
  int32_data,
  string_data,
  int64_data,
  name,
  raw_data,
  double_data,
  uint64_data,
  doc,
  external_data,
  data_location,
  metadata = 16
};
}
namespace sparse_tensor {
enum : std::uint32_t { values = 1, indices, dims };
}
namespace value_info {
enum : std::uint32_t { name = 1, type, doc, metadata };
}
namespace type {
enum : std::uint32_t {
  tensor = 1,
  sequence = 4,
  map = 5,
  denotation = 6,
  opaque = 7,
  sparse_tensor = 8,
  optional = 9
};
}
namespace tensor_type {
enum : std::uint32_t { element = 1, shape };
}
namespace map_type {
enum : std::uint32_t { key = 1, value };
}
namespace shape {
enum : std::uint32_t { dim = 1 };
}
namespace dim {
enum : std::uint32_t { value = 1, param, denotation };
}
namespace function {
enum : std::uint32_t {
  name = 1,
  input = 4,
  output,
  attribute,
  node,
  doc,
  opset_import,
  domain,
  attribute_proto,
  value_info,
  overload,
  metadata
};
}

}  // namespace hone::wire
