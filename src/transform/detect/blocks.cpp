#include <algorithm>

#include "transform/detect/detectors.h"
#include "transform/match/heads.h"
#include "transform/match/norm.h"
#include "transform/patterns.h"

namespace hone::detect {
namespace {

// Two tensors; a constant beside one is a bias, and no skip.
bool is_sum_of_tensors(const Value* value) {
  const Node* add = producer_of(value, "Add");
  if (add == nullptr || add->inputs().size() != 2) return false;
  return std::ranges::all_of(add->inputs(), [](const Value* operand) {
    return operand != nullptr && operand->constant() == nullptr &&
           operand->initializer() == nullptr;
  });
}

Found attentions(const Rewriter& model, bool of_three_axes) {
  Found found;
  for (Node* softmax : model.nodes("Softmax")) {
    const auto attention = match_attention(*softmax);
    const auto layout = attention ? layout_of(*attention) : std::nullopt;
    if (!layout || used_outside(attention->nodes) != nullptr) continue;
    if (is_of_three_axes(*attention, *layout) == of_three_axes) {
      found.push_back(attention->nodes.back());
    }
  }
  return found;
}

}  // namespace

Found layer_norm(const Rewriter& model) {
  Found found;
  for (Node* add : model.nodes("Add")) {
    const auto norm = match_layer_norm(*add);
    if (norm && used_outside(norm->nodes) == nullptr) found.push_back(add);
  }
  return found;
}

bool is_rms_norm(Node& mul) {
  const auto norm = mul.output(0) != nullptr ? match_rms_norm(mul) : std::nullopt;
  if (!norm) return false;
  Node* add = only_consumer(*mul.output(0));
  return add == nullptr || !match_layer_norm(*add);
}

Found rms_norm(const Rewriter& model) {
  Found found;
  for (Node* mul : model.nodes("Mul")) {
    if (is_rms_norm(*mul) && used_outside(match_rms_norm(*mul)->nodes) == nullptr) {
      found.push_back(mul);
    }
  }
  return found;
}

Found skip_layer_norm(const Rewriter& model) {
  Found found;
  for (Node* node : model.nodes()) {
    if (node->output(0) == nullptr) continue;
    if (node->is("LayerNormalization")) {
      if (is_sum_of_tensors(node->input(0))) found.push_back(node);
    } else if (const auto norm = match_layer_norm(*node)) {
      const bool can_go = used_outside(norm->nodes) == nullptr;
      if (can_go && is_sum_of_tensors(norm->input)) found.push_back(node);
    }
  }
  return found;
}

Found attention(const Rewriter& model) { return attentions(model, true); }

Found other_attention(const Rewriter& model) { return attentions(model, false); }

}  // namespace hone::detect
