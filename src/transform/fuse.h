#pragma once
// Rewrites that several passes share.

#include <span>
#include <utility>
#include <vector>

#include "transform/match/norm.h"
#include "transform/patterns.h"
#include "transform/rewriter.h"

namespace hone {

// The domain of ONNX Runtime's own operators.
inline constexpr char microsoft[] = "com.microsoft";

// Attributes cannot be copied, so a list in braces cannot hold them.
template <typename... Attributes>
std::vector<Attribute> attributes(Attributes... each) {
  std::vector<Attribute> list;
  (list.push_back(std::move(each)), ...);
  return list;
}

// Whether all nodes of a motif may go. Where somebody else needs a value inside it, its last node
// is declined with that.
bool can_replace(Rewriter& rewriter, std::span<Node* const> motif);

// Where a vector of weights lies beside a tensor: along one axis of it.
struct Along {
  std::size_t rank = 0;
  std::int64_t axis = 0;
  std::int64_t size = 0;
};
// Whether the value is a vector, or a constant that can be made one: [C,1,1] beside an image.
bool is_vector(const Value* value, const Along& along);
// REQUIRES: it is one.
Value& as_vector(Rewriter& rewriter, const Node& position, Value& value);

// A LayerNormalization in the place of the motif, between Transposes when the axis is not the last
// one; or the reason why not.
void fuse_layer_norm(Rewriter& rewriter, const LayerNorm& norm);

}  // namespace hone
