#pragma once
// Tensors. In memory a tensor is always dense little-endian bytes, whichever field of the file they
// came from, and always a view: of the model file, of the external data file, or of bytes we made.
// Tensors are immutable and shared; changing a weight means making a new one.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "model/types.h"

namespace hone {

// Where bytes live when that is outside the model file. `location` is relative to the model's
// folder.
struct ExternalData {
  std::string location;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  Metadata other;  // checksum and whatever else the entry list held
  bool operator==(const ExternalData&) const = default;
};

struct Tensor {
  std::string name;
  ElementType type = ElementType::undefined;
  std::vector<std::int64_t> dims;
  Blob dense;                            // empty for strings and when absent
  std::vector<std::string> strings;      // for ElementType::string
  std::optional<ExternalData> external;  // set while the bytes are the external file's own
  bool absent = false;                   // the bytes are not there (file missing, or stripped)
  std::string doc;
  Metadata metadata;
  UnknownFields unknown;

  // REQUIRES a tensor that was read or made by make_tensor: the product is known to fit.
  std::uint64_t element_count() const;
  // Bytes the dense form takes, whether or not they are here. Strings: the sum of their lengths.
  std::uint64_t byte_size() const;
  // The dense bytes, or an error that says which file is missing.
  Result<std::string_view> bytes() const;
};

using TensorPtr = std::shared_ptr<const Tensor>;

struct SparseTensor {
  TensorPtr values;  // its name is the name of the sparse initializer
  TensorPtr indices;
  std::vector<std::int64_t> dims;
  UnknownFields unknown;
};
using SparseTensorPtr = std::shared_ptr<const SparseTensor>;

// REQUIRES: dense holds exactly the bytes that type and dims ask for.
TensorPtr make_tensor(std::string name, ElementType type, std::vector<std::int64_t> dims,
                      Blob dense);
TensorPtr make_int64_tensor(std::string name, std::span<const std::int64_t> values,
                            bool scalar = false);
TensorPtr make_float_tensor(std::string name, std::span<const float> values, bool scalar = false);

// Reads any integer or bool tensor as int64, any float tensor (16-bit ones too) as double. Errors
// when the type does not fit or the bytes are absent.
Result<std::vector<std::int64_t>> to_ints(const Tensor& tensor);
Result<std::vector<double>> to_doubles(const Tensor& tensor);

}  // namespace hone
