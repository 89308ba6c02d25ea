#pragma once
// Opset conversion: the same model said in the operators of another opset.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "record/convert.h"

namespace hone {

struct ConversionReport {
  int from = 0;
  int to = 0;
  std::int64_t ir_from = 0;
  std::int64_t ir_to = 0;
  std::size_t changed_nodes = 0;       // nodes that could not stay as they were written
  std::vector<OpsetChange> changes{};  // by op and kind of change, most frequent first
  std::vector<std::string> notes{};    // what the older definition left open, and how it was read
};

// Rewrites the nodes of the default domain (main graph, subgraphs, functions) for opset `to`, 9 to
// 25; nodes of other domains stay. Every rewrite keeps the meaning of the node; one that cannot is
// an error naming the node, its op and the reason, and then the model has not been touched: the
// work is done on a clone that replaces the model at the very end. So pointers into the model end
// with a successful call.
//
// Going up and down again gives the same model where the nodes are written the usual way: an
// attribute that became an input comes back as the attribute, and no attribute is added that the
// way back would not remove.
//
// The IR version is raised to the one the opset was released with (21 needs 10). Going down it
// falls to that of the older opset, or as low as functions, overloads and element types allow: a
// runtime old enough to need the older opset refuses a file with the newer IR version.
Result<ConversionReport> convert_opset(Model& model, int to);

// The IR version that was current when the opset was released.
std::int64_t ir_version_of_opset(int opset);

}  // namespace hone
