#include "runtime/placement.h"

#include <algorithm>

#include "base/text.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

Status add_subgraph(const Runtime& runtime, const ort::OrtEpAssignedSubgraph* subgraph,
                    std::map<std::string, EpShare>& shares) {
  const ort::Api& api = runtime.api();
  const char* ep = nullptr;
  const ort::OrtEpAssignedNode* const* nodes = nullptr;
  std::size_t count = 0;
  HONE_TRY_DO(runtime.check(api.EpAssignedSubgraph_GetEpName(subgraph, &ep), "cannot read the EP"));
  HONE_TRY_DO(runtime.check(api.EpAssignedSubgraph_GetNodes(subgraph, &nodes, &count),
                            "cannot read nodes"));
  EpShare& share = shares[ep_short_name(ep)];
  share.ep = ep_short_name(ep);
  share.nodes += count;
  share.subgraphs += 1;
  for (std::size_t i = 0; i < count; ++i) {
    const char* op = nullptr;
    HONE_TRY_DO(
        runtime.check(api.EpAssignedNode_GetOperatorType(nodes[i], &op), "cannot read an op type"));
    ++share.op_counts[to_utf8(op)];
  }
  return done();
}

Placement not_known(std::string reason) {
  Placement placement;
  placement.reason = std::move(reason);
  return placement;
}

}  // namespace

Placement read_placement(const Runtime& runtime, const ort::OrtSession* session,
                         const std::string& own_ep) {
  if (!runtime.features().assignment_info) {
    return not_known("ONNX Runtime " + runtime.version() + " does not tell; 1.24 does");
  }
  const ort::OrtEpAssignedSubgraph* const* subgraphs = nullptr;
  std::size_t count = 0;
  Status status =
      runtime.check(runtime.api().Session_GetEpGraphAssignmentInfo(session, &subgraphs, &count),
                    "cannot read the placement");
  std::map<std::string, EpShare> shares;
  for (std::size_t i = 0; status && i < count; ++i)
    status = add_subgraph(runtime, subgraphs[i], shares);
  if (!status) return not_known(status.error().cause);

  Placement placement;
  placement.known = true;
  shares[own_ep].ep = own_ep;
  for (auto& [name, share] : shares) placement.shares.push_back(std::move(share));
  std::stable_sort(placement.shares.begin(), placement.shares.end(),
                   [&](const EpShare& a, const EpShare& b) {
                     if ((a.ep == own_ep) != (b.ep == own_ep)) return a.ep == own_ep;
                     return a.nodes > b.nodes;
                   });
  return placement;
}

}  // namespace hone
