// Tensor data: elements between braces, or a reference to a file between brackets.

#include <algorithm>
#include <charconv>

#include "model/text/elements.h"
#include "model/text/names.h"
#include "model/text/syntax.h"

namespace hone::syntax {
namespace {

Status take_dims(const Cursor& cursor, const Type& type, std::size_t offset,
                 std::vector<std::int64_t>& dims) {
  if (!type.shape) {
    return cursor.error(offset, "the shape of a tensor with data must be known: '" +
                                    element_word(type.element) + "' is a scalar, '[]' unknown");
  }
  for (const Dim& dim : *type.shape) {
    if (!dim.value || *dim.value < 0) {
      return cursor.error(offset, "the dimensions of a tensor with data are numbers from 0 on");
    }
    dims.push_back(*dim.value);
  }
  const auto count = count_elements(dims);
  if (count && bytes_of(type.element, *count)) return done();
  return cursor.error(offset, "the size of this tensor does not fit 64 bits");
}

Status read_one(Cursor& cursor, std::uint64_t index, Tensor& tensor, std::string& dense) {
  if (tensor.type != ElementType::string) return read_element(cursor, tensor.type, index, dense);
  HONE_TRY_DO(cursor.count_thing());
  HONE_TRY(std::string element, read_string(cursor, "an element"));
  tensor.strings.push_back(std::move(element));
  return done();
}

// Behind the '{'. Memory grows with the text and not with what the dimensions promise.
Status read_elements(Cursor& cursor, std::size_t offset, Tensor& tensor) {
  const std::uint64_t count = tensor.element_count();
  if (count > 0 && tensor.type != ElementType::string && bits_of(tensor.type) == 0) {
    return cursor.error(offset,
                        "elements of type " + element_word(tensor.type) + " cannot be read");
  }
  std::string dense;
  dense.reserve(std::min<std::uint64_t>(tensor.byte_size(), cursor.bytes_left()));
  std::uint64_t found = 0;
  if (!cursor.at('}')) {
    do {
      if (found == count) {
        return cursor.error(
            cursor.peek().offset,
            "the tensor holds more than the " + std::to_string(count) + " elements of its shape");
      }
      HONE_TRY_DO(read_one(cursor, found, tensor, dense));
      ++found;
    } while (cursor.accept(','));
  }
  const std::size_t end = cursor.peek().offset;
  HONE_TRY_DO(cursor.expect('}', "or ',' after an element"));
  if (found != count) {
    return cursor.error(end, "the tensor ends after " + std::to_string(found) + " of the " +
                                 std::to_string(count) + " elements of its shape");
  }
  tensor.dense = Blob::own(std::move(dense));
  return done();
}

Status take_number(const Cursor& cursor, std::size_t offset, std::string_view key,
                   std::string_view text, std::uint64_t& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && end == text.data() + text.size()) return done();
  return cursor.error(offset, "the " + std::string(key) + " of external data is not a byte count");
}

// At the '['.
Status read_external(Cursor& cursor, Tensor& tensor) {
  const std::size_t offset = cursor.peek().offset;
  HONE_TRY(const Metadata entries, read_entries(cursor));
  ExternalData external;
  external.length = tensor.byte_size();
  for (const auto& [key, value] : entries) {
    if (key == "location") {
      external.location = value;
    } else if (key == "offset") {
      HONE_TRY_DO(take_number(cursor, offset, key, value, external.offset));
    } else if (key == "length") {
      HONE_TRY_DO(take_number(cursor, offset, key, value, external.length));
    } else {
      external.other.emplace_back(key, value);
    }
  }
  if (external.location.empty()) {
    return cursor.error(offset, "external data needs a \"location\"");
  }
  if (bits_of(tensor.type) > 0 && external.length != tensor.byte_size()) {
    return cursor.error(offset, "external data of " + std::to_string(external.length) +
                                    " bytes for a tensor of " + std::to_string(tensor.byte_size()));
  }
  tensor.external = std::move(external);
  tensor.absent = true;
  return done();
}

// A tensor inside a sparse one: type, perhaps a name, data.
Result<TensorPtr> read_part(Cursor& cursor, std::string name) {
  const std::size_t offset = cursor.peek().offset;
  HONE_TRY(const Type type, read_type(cursor));
  if (cursor.at(Token::Kind::word) || cursor.at(Token::Kind::string)) {
    HONE_TRY(Name own, read_name(cursor, "the name of a tensor"));
    name = std::move(own.text);
  }
  cursor.accept('=');
  return read_tensor(cursor, type, offset, std::move(name));
}

}  // namespace

Result<TensorPtr> read_tensor(Cursor& cursor, const Type& type, std::size_t offset,
                              std::string name) {
  if (!type.is_tensor()) {
    return cursor.error(offset, "data needs a tensor type such as float[2]");
  }
  auto tensor = std::make_shared<Tensor>();
  tensor->name = std::move(name);
  tensor->type = type.element;
  HONE_TRY_DO(take_dims(cursor, type, offset, tensor->dims));
  if (cursor.at('[')) {
    HONE_TRY_DO(read_external(cursor, *tensor));
  } else {
    HONE_TRY_DO(cursor.expect('{', "before the elements of a tensor"));
    HONE_TRY_DO(read_elements(cursor, offset, *tensor));
  }
  HONE_TRY(Note note, read_note(cursor));
  tensor->doc = std::move(note.doc);
  tensor->metadata = std::move(note.metadata);
  return TensorPtr(std::move(tensor));
}

Result<SparseTensorPtr> read_sparse_tensor(Cursor& cursor, const Type& type, std::size_t offset,
                                           std::string name) {
  auto sparse = std::make_shared<SparseTensor>();
  HONE_TRY_DO(take_dims(cursor, type, offset, sparse->dims));
  HONE_TRY_DO(cursor.expect('{', "before the values and indices of a sparse tensor"));
  HONE_TRY(sparse->values, read_part(cursor, std::move(name)));
  if (sparse->values->type != type.element) {
    return cursor.error(offset, "a sparse tensor of " + element_word(type.element) +
                                    " has values of " + element_word(sparse->values->type));
  }
  HONE_TRY_DO(cursor.expect(',', "between the values and the indices of a sparse tensor"));
  HONE_TRY(sparse->indices, read_part(cursor, {}));
  HONE_TRY_DO(cursor.expect('}', "after the indices of a sparse tensor"));
  return SparseTensorPtr(std::move(sparse));
}

}  // namespace hone::syntax
