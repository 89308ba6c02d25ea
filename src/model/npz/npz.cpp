#include "model/npz/npz.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/text.h"
#include "model/npz/npy_strings.h"
#include "model/npz/zip.h"
#include "model/string_tensor.h"

namespace hone {
namespace {

struct NumpyType {
  std::string_view descr;
  ElementType type;
};

constexpr std::array<NumpyType, 14> numpy_types = {{
    {"<f4", ElementType::float32},
    {"<f8", ElementType::float64},
    {"<f2", ElementType::float16},
    {"|u1", ElementType::uint8},
    {"|i1", ElementType::int8},
    {"<u2", ElementType::uint16},
    {"<i2", ElementType::int16},
    {"<u4", ElementType::uint32},
    {"<i4", ElementType::int32},
    {"<u8", ElementType::uint64},
    {"<i8", ElementType::int64},
    {"|b1", ElementType::boolean},
    {"<c8", ElementType::complex64},
    {"<c16", ElementType::complex128},
}};

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t max_rank = 64;

Failure bad_array(const std::string& name, std::string why) {
  return fail(Fault::bad_input, "the array '" + printable(name) + "' cannot be read",
              std::move(why));
}

// The header is a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size() + 2);
  const std::size_t start = rest.find_first_not_of(": ");
  return start == std::string_view::npos ? std::string_view() : rest.substr(start);
}

Result<std::vector<std::int64_t>> read_shape(const std::string& name, std::string_view text) {
  const std::size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos)
    return bad_array(name, "its shape is not a tuple");
  std::vector<std::int64_t> dims;
  for (const std::string& part : split(text.substr(1, end - 1), ',')) {
    const std::size_t first = part.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    std::int64_t dim = 0;
    const auto [stop, problem] =
        std::from_chars(part.data() + first, part.data() + part.size(), dim);
    if (problem != std::errc() || dim < 0 || dims.size() >= max_rank)
      return bad_array(name, "its shape is not a list of sizes");
    dims.push_back(dim);
  }
  return dims;
}

Result<std::size_t> header_end(const std::string& name, std::string_view bytes,
                               std::size_t& header_start) {
  if (bytes.size() < 12 || bytes.substr(0, magic.size()) != magic)
    return bad_array(name, "it is not a .npy array");
  const bool is_long = bytes[6] >= 2;
  header_start = is_long ? 12 : 10;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, is_long ? 4 : 2);
  if (bytes.size() - header_start < length) return bad_array(name, "its header is cut short");
  return header_start + length;
}

Result<TensorPtr> read_text_array(const std::string& name, std::vector<std::int64_t> dims,
                                  std::string_view bytes, const NumpyText& text) {
  const auto count = count_elements(dims);
  if (count == 0u && bytes.empty()) return make_string_tensor(name, std::move(dims), {});
  // Elements of no width take no bytes, and there could be any number of them.
  const bool has_width = text.width > 0 && text.width <= bytes.size();
  const std::uint64_t element = has_width ? text.unit_bytes * text.width : 1;
  if (!has_width || bytes.size() % element != 0 || bytes.size() / element != count)
    return bad_array(name, "its shape and its data do not fit");
  return make_string_tensor(name, std::move(dims), read_numpy_text(bytes, text));
}

// Elements whose first index runs fastest, brought into the order in which the last one does.
// REQUIRES: `elements` holds as many as `dims` say.
Blob turned_around(const std::vector<std::int64_t>& dims, std::string_view elements) {
  const auto count = static_cast<std::size_t>(count_elements(dims).value_or(0));
  if (count == 0) return Blob::own(std::string());
  const std::size_t width = elements.size() / count;
  std::vector<std::size_t> strides(dims.size(), 1);
  for (std::size_t i = 1; i < dims.size(); ++i)
    strides[i] = strides[i - 1] * static_cast<std::size_t>(dims[i - 1]);
  std::string made;
  made.reserve(elements.size());
  std::vector<std::size_t> index(dims.size(), 0);
  for (std::size_t done_so_far = 0; done_so_far < count; ++done_so_far) {
    std::size_t from = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) from += index[i] * strides[i];
    made += elements.substr(from * width, width);
    for (std::size_t i = dims.size(); i-- > 0;) {
      if (++index[i] < static_cast<std::size_t>(dims[i])) break;
      index[i] = 0;
    }
  }
  return Blob::own(std::move(made));
}

