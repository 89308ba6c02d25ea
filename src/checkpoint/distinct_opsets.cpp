#include "checkpoint/distinct_opsets.h"

#include <optional>

#include "base/hash.h"
#include "checkpoint/export.h"
#include "model/fingerprint.h"

namespace hone {
namespace {

// Of all its graphs, as if they were of one opset.
Result<Digest> digest_without_opset(const Path& folder, const ExportChoice& choice) {
  HONE_TRY(ExportedCheckpoint made, export_checkpoint(folder, choice));
  Sha256 hash;
  for (ExportedGraph& graph : made.graphs) {
    graph.model.set_opset("", 0);
    graph.model.ir_version = 0;
    hash.add_field(structure_fingerprint(graph.model).view());
  }
  return hash.finish();
}

}  // namespace

Result<std::set<std::int64_t>> distinct_opsets(const Path& folder, const std::string& weights_file,
                                               GraphForm form, OpsetRange range) {
  std::set<std::int64_t> distinct;
  std::optional<Digest> before;
  for (std::int64_t opset = range.first; opset <= range.last; ++opset) {
    HONE_TRY(const Digest digest,
             digest_without_opset(
                 folder, {.weights_file = weights_file, .net = {.opset = opset, .form = form}}));
    if (before != digest) distinct.insert(opset);
    before = digest;
  }
  return distinct;
}

}  // namespace hone
