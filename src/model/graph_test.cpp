#include "model/graph.h"

#include <gtest/gtest.h>

#include "model/edit.h"
#include "model/model.h"
#include "model/text/text.h"

namespace hone {
namespace {

// x -> Relu -> a -> Neg -> y
struct Chain {
  Graph graph;
  Value& x = graph.add_value("x");
  Value& a = graph.add_value("a");
  Value& y = graph.add_value("y");
  Node& relu = graph.add_node("Relu", {&x}, {&a});
  Node& neg = graph.add_node("Neg", {&a}, {&y});
  Chain() {
    graph.add_input(x);
    graph.add_output(y);
  }
};

TEST(Graph, KnowsProducerAndUsesOfEveryValue) {
  Chain chain;
  EXPECT_EQ(chain.a.producer(), &chain.relu);
  ASSERT_EQ(chain.a.uses().size(), 1u);
  EXPECT_EQ(chain.a.uses()[0], (Use{&chain.neg, 0}));
  EXPECT_TRUE(chain.y.is_graph_output());
  EXPECT_TRUE(chain.x.is_graph_input());
}

TEST(Graph, HasTheSameBytesOnceItsValuesAreSortedWhateverOrderTheyWereMadeIn) {
  const auto bytes_of = [](const std::string& weights) {
    Model model = parse_text("g (float[1] x) => (float[1] y) <" + weights +
                             "> { t = Mul(x, a) u = Add(t, b) y = Sub(u, c) }")
                      .value();
    sort_values(model);
    return serialize(model).value();
  };
  EXPECT_EQ(bytes_of("float[1] a = {1}, float[1] b = {2}, float[1] c = {3}"),
            bytes_of("float[1] c = {3}, float[1] a = {1}, float[1] b = {2}"));
}

TEST(Graph, KeepsUseListsRightWhenAnInputIsReplaced) {
  Chain chain;
  chain.neg.set_input(0, &chain.x);
  EXPECT_TRUE(chain.a.uses().empty());
  EXPECT_EQ(chain.x.uses().size(), 2u);
  chain.neg.set_input(2, &chain.a);
  EXPECT_EQ(chain.neg.input(1), nullptr);
  EXPECT_EQ(chain.a.uses()[0].index, 2u);
}

TEST(Graph, ReplacingAGraphOutputKeepsItsName) {
  Chain chain;
  chain.graph.replace_uses(chain.y, chain.a);
  chain.graph.remove_node(chain.neg);
  ASSERT_EQ(chain.graph.outputs().size(), 1u);
  EXPECT_EQ(chain.graph.outputs()[0]->name(), "y");
  EXPECT_EQ(chain.graph.outputs()[0]->producer(), &chain.relu);
}

TEST(Graph, ReplacingAnOutputByAnInputKeepsTheInputsNameToo) {
  Chain chain;
  chain.graph.replace_uses(chain.y, chain.x);
  EXPECT_EQ(chain.graph.outputs()[0]->name(), "x");
}

TEST(Graph, ARemovedNodeLeavesNoTraceInUseListsAndNames) {
  Chain chain;
  chain.neg.set_input(0, &chain.x);
  chain.graph.remove_node(chain.relu);
  EXPECT_TRUE(chain.relu.is_removed());
  EXPECT_TRUE(chain.a.is_removed());
  EXPECT_EQ(chain.graph.find("a"), nullptr);
  EXPECT_EQ(chain.x.uses().size(), 1u);
  EXPECT_EQ(chain.graph.nodes().size(), 1u);
}

TEST(Graph, NewValuesNeverTakeANameThatAnyGraphOfTheTreeHas) {
  Graph outer;
  outer.declare_value("t");
  Graph inner(&outer);
  inner.declare_value("u");
  EXPECT_EQ(inner.add_value("t").name(), "t_1");
  EXPECT_EQ(outer.add_value("u").name(), "u_1");
  EXPECT_EQ(outer.add_value("").name(), "value");
}

TEST(Graph, ASubgraphsUseOfAnOuterValueIsInTheOuterUseListUntilItsNodeGoes) {
  Chain chain;
  auto body = std::make_unique<Graph>(&chain.graph);
  Value& inside = body->add_value("inside");
  body->add_node("Abs", {&chain.a}, {&inside});
  body->add_output(inside);
  Value& out = chain.graph.add_value("out");
  Node& branch = chain.graph.add_node("If", {&chain.x}, {&out});
  Attribute attribute;
  attribute.name = "then_branch";
  attribute.held = std::move(body);
  branch.set_attribute(std::move(attribute));

  EXPECT_EQ(chain.a.uses().size(), 2u);
  chain.graph.remove_node(branch);
  EXPECT_EQ(chain.a.uses().size(), 1u);
  EXPECT_EQ(chain.x.uses().size(), 1u);
}

TEST(Graph, AValueIsConstantOnlyWhenNoCallerCanOverrideIt) {
  Graph graph;
  const std::int64_t two[] = {2};
  Value& weight = graph.add_initializer(make_int64_tensor("w", two));
  EXPECT_NE(weight.constant(), nullptr);
  graph.add_input(weight);
  EXPECT_EQ(weight.constant(), nullptr);

  Value& made = graph.add_value("c");
  Node& node = graph.add_node("Constant", {}, {&made});
  node.set_attribute(make_attribute("value", make_int64_tensor("", two)));
  EXPECT_NE(made.constant(), nullptr);
}

TEST(Edit, SortsNodesThatStandBeforeWhatTheyNeedAndMovesNothingElse) {
  Graph graph;
  Value& x = graph.add_value("x");
  Value& a = graph.add_value("a");
  Value& b = graph.add_value("b");
  Value& c = graph.add_value("c");
  Node& last = graph.add_node("Add", {&a, &b}, {&c});
  Node& first = graph.add_node("Relu", {&x}, {&a});
  Node& second = graph.add_node("Abs", {&x}, {&b});
  ASSERT_TRUE(sort_topologically(graph));
  EXPECT_EQ(graph.node_list(), (std::vector<Node*>{&first, &second, &last}));
}

TEST(Edit, SortingPutsANodeBehindWhatItsSubgraphCaptures) {
  Graph graph;
  Value& x = graph.add_value("x");
  Value& late = graph.add_value("late");
  Value& out = graph.add_value("out");
  Node& branch = graph.add_node("If", {&x}, {&out});
  Node& maker = graph.add_node("Relu", {&x}, {&late});
  auto body = std::make_unique<Graph>(&graph);
  Value& inside = body->add_value("inside");
  body->add_node("Abs", {&late}, {&inside});
  body->add_output(inside);
  Attribute attribute;
  attribute.name = "then_branch";
  attribute.held = std::move(body);
  branch.set_attribute(std::move(attribute));
  ASSERT_TRUE(sort_topologically(graph));
  EXPECT_EQ(graph.node_list(), (std::vector<Node*>{&maker, &branch}));
}

TEST(Edit, ACycleIsAnErrorThatNamesANodeInIt) {
  Graph graph;
  Value& a = graph.add_value("a");
  Value& b = graph.add_value("b");
  graph.add_node("Relu", {&a}, {&b}).name = "r";
  graph.add_node("Neg", {&b}, {&a}).name = "n";
  const auto sorted = sort_topologically(graph);
  ASSERT_FALSE(sorted);
  EXPECT_EQ(sorted.error().what, "node 'r' (Relu) needs its own output: the graph has a cycle");
}

TEST(Edit, SortsAChainOfAHundredThousandNodesWithoutUsingTheStack) {
  Graph graph;
  Value* next = &graph.add_value("v");
  for (int i = 0; i < 100'000; ++i) {
    Value* before = &graph.add_value("v");
    graph.add_node("Relu", {before}, {next});  // backwards: the last node of the chain comes first
    next = before;
  }
  EXPECT_TRUE(sort_topologically(graph));
}

TEST(Edit, RemovesWhatNobodyUsesToAFixedPoint) {
  Chain chain;
  Value& p = chain.graph.add_value("p");
  Value& q = chain.graph.add_value("q");
  chain.graph.add_node("Abs", {&chain.x}, {&p});
  chain.graph.add_node("Abs", {&p}, {&q});
  const float one[] = {1};
  chain.graph.add_initializer(make_float_tensor("unused", one));
  Value& overridable = chain.graph.add_initializer(make_float_tensor("overridable", one));
  chain.graph.add_input(overridable);

  EXPECT_EQ(remove_dead_nodes(chain.graph), 2u);
  EXPECT_EQ(remove_unused_initializers(chain.graph), 1u);
  EXPECT_EQ(chain.graph.find("unused"), nullptr);
  EXPECT_NE(chain.graph.find("overridable"), nullptr);
  EXPECT_EQ(chain.graph.nodes().size(), 2u);
}

TEST(Clone, IsEqualAndIndependent) {
  Model model;
  model.ir_version = 8;
  model.set_opset("", 17);
  Value& x = model.graph->add_value("x");
  Value& y = model.graph->add_value("y");
  model.graph->add_input(x);
  model.graph->add_node("Relu", {&x}, {&y});
  model.graph->add_output(y);
  Model copy = clone(model);
  EXPECT_EQ(*serialize(copy), *serialize(model));
  copy.graph->nodes().front().op_type = "Neg";
  EXPECT_EQ(model.graph->nodes().front().op_type, "Relu");
}

}  // namespace
}  // namespace hone
