#pragma once
// Rewrites that several passes share.

#include <span>

#include "transform/match/motif.h"
#include "transform/rewriter.h"

namespace hone {

// Whether all nodes of a motif may go. Where somebody else needs a value inside it, its last node
// is declined with that.
bool can_replace(Rewriter& rewriter, std::span<Node* const> motif);

// The domain of ONNX Runtime's own operators.
inline constexpr char microsoft[] = "com.microsoft";

}  // namespace hone
