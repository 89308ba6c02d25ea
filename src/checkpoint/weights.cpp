#include "checkpoint/weights.h"

#include "base/text.h"

namespace hone {
namespace {

// "a.LayerNorm.weight" as tensorflow's checkpoints had it: "a.LayerNorm.gamma".
std::string older_name(std::string_view name) {
  for (const auto& [now, then] : {std::pair{".weight", ".gamma"}, std::pair{".bias", ".beta"}}) {
    if (name.ends_with(now)) {
      return std::string(name.substr(0, name.size() - std::string_view(now).size())) + then;
    }
  }
  return {};
}

}  // namespace

Weights::Weights(std::vector<TensorPtr> tensors) {
  for (TensorPtr& tensor : tensors) tensors_.emplace(tensor->name, std::move(tensor));
}

bool Weights::has_module(std::string_view path) const {
  const std::string start = std::string(path) + ".";
  const auto at = tensors_.lower_bound(start);
  return at != tensors_.end() && at->first.starts_with(start);
}

TensorPtr Weights::find(std::string_view name) const {
  auto at = tensors_.find(name);
  if (at == tensors_.end()) at = tensors_.find(older_name(name));
  return at == tensors_.end() ? nullptr : at->second;
}

std::vector<std::string> Weights::not_taken() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) {
    if (!taken_.contains(name)) names.push_back(name);
  }
  return names;
}

std::string Weights::nearest_to(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& [known, tensor] : tensors_) names.push_back(known);
  return nearest(name, names);
}

}  // namespace hone
