//   Before:  If(true) <then_branch = a, else_branch = b> -> y
//   After:   the nodes of a -> y
//   Exporters ask what a shape is ("is it of one dimension?") with an If; where shapes are static
//   the answer is a constant.
//   Declines nothing: a condition that is computed is no constant yet.
#include "model/inline_branch.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

// The branch that is taken; null when that is not known.
const Graph* taken_branch(const Node& node) {
  const auto condition = node.input(0) != nullptr ? ints_of(node.input(0)) : std::nullopt;
  if (!condition || condition->size() != 1) return nullptr;
  const Attribute* branch = node.attribute(condition->front() != 0 ? "then_branch" : "else_branch");
  const auto graphs = branch != nullptr ? branch->graphs() : std::vector<Graph*>();
  return graphs.size() == 1 && graphs.front()->inputs().empty() ? graphs.front() : nullptr;
}

Status run(Rewriter& rewriter) {
  for (Node* node : rewriter.nodes("If")) {
    const Graph* branch = node->is_removed() ? nullptr : taken_branch(*node);
    if (branch == nullptr || branch->outputs().size() != node->outputs().size()) continue;
    const std::vector<Value*> made = inline_branch(*node, *branch);
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (node->output(i) != nullptr) rewriter.replace(*node->output(i), *made[i]);
    }
  }
  return done();
}

}  // namespace

Pass constant_if_elimination() {
  return {.name = "constant-if-elimination",
          .summary = "Take the branch of an If whose condition is a constant",
          .category = "shape",
          .numerics = Numerics::bitwise,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