Result<TensorPtr> read_array(const std::string& name, const Blob& blob) {
  std::size_t start = 0;
  HONE_TRY(const std::size_t end, header_end(name, blob.view(), start));
  const std::string_view header = blob.view().substr(start, end - start);
  std::string_view descr = value_of(header, "descr");
  descr = descr.substr(descr.empty() ? 0 : 1);
  descr = descr.substr(0, descr.find('\''));
  HONE_TRY(std::vector<std::int64_t> dims, read_shape(name, value_of(header, "shape")));
  // One dimension lies in memory the same way.
  const bool is_turned = dims.size() > 1 && value_of(header, "fortran_order").starts_with("True");
  for (const NumpyType& known : numpy_types) {
    if (known.descr != descr) continue;
    const auto count = count_elements(dims);
    const auto wanted = count ? bytes_of(known.type, *count) : std::nullopt;
    if (!wanted || blob.size() - end != *wanted)
      return bad_array(name, "its shape and its data do not fit");
    Blob elements = blob.slice(end, *wanted);
    if (is_turned) elements = turned_around(dims, elements.view());
    return make_tensor(name, known.type, std::move(dims), std::move(elements));
  }
  const NumpyText text = parse_numpy_text(descr);
  if (text.is_text() && is_turned)
    return bad_array(name, "it is text in Fortran order; save np.ascontiguousarray(...)");
  if (text.is_text()) return read_text_array(name, std::move(dims), blob.view().substr(end), text);
  return bad_array(name, "its type '" + printable(descr) + "' is none that ONNX has");
}

std::string write_header(std::string_view descr, const std::vector<std::int64_t>& dims) {
  std::string shape;
  for (const std::int64_t dim : dims) shape += std::to_string(dim) + ",";
  std::string text =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // NumPy wants data to start on a multiple of 64.
  const std::size_t unpadded = magic.size() + 4 + text.size() + 1;
  text += std::string((64 - unpadded % 64) % 64, ' ') + "\n";
  std::string out(magic);
  out += std::string("\x01\x00", 2);
  out += static_cast<char>(text.size() & 0xFF);
  out += static_cast<char>(text.size() >> 8);
  return out + text;
}

// The array as np.save writes it.
Result<Blob> write_array(const Tensor& array) {
  if (array.type == ElementType::string) {
    HONE_TRY(const WrittenText text, write_numpy_text(array.strings));
    return Blob::own(write_header(text.descr, array.dims) + text.bytes);
  }
  const auto known = std::ranges::find(numpy_types, array.type, &NumpyType::type);
  if (known == numpy_types.end()) {
    return fail(Fault::unsupported,
                "'" + array.name + "' is " + name_of(array.type) + ", which NumPy has no type for");
  }
  HONE_TRY(const std::string_view bytes, array.bytes());
  return Blob::own(write_header(known->descr, array.dims) + std::string(bytes));
}

}  // namespace

Result<std::vector<TensorPtr>> read_npz(const Path& path) {
  HONE_TRY(const Blob archive, map_file(path));
  auto entries = read_zip(archive);
  if (!entries) {
    Error error = std::move(entries).error();
    error.what = "cannot read '" + path.string() + "': " + error.what;
    error.hint = path.extension() == ".npy"
                     ? "a single .npy has no input name: save it with np.savez(file, name=array)"
                     : "make it with np.savez(file, name=array, ...)";
    return fail(std::move(error));
  }
  std::vector<TensorPtr> arrays;
  for (const ZipEntry& entry : *entries) {
    std::string name =
        entry.name.ends_with(".npy") ? entry.name.substr(0, entry.name.size() - 4) : entry.name;
    HONE_TRY(TensorPtr array, read_array(name, entry.bytes));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

Result<TensorPtr> read_npy(const Path& path) {
  HONE_TRY(const Blob file, map_file(path));
  Result<TensorPtr> array = read_array("", file);
  if (array) return array;
  return fail(Fault::bad_input, "cannot read '" + path.string() + "'", array.error().cause,
              "make it with np.save(file, array)");
}

Status write_npz(const Path& path, const std::vector<TensorPtr>& arrays) {
  std::vector<ZipEntry> entries;
  for (const TensorPtr& array : arrays) {
    HONE_TRY(Blob bytes, write_array(*array));
    entries.push_back({array->name + ".npy", std::move(bytes)});
  }
  return write_zip(path, entries);
}

}  // namespace hone
