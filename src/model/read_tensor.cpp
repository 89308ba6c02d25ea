// TensorProto and SparseTensorProto. Whichever of the seven data fields a tensor uses, it leaves
// here dense.

#include <charconv>
#include <cstring>

#include "base/text.h"
#include "model/read.h"

namespace hone::reading {
namespace {

// The data fields as they stand in the message.
struct Payload {
  std::optional<std::string_view> raw;
  std::vector<std::string_view> fixed;    // float_data or double_data: already dense, in pieces
  std::vector<std::string_view> varints;  // int32_data, int64_data or uint64_data
  std::vector<std::uint64_t> loose;       // the same, not packed
  bool is_external = false;

  bool is_empty() const { return !raw && fixed.empty() && varints.empty() && loose.empty(); }
};

std::string describe(const Tensor& tensor) { return "tensor '" + printable(tensor.name) + "'"; }

void append_little_endian(std::string& out, std::uint64_t value, std::size_t width) {
  char buffer[8];
  std::memcpy(buffer, &value, sizeof buffer);
  out.append(buffer, width);
}

// Elements of at most one byte (4-bit ones too, in pairs) take one varint per byte.
std::size_t varint_width(ElementType type) {
  const int bits = bits_of(type);
  return bits <= 8 ? 1 : static_cast<std::size_t>(bits) / 8;
}

Blob assemble(const Context& context, const Tensor& tensor, const Payload& payload) {
  if (payload.raw) return {*payload.raw, context.backing};
  if (payload.fixed.size() == 1) return {payload.fixed.front(), context.backing};
  std::string dense;
  for (const std::string_view piece : payload.fixed) dense += piece;
  const std::size_t width = varint_width(tensor.type);
  if (width > 8) return Blob::own(std::move(dense));
  for (const std::string_view packed : payload.varints) {
    for_each_varint(packed,
                    [&](std::uint64_t value) { append_little_endian(dense, value, width); });
  }
  for (const std::uint64_t value : payload.loose) append_little_endian(dense, value, width);
  return Blob::own(std::move(dense));
}

std::uint64_t parse_number(const Tensor& tensor, std::string_view key, std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) {
    throw Malformed(describe(tensor) + " has external data with " + std::string(key) + " '" +
                    printable(text) + "', which is not a byte count");
  }
  return number;
}

void read_external(const Metadata& entries, Tensor& tensor) {
  ExternalData external;
  external.length = tensor.byte_size();
  for (const auto& [key, value] : entries) {
    if (key == "location") {
      external.location = value;
    } else if (key == "offset") {
      external.offset = parse_number(tensor, key, value);
    } else if (key == "length") {
      external.length = parse_number(tensor, key, value);
    } else {
      external.other.emplace_back(key, value);
    }
  }
  if (external.location.empty())
    throw Malformed(describe(tensor) + " has external data without a location");
  if (bits_of(tensor.type) > 0 && external.length != tensor.byte_size()) {
    throw Malformed(describe(tensor) + " needs " + std::to_string(tensor.byte_size()) +
                    " bytes but its external data says " + std::to_string(external.length));
  }
  tensor.external = std::move(external);
  tensor.absent = true;  // until attach_external_data finds the file
}

void check_shape(const Tensor& tensor) {
  if (tensor.dims.size() > max_rank) throw Malformed(describe(tensor) + " has too many dimensions");
  const auto count = count_elements(tensor.dims);
  if (!count || !bytes_of(tensor.type, *count)) {
    throw Malformed(describe(tensor) +
                    " has a shape whose size is negative or does not fit 64 bits");
  }
}

void take_payload(Context& context, const Payload& payload, Tensor& tensor) {
  if (tensor.type == ElementType::string) {
    if (tensor.strings.size() != tensor.element_count()) {
      throw Malformed(describe(tensor) + " needs " + std::to_string(tensor.element_count()) +
                      " strings but holds " + std::to_string(tensor.strings.size()));
    }
    return;
  }
  if (payload.is_empty() && tensor.byte_size() > 0) {
    tensor.absent = true;
    return;
  }
  tensor.dense = assemble(context, tensor, payload);
  if (bits_of(tensor.type) > 0 && tensor.dense.size() != tensor.byte_size()) {
    throw Malformed(describe(tensor) + " needs " + std::to_string(tensor.byte_size()) +
                    " bytes but holds " + std::to_string(tensor.dense.size()));
  }
}

// True when the field was one of the data fields.
bool read_data_field(wire::pbf_reader& reader, Tensor& tensor, Payload& payload) {
  using namespace wire;
  switch (reader.tag_and_type()) {
    case bytes(tensor::raw_data):
      payload.raw = get_view(reader);
      return true;
    case bytes(tensor::float_data):
    case bytes(tensor::double_data):
      payload.fixed.push_back(get_view(reader));
      return true;
    case fixed32(tensor::float_data): {
      const char* at = reader.data().data();
      reader.skip();
      payload.fixed.push_back({at, 4});
      return true;
    }
    case fixed64(tensor::double_data): {
      const char* at = reader.data().data();
      reader.skip();
      payload.fixed.push_back({at, 8});
      return true;
    }
    case bytes(tensor::int32_data):
    case bytes(tensor::int64_data):
    case bytes(tensor::uint64_data):
      payload.varints.push_back(get_view(reader));
      return true;
    case varint(tensor::int32_data):
    case varint(tensor::int64_data):
    case varint(tensor::uint64_data):
      payload.loose.push_back(reader.get_uint64());
      return true;
    case bytes(tensor::string_data):
      tensor.strings.push_back(get_string(reader));
      return true;
    default:
      return false;
  }
}

}  // namespace

