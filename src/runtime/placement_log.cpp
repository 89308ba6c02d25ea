#include "runtime/placement_log.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "model/model.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

// Nodes that ONNX Runtime has to place: Constants become initializers before.
std::uint64_t nodes_to_place(const Path& path) {
  const auto model = load_model(path);
  if (!model) return 0;
  return static_cast<std::uint64_t>(std::ranges::count_if(
      model->graph->nodes(), [](const Node& node) { return !node.is("Constant"); }));
}

std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + before.size());
  return text.substr(0, text.find(after));
}

}  // namespace

// " All nodes placed on [CPUExecutionProvider]. Number of nodes: 79", or for several EPs each
// " Node(s) placed on [WebGpuExecutionProvider]. Number of nodes: 389" with lines "  Conv (name)".
void PlacementLog::hear(std::string_view line) {
  const std::string_view ep = between(line, "placed on [", "]. Number of nodes: ");
  if (!ep.empty()) {
    const std::string_view count = between(line, "]. Number of nodes: ", "\n");
    const std::string name = ep_short_name(std::string(ep));
    current_ = &shares_[name];
    current_->ep = name;
    current_->op_counts.clear();
    std::from_chars(count.data(), count.data() + count.size(), current_->nodes);
    current_->subgraphs = current_->nodes;
    return;
  }
  const std::size_t name = line.find(" (");
  const bool is_node = current_ != nullptr && line.starts_with("  ") &&
                       name != std::string_view::npos && line.ends_with(")");
  if (!is_node) {
    current_ = nullptr;
    return;
  }
  ++current_->op_counts[to_utf8(line.substr(2, name - 2))];
}

Placement PlacementLog::placement(const std::string& own_ep) const {
  Placement placement;
  placement.known = !shares_.empty();
  if (!placement.known) placement.reason = "ONNX Runtime did not log it";
  std::map<std::string, EpShare> shares = shares_;
  shares[own_ep].ep = own_ep;
  for (auto& [name, share] : shares) placement.shares.push_back(std::move(share));
  std::ranges::stable_sort(placement.shares, [&](const EpShare& a, const EpShare& b) {
    if ((a.ep == own_ep) != (b.ep == own_ep)) return a.ep == own_ep;
    return a.nodes > b.nodes;
  });
  return placement;
}

Placement whole_placement(const std::shared_ptr<Runtime>& runtime, const Path& model,
                          const SessionSettings& settings, Placement recorded) {
  const std::string own_ep = ep_short_name(settings.target.ep);
  // Optimizing takes some nodes away, and hardly ever half of them.
  const bool is_whole = own_ep == "cpu" || 2 * recorded.total_nodes() >= nodes_to_place(model);
  if (recorded.known && is_whole) return recorded;
  SessionSettings verbose = settings;
  verbose.profile_prefix.clear();
  verbose.options.insert_or_assign("log_severity_level", "0");
  PlacementLog log;
  runtime->listen([&log](std::string_view line) { log.hear(line); });
  const auto session = Session::open(runtime, model, verbose);
  runtime->listen({});
  Placement logged = log.placement(own_ep);
  return session && logged.known && logged.total_nodes() > recorded.total_nodes() ? logged
                                                                                  : recorded;
}

}  // namespace hone
