#include "transform/fuse.h"

namespace hone {

bool can_replace(Rewriter& rewriter, std::span<Node* const> motif) {
  const Value* inside = used_outside(motif);
  if (inside == nullptr) return true;
  rewriter.decline(*motif.back(), "'" + inside->name() + "' inside of it is needed elsewhere");
  return false;
}

}  // namespace hone
