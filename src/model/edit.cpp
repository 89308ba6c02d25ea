#include "model/edit.h"

#include <unordered_map>

#include "base/text.h"

namespace hone {
namespace {

void collect_dependencies(const Node& node, const Graph& graph, std::vector<Node*>& found) {
  for (const Value* input : node.inputs()) {
    if (input != nullptr && input->producer() != nullptr && &input->graph() == &graph) {
      found.push_back(input->producer());
    }
  }
  for (const Graph* subgraph : node.subgraphs()) {
    for (const Node& inner : subgraph->nodes()) collect_dependencies(inner, graph, found);
    for (const Value* output : subgraph->outputs()) {
      if (output->producer() != nullptr && &output->graph() == &graph)
        found.push_back(output->producer());
    }
  }
}

// Depth-first with an own stack: a chain of a hundred thousand nodes must not use up the thread's.
class Sorter {
 public:
  explicit Sorter(Graph& graph) : graph_(graph) {}

  Result<std::vector<Node*>> sort() {
    for (Node& node : graph_.nodes()) HONE_TRY_DO(place(node));
    return std::move(order_);
  }

 private:
  enum class Mark { open, placed };
  struct Frame {
    Node* node;
    std::vector<Node*> dependencies;
    std::size_t next = 0;
  };

  void open(Node& node) {
    marks_[&node] = Mark::open;
    Frame& frame = stack_.emplace_back(Frame{&node, {}, 0});
    collect_dependencies(node, graph_, frame.dependencies);
  }

  Status place(Node& root) {
    if (marks_.contains(&root)) return done();
    open(root);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.next == frame.dependencies.size()) {
        marks_[frame.node] = Mark::placed;
        order_.push_back(frame.node);
        stack_.pop_back();
        continue;
      }
      Node* dependency = frame.dependencies[frame.next++];
      const auto mark = marks_.find(dependency);
      if (mark == marks_.end()) {
        open(*dependency);
      } else if (mark->second == Mark::open) {
        return fail(Fault::bad_input,
                    describe(*dependency) + " needs its own output: the graph has a cycle");
      }
    }
    return done();
  }

  Graph& graph_;
  std::unordered_map<const Node*, Mark> marks_;
  std::vector<Frame> stack_;
  std::vector<Node*> order_;
};

bool is_dead(const Node& node) {
  bool makes_something = false;
  for (const Value* output : node.outputs()) {
    if (output == nullptr) continue;
    if (output->is_used()) return false;
    makes_something = true;
  }
  return makes_something;
}

std::size_t remove_dead_nodes_once(Graph& graph) {
  std::size_t removed = 0;
  const std::vector<Node*> nodes = graph.node_list();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (is_dead(**node)) {
      graph.remove_node(**node);
      ++removed;
      continue;
    }
    for (Graph* subgraph : (*node)->subgraphs()) removed += remove_dead_nodes(*subgraph);
  }
  return removed;
}

}  // namespace

Result<std::vector<Node*>> topological_order(Graph& graph) { return Sorter(graph).sort(); }

Status sort_topologically(Graph& graph) {
  HONE_TRY(const std::vector<Node*> order, topological_order(graph));
  graph.reorder(order);
  for (Node* node : order) {
    for (Graph* subgraph : node->subgraphs()) HONE_TRY_DO(sort_topologically(*subgraph));
  }
  return done();
}

void sort_values(Model& model) {
  for_each_graph(model, [](Graph& graph) { graph.sort_values(); });
}

std::size_t remove_dead_nodes(Graph& graph) {
  // One pass from the back suffices for a sorted graph; others settle after a few.
  std::size_t total = 0;
  while (const std::size_t removed = remove_dead_nodes_once(graph)) total += removed;
  return total;
}

std::size_t remove_unused_initializers(Graph& graph) {
  std::size_t removed = 0;
  for (Value* value : graph.values()) {
    const bool is_weight = value->initializer() || value->sparse_initializer();
    if (!is_weight || value->is_used() || value->is_graph_input()) continue;
    graph.remove_value(*value);
    ++removed;
  }
  for (Node& node : graph.nodes()) {
    for (Graph* subgraph : node.subgraphs()) removed += remove_unused_initializers(*subgraph);
  }
  return removed;
}

}  // namespace hone
