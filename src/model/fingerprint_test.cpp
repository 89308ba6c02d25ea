#include "model/fingerprint.h"

#include <gtest/gtest.h>

#include "model/edit.h"

namespace hone {
namespace {

// y = (x * w) + b, written with the names and in the order that a case asks for.
struct Recipe {
  std::string prefix;
  bool add_first = false;
  std::vector<float> weight = {1, 2};
  std::string symbol = "N";
  std::string combine = "Add";
};

Model build(const Recipe& recipe) {
  Model model;
  model.set_opset("", 17);
  Graph& graph = *model.graph;
  Shape shape(1);
  shape[0].symbol = recipe.symbol;
  Value& x = graph.add_value(recipe.prefix + "x", Type::tensor(ElementType::float32, shape));
  graph.add_input(x);
  Value& w = graph.add_initializer(make_float_tensor(recipe.prefix + "w", recipe.weight));
  Value& b = graph.add_initializer(make_float_tensor(recipe.prefix + "b", recipe.weight));
  Value& t = graph.add_value(recipe.prefix + "t");
  Value& y = graph.add_value(recipe.prefix + "y");
  graph.add_output(y);
  const auto add = [&] {
    graph.add_node(recipe.combine, {&t, &b}, {&y}).name = recipe.prefix + "add";
  };
  if (recipe.add_first) add();
  graph.add_node("Mul", {&x, &w}, {&t}).name = recipe.prefix + "mul";
  if (!recipe.add_first) add();
  return model;
}

Digest content(const Recipe& recipe) { return *content_fingerprint(build(recipe)); }
Digest structure(const Recipe& recipe) { return structure_fingerprint(build(recipe)); }

TEST(Fingerprint, DoesNotDependOnNamesOrOrder) {
  const Recipe plain;
  Recipe other;
  other.prefix = "net/";
  other.add_first = true;
  other.symbol = "batch";
  EXPECT_EQ(content(plain), content(other));
  EXPECT_EQ(structure(plain), structure(other));
}

TEST(Fingerprint, DoesNotDependOnDocumentationMetadataOrProducer) {
  Model model = build({});
  model.producer_name = "someone";
  model.metadata.emplace_back("k", "v");
  model.graph->doc = "words";
  model.graph->nodes().front().doc = "words";
  model.set_opset("unused.domain", 3);
  EXPECT_EQ(*content_fingerprint(model), content({}));
}

TEST(Fingerprint, ContentSeesWeightBytesAndStructureDoesNot) {
  Recipe other;
  other.weight = {1, 3};
  EXPECT_EQ(structure(other), structure({}));
  EXPECT_NE(content(other), content({}));
}

TEST(Fingerprint, SeesShapesOpsAttributesAndOpsets) {
  Recipe longer;
  longer.weight = {1, 2, 3};
  EXPECT_NE(structure(longer), structure({}));
  Recipe another_op;
  another_op.combine = "Sub";
  EXPECT_NE(structure(another_op), structure({}));
  Model attributed = build({});
  attributed.graph->nodes().front().set_attribute(make_attribute("axis", std::int64_t{1}));
  EXPECT_NE(structure_fingerprint(attributed), structure({}));
  Model newer = build({});
  newer.set_opset("", 18);
  EXPECT_NE(structure_fingerprint(newer), structure({}));
}

TEST(Fingerprint, SeesWhichInputIsWhich) {
  Model swapped = build({});
  Node& mul = swapped.graph->nodes().front();
  mul.set_inputs({mul.input(1), mul.input(0)});
  EXPECT_NE(structure_fingerprint(swapped), structure({}));
}

TEST(Fingerprint, SeesADuplicatedNode) {
  Model model = build({});
  Node& mul = model.graph->nodes().front();
  model.graph->add_node("Mul", mul.inputs(), {&model.graph->add_value("twice")});
  EXPECT_NE(structure_fingerprint(model), structure({}));
}

TEST(Fingerprint, DoesNotDependOnWhereAWeightIsStored) {
  Model model = build({});
  Tensor tensor = *model.graph->find("w")->initializer();
  tensor.external = ExternalData{"somewhere", 64, tensor.byte_size(), {}};
  model.graph->set_initializer(*model.graph->find("w"), std::make_shared<const Tensor>(tensor));
  EXPECT_EQ(*content_fingerprint(model), content({}));
}

TEST(Fingerprint, AConstantNodesTensorIsAWeight) {
  const auto with_constant = [](float number) {
    Model model = build({});
    const float values[] = {number};
    Node& node = model.graph->add_node("Constant", {}, {&model.graph->add_value("c")});
    node.set_attribute(make_attribute("value", make_float_tensor("", values)));
    return model;
  };
  EXPECT_EQ(structure_fingerprint(with_constant(1)), structure_fingerprint(with_constant(2)));
  EXPECT_NE(*content_fingerprint(with_constant(1)), *content_fingerprint(with_constant(2)));
}

TEST(Fingerprint, SeesInsideSubgraphsAndWhatTheyCapture) {
  const auto with_branch = [](std::string_view captured) {
    Model model = build({});
    auto body = std::make_unique<Graph>(model.graph.get());
    Value& inside = body->add_value("inside");
    body->add_node("Neg", {model.graph->find(captured)}, {&inside});
    body->add_output(inside);
    Node& node =
        model.graph->add_node("If", {model.graph->find("x")}, {&model.graph->add_value("z")});
    Attribute attribute;
    attribute.name = "then_branch";
    attribute.held = std::move(body);
    node.set_attribute(std::move(attribute));
    return structure_fingerprint(model);
  };
  EXPECT_NE(with_branch("t"), with_branch("y"));
  EXPECT_EQ(with_branch("t"), with_branch("t"));
}

TEST(Fingerprint, AFunctionCountsByItsBody) {
  const auto with_function = [](std::string op) {
    Model model = build({});
    model.graph->add_node("F", {model.graph->find("x")}, {&model.graph->add_value("z")}).domain =
        "local";
    Function function;
    function.domain = "local";
    function.name = "F";
    function.body = std::make_unique<Graph>();
    Value& a = function.body->add_value("a");
    Value& b = function.body->add_value("b");
    function.body->add_input(a);
    function.body->add_node(std::move(op), {&a}, {&b});
    function.body->add_output(b);
    model.functions.push_back(std::move(function));
    return structure_fingerprint(model);
  };
  EXPECT_NE(with_function("Relu"), with_function("Neg"));
}

}  // namespace
}  // namespace hone