TensorPtr read_tensor(Context& context, std::string_view message) {
  using namespace wire;
  context.count_thing();
  auto made = std::make_shared<Tensor>();
  Tensor& tensor = *made;
  Payload payload;
  Metadata external_entries;
  read_fields(context, message, tensor.unknown, [&](pbf_reader& reader) {
    if (read_ints(reader, tensor::dims, tensor.dims)) return true;
    if (read_data_field(reader, tensor, payload)) return true;
    switch (reader.tag_and_type()) {
      case varint(tensor::data_type):
        tensor.type = static_cast<ElementType>(reader.get_int32());
        return true;
      case bytes(tensor::name):
        tensor.name = get_string(reader);
        return true;
      case bytes(tensor::doc):
        tensor.doc = get_string(reader);
        return true;
      case bytes(tensor::metadata):
        return read_entry(get_view(reader), tensor.metadata);
      case bytes(tensor::external_data):
        read_entry(get_view(reader), external_entries);
        return true;
      case varint(tensor::data_location):
        payload.is_external = reader.get_int32() == 1;
        return true;
      default:
        return false;
    }
  });
  check_shape(tensor);
  if (payload.is_external) {
    read_external(external_entries, tensor);
    context.external.push_back(made);
  } else {
    take_payload(context, payload, tensor);
  }
  return made;
}

SparseTensorPtr read_sparse_tensor(Context& context, std::string_view message) {
  using namespace wire;
  auto made = std::make_shared<SparseTensor>();
  read_fields(context, message, made->unknown, [&](pbf_reader& reader) {
    if (read_ints(reader, sparse_tensor::dims, made->dims)) return true;
    switch (reader.tag_and_type()) {
      case bytes(sparse_tensor::values):
        made->values = read_tensor(context, get_view(reader));
        return true;
      case bytes(sparse_tensor::indices):
        made->indices = read_tensor(context, get_view(reader));
        return true;
      default:
        return false;
    }
  });
  if (!made->values || !made->indices)
    throw Malformed("a sparse tensor lacks its values or indices");
  return made;
}

}  // namespace hone::reading
