#include "runtime/light_model.h"

#include <algorithm>

namespace hone {
namespace {

// Shapes, axes and sizes are small, and inference reads them.
constexpr std::uint64_t least_weight_bytes = 1024;
constexpr auto holes_file = "weights";

TensorPtr reference_to(const Tensor& weight) {
  auto reference = std::make_shared<Tensor>(weight);
  reference->dense = {};
  reference->absent = true;
  reference->external = ExternalData{holes_file, 0, weight.byte_size(), {}};
  return reference;
}

// Data files of the model are not beside the light one, so what is left in it is inside.
void bring_inside(Model& model) {
  map_tensors(model, [](const TensorPtr& tensor, const Node*) {
    if (!tensor->external || tensor->absent) return tensor;
    auto inside = std::make_shared<Tensor>(*tensor);
    inside->external.reset();
    return TensorPtr(std::move(inside));
  });
}

Status write_holes(const Path& path, std::uint64_t bytes) {
  HONE_TRY_DO(write_file(path, ""));
  std::error_code problem;
  std::filesystem::resize_file(path, bytes, problem);
  if (!problem) return done();
  return fail(Fault::io, "cannot make '" + path.string() + "'", problem.message());
}

}  // namespace

Result<std::vector<TensorPtr>> write_light_model(const Model& model, const Path& path) {
  Model light = clone(model);
  bring_inside(light);
  std::vector<TensorPtr> weights;
  std::uint64_t largest = 0;
  for (Value* value : light.graph->initializers()) {
    const TensorPtr weight = value->initializer();
    if (weight->type == ElementType::string || weight->byte_size() < least_weight_bytes) continue;
    auto named = std::make_shared<Tensor>(*weight);
    named->name = value->name();
    largest = std::max(largest, weight->byte_size());
    light.graph->set_initializer(*value, reference_to(*named));
    weights.push_back(std::move(named));
  }
  HONE_TRY_DO(write_holes(path.parent_path() / holes_file, largest));
  HONE_TRY(const std::string bytes, serialize(light));
  HONE_TRY_DO(write_file(path, bytes));
  return weights;
}

}  // namespace hone
