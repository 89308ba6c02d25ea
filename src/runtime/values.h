#pragma once
// Tensors of ours as ORT values and back.

#include <map>
#include <memory>
#include <string>

#include "model/tensor.h"
#include "runtime/runtime.h"

namespace hone {

using NamedTensors = std::map<std::string, TensorPtr>;

// An ORT value, and the memory it stands on when that is ours.
struct OrtTensor {
  Owned<ort::OrtValue> value;
  std::shared_ptr<void> memory;
};

// Copies the tensor into memory aligned for any kernel: bytes in a mapped file may start anywhere.
Result<OrtTensor> to_ort(const Runtime& runtime, const Tensor& tensor);

// The tensor where it lies, kept alive; a copy only where its bytes are not aligned for its
// elements.
Result<OrtTensor> view_as_ort(const Runtime& runtime, const TensorPtr& tensor);

// Copies an ORT value out. A sequence comes as one tensor of one more dimension, flat where its
// entries have different sizes; a map as its values, in the order of its keys.
Result<TensorPtr> from_ort(const Runtime& runtime, const std::string& name,
                           const ort::OrtValue* value);

// A tensor without the copy, which must not outlive the value. Sequences and maps are unsupported.
Result<Tensor> borrow_from_ort(const Runtime& runtime, const std::string& name,
                               const ort::OrtValue* value);

// Type and shape as a port of a session declares them.
Type read_type_info(const ort::Api& api, const ort::OrtTypeInfo* info);

}  // namespace hone
