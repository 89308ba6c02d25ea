#pragma once
// What rules say of every node of a model.

#include <string>
#include <vector>

#include "inspect/coverage/rules.h"
#include "model/model.h"
#include "record/coverage.h"

namespace hone {

struct CoverageQuestion {
  std::string ep;           // the short name
  std::string device;       // cpu, gpu, npu; auto: the first the rules speak of
  std::string ort_version;  // of the runtime here; empty: not known
};

// `rules` is what find_rules gives; null: every node that no rule is needed for is unknown. Types
// and shapes should be inferred before (runtime/infer.h): what is not known is not claimed.
CoverageFacts cover(const Model& model, const NamedRules* rules, const CoverageQuestion& question);

// The nodes in the order of CoverageFacts::nodes: those inside subgraphs behind the node that holds
// them. Bodies of functions are left out, the nodes that call them are not.
std::vector<const Node*> covered_nodes(const Model& model);

// Fills counts and ops from nodes.
void sum_up(CoverageFacts& facts);

}  // namespace hone
