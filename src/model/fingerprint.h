#pragma once
// What a model is, apart from how it is written: hashes that do not depend on names of nodes and
// values, on the order of nodes, on documentation, or on where the weights are stored.

#include "base/hash.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/model.h"

namespace hone {

// Topology, attributes, types and shapes of weights. Reads no weight byte: initializers and the
// tensors of Constant nodes count by type and shape alone.
Digest structure_fingerprint(const Model& model);

// The same and every weight byte. Fails when a weight is absent.
Result<Digest> content_fingerprint(const Model& model, const ByteProgress& progress = {});

}  // namespace hone
