// TensorProto, SparseTensorProto and TypeProto.

#include "model/wire.h"
#include "model/write.h"

namespace hone::writing {
namespace {

void write_external(Rope& rope, const ExternalData& external) {
  Metadata entries = {{"location", external.location},
                      {"offset", std::to_string(external.offset)},
                      {"length", std::to_string(external.length)}};
  entries.insert(entries.end(), external.other.begin(), external.other.end());
  write_metadata(rope, wire::tensor::external_data, entries);
  rope.add_int(wire::tensor::data_location, 1);
}

const std::optional<ExternalData>& place_of(const Tensor& tensor, const Placement& placement) {
  const auto planned = placement.find(&tensor);
  return planned == placement.end() ? tensor.external : planned->second;
}

Rope write_shape(const Type& type) {
  Rope shape;
  for (const Dim& dim : *type.shape) {
    Rope rope;
    if (dim.value) rope.add_int(wire::dim::value, *dim.value);
    if (!dim.value) rope.add_text(wire::dim::param, dim.symbol);
    rope.add_text(wire::dim::denotation, dim.denotation);
    rope.add_raw(dim.unknown);
    shape.add_message(wire::shape::dim, std::move(rope));
  }
  shape.add_raw(type.unknown_in_shape);
  return shape;
}

std::uint32_t field_of(Type::Kind kind) {
  switch (kind) {
    case Type::Kind::tensor:
      return wire::type::tensor;
    case Type::Kind::sparse_tensor:
      return wire::type::sparse_tensor;
    case Type::Kind::sequence:
      return wire::type::sequence;
    case Type::Kind::optional:
      return wire::type::optional;
    case Type::Kind::map:
      return wire::type::map;
    case Type::Kind::opaque:
      return wire::type::opaque;
    case Type::Kind::none:
      break;
  }
  return 0;
}

Rope write_kind(const Type& type) {
  Rope body;
  switch (type.kind) {
    case Type::Kind::tensor:
    case Type::Kind::sparse_tensor:
      if (type.element != ElementType::undefined) {
        body.add_int(wire::tensor_type::element, static_cast<std::int32_t>(type.element));
      }
      if (type.shape) body.add_message(wire::tensor_type::shape, write_shape(type));
      break;
    case Type::Kind::map:
      body.add_int(wire::map_type::key, static_cast<std::int32_t>(type.element));
      if (type.inner) body.add_message(wire::map_type::value, write_type(*type.inner));
      break;
    case Type::Kind::opaque:
      body.add_text(1, type.opaque_domain);
      body.add_text(2, type.opaque_name);
      break;
    default:
      if (type.inner) body.add_message(1, write_type(*type.inner));
      break;
  }
  body.add_raw(type.unknown_in_kind);
  return body;
}

}  // namespace

void write_metadata(Rope& rope, std::uint32_t field, const Metadata& metadata) {
  for (const auto& [key, value] : metadata) {
    Rope entry;
    entry.add_text(wire::entry::key, key);
    entry.add_text(wire::entry::value, value);
    rope.add_message(field, std::move(entry));
  }
}

Rope write_tensor(const Tensor& tensor, const Placement& placement) {
  Rope rope;
  for (const std::int64_t dim : tensor.dims) rope.add_int(wire::tensor::dims, dim);
  rope.add_int(wire::tensor::data_type, static_cast<std::int32_t>(tensor.type));
  for (const std::string& text : tensor.strings) rope.add_bytes(wire::tensor::string_data, text);
  rope.add_text(wire::tensor::name, tensor.name);
  const std::optional<ExternalData>& external = place_of(tensor, placement);
  const bool has_bytes = tensor.type != ElementType::string && !tensor.absent;
  if (!external && has_bytes) rope.add_blob(wire::tensor::raw_data, tensor.dense);
  rope.add_text(wire::tensor::doc, tensor.doc);
  if (external) write_external(rope, *external);
  write_metadata(rope, wire::tensor::metadata, tensor.metadata);
  rope.add_raw(tensor.unknown);
  return rope;
}

Rope write_sparse_tensor(const SparseTensor& tensor, const Placement& placement) {
  Rope rope;
  rope.add_message(wire::sparse_tensor::values, write_tensor(*tensor.values, placement));
  rope.add_message(wire::sparse_tensor::indices, write_tensor(*tensor.indices, placement));
  for (const std::int64_t dim : tensor.dims) rope.add_int(wire::sparse_tensor::dims, dim);
  rope.add_raw(tensor.unknown);
  return rope;
}

Rope write_type(const Type& type) {
  Rope rope;
  if (type.is_known()) rope.add_message(field_of(type.kind), write_kind(type));
  rope.add_text(wire::type::denotation, type.denotation);
  rope.add_raw(type.unknown);
  return rope;
}

}  // namespace hone::writing
