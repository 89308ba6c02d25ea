#include "ep/sim/claim.h"

#include <unordered_map>

#include "ep/sim/context.h"
#include "ep/sim/groups.h"
#include "ep/sim/nested_model.h"
#include "ep/sim/sim.h"

namespace hone::ep::sim {
namespace {

// Why a node is left to others, or nothing when it is taken.
using Reason = std::optional<std::string>;

Result<Reason> reason_to_decline(const Ort& ort, const GraphNode& node, const Profile& profile,
                                 bool is_top) {
  HONE_TRY(const char* taken_by, ask<const char*>(ort, ort.api.Node_GetEpName, node.handle));
  if (taken_by && *taken_by) return Reason("already taken by " + std::string(taken_by));
  if (!is_top) return Reason("it is inside a subgraph");
  if (is_context_node(node)) {
    HONE_TRY(const std::string source, string_attribute(ort, node.handle, "source"));
    if (source == provider_name) return Reason();
    return Reason("compiled for '" + source + "'");
  }
  HONE_TRY(Reason obstacle, obstacle_to_nesting(ort, node));
  if (obstacle) return obstacle;
  return reason_against(profile, node);
}

// The graph as group_supported() wants it.
class Edges {
 public:
  GroupingNode add(const GraphNode& node, std::size_t index, bool is_supported) {
    GroupingNode entry;
    entry.is_supported = is_supported;
    for (const auto& input : node.inputs) {
      if (input) connect(entry, input->name);
    }
    for (const std::string& name : node.implicit_inputs) connect(entry, name);
    for (const auto& output : node.outputs) {
      if (output) producers_[output->name] = index;
    }
    return entry;
  }

 private:
  void connect(GroupingNode& entry, const std::string& value) const {
    const auto producer = producers_.find(value);
    if (producer != producers_.end()) entry.predecessors.push_back(producer->second);
  }
  std::unordered_map<std::string, std::size_t> producers_;
};

std::string label(const GraphNode& node) {
  return node.name.empty() ? node.described() : node.name;
}

}  // namespace

Result<Claim> decide(const Ort& ort, const OrtGraph* graph, const Profile& profile) {
  HONE_TRY(const auto nodes, read_nodes(ort, graph));
  HONE_TRY(const bool is_top, is_top_level(ort, graph));
  Claim claim;
  claim.report.profile = profile.name;
  Edges edges;
  std::vector<GroupingNode> grouping;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    HONE_TRY(const Reason reason, reason_to_decline(ort, nodes[i], profile, is_top));
    // A context is compiled already and joins nothing.
    const bool is_context = !reason && is_context_node(nodes[i]);
    grouping.push_back(edges.add(nodes[i], i, !reason && !is_context));
    if (reason) claim.report.declined.push_back({label(nodes[i]), nodes[i].op, *reason});
    if (is_context) {
      claim.contexts.push_back(nodes[i].handle);
      claim.report.groups.push_back({label(nodes[i])});
    }
  }
  for (const auto& group : group_supported(grouping)) {
    auto& handles = claim.groups.emplace_back();
    auto& names = claim.report.groups.emplace_back();
    for (const std::size_t index : group) {
      handles.push_back(nodes[index].handle);
      names.push_back(label(nodes[index]));
    }
  }
  return claim;
}

Status hand_in(const Ort& ort, const Claim& claim, OrtEpGraphSupportInfo* support) {
  const auto add = [&](const OrtNode* const* nodes, std::size_t count, bool drop_constants) {
    const OrtNodeFusionOptions options{.drop_constant_initializers = drop_constants};
    return check(ort, ort.ep.EpGraphSupportInfo_AddNodesToFuse(support, nodes, count, &options));
  };
  for (const auto& group : claim.groups) HONE_TRY_DO(add(group.data(), group.size(), true));
  for (const OrtNode* context : claim.contexts) HONE_TRY_DO(add(&context, 1, false));
  return done();
}

}  // namespace hone::ep::sim
