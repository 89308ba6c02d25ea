#pragma once
// The model as a protobuf message. Private to the model module.

#include <unordered_map>

#include "model/model.h"
#include "model/rope.h"

namespace hone::writing {

// Where tensors go that are not to be written the way they are held: null in the map = inline.
using Placement = std::unordered_map<const Tensor*, std::optional<ExternalData>>;

Rope write_model(const Model& model, const Placement& placement);

Rope write_tensor(const Tensor& tensor, const Placement& placement);
Rope write_sparse_tensor(const SparseTensor& tensor, const Placement& placement);
Rope write_type(const Type& type);
void write_metadata(Rope& rope, std::uint32_t field, const Metadata& metadata);

}  // namespace hone::writing
