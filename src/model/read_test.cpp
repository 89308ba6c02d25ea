// Reading: every message ONNX defines, and files that want to do harm. Messages are built field by
// field, because no well-behaved writer produces most of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"
#include "model/rope.h"
#include "model/wire.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using writing::Rope;

std::string bytes_of(Rope rope) {
  std::string all;
  for (const Blob& piece : rope.pieces()) all += piece.view();
  return all;
}

Rope graph_with(const std::function<void(Rope&)>& fill) {
  Rope graph;
  fill(graph);
  return graph;
}

std::string model_with(Rope graph) {
  Rope model;
  model.add_int(wire::model::ir_version, 10);
  model.add_message(wire::model::graph, std::move(graph));
  return bytes_of(std::move(model));
}

Result<Model> parse(std::string bytes) { return parse_model(Blob::own(std::move(bytes)), "."); }

std::string cause_of(std::string bytes) {
  const auto model = parse(std::move(bytes));
  return model ? "it was read" : model.error().cause;
}

Rope node(std::string_view op, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  Rope rope;
  for (const auto& input : inputs) rope.add_bytes(wire::node::input, input);
  for (const auto& output : outputs) rope.add_bytes(wire::node::output, output);
  rope.add_text(wire::node::op_type, op);
  return rope;
}

Rope tensor_of(ElementType type, std::vector<std::int64_t> dims, std::string_view name = "w") {
  Rope rope;
  for (const auto dim : dims) rope.add_int(wire::tensor::dims, dim);
  rope.add_int(wire::tensor::data_type, static_cast<int>(type));
  rope.add_text(wire::tensor::name, name);
  return rope;
}

Result<Model> parse_initializer(Rope tensor) {
  Rope graph;
  graph.add_message(wire::graph::initializer, std::move(tensor));
  return parse(model_with(std::move(graph)));
}

std::string cause_of_initializer(Rope tensor) {
  const auto model = parse_initializer(std::move(tensor));
  return model ? "it was read" : model.error().cause;
}

// ---- what must be read

TEST(Reader, TakesTensorDataFromWhicheverFieldHoldsIt) {
  Rope varints = tensor_of(ElementType::int8, {2});
  varints.add_int(wire::tensor::int32_data, 5);
  varints.add_int(wire::tensor::int32_data, -2);
  auto model = parse_initializer(std::move(varints));
  ASSERT_TRUE(model) << model.error().cause;
  EXPECT_THAT(*to_ints(*model->graph->find("w")->initializer()), ElementsAre(5, -2));

  Rope packed = tensor_of(ElementType::int64, {2});
  packed.add_bytes(wire::tensor::int64_data, "\x07\x80\x01");
  model = parse_initializer(std::move(packed));
  ASSERT_TRUE(model) << model.error().cause;
  EXPECT_THAT(*to_ints(*model->graph->find("w")->initializer()), ElementsAre(7, 128));

  Rope floats = tensor_of(ElementType::float32, {2});
  floats.add_float(wire::tensor::float_data, 1.5f);
  floats.add_float(wire::tensor::float_data, -2.0f);
  model = parse_initializer(std::move(floats));
  ASSERT_TRUE(model) << model.error().cause;
  EXPECT_THAT(*to_doubles(*model->graph->find("w")->initializer()), ElementsAre(1.5, -2.0));
}

TEST(Reader, ReadsStringTensors) {
  Rope strings = tensor_of(ElementType::string, {2});
  strings.add_bytes(wire::tensor::string_data, "a");
  strings.add_bytes(wire::tensor::string_data, "");
  const auto model = parse_initializer(std::move(strings));
  ASSERT_TRUE(model) << model.error().cause;
  EXPECT_THAT(model->graph->find("w")->initializer()->strings, ElementsAre("a", ""));
}

TEST(Reader, InitializersAreViewsIntoTheFile) {
  Rope raw = tensor_of(ElementType::float32, {1});
  raw.add_bytes(wire::tensor::raw_data, std::string("\0\0\x80\x3F", 4));
  Rope graph;
  graph.add_message(wire::graph::initializer, std::move(raw));
  const Blob file = Blob::own(model_with(std::move(graph)));
  const auto model = parse_model(file, ".");
  ASSERT_TRUE(model);
  const std::string_view weight = *model->graph->find("w")->initializer()->bytes();
  EXPECT_GE(weight.data(), file.view().data());
  EXPECT_LE(weight.data() + weight.size(), file.view().data() + file.view().size());
}

TEST(Reader, LinksNodesThatAreOutOfOrder) {
  const auto model = parse(model_with(graph_with([](Rope& graph) {
    graph.add_message(wire::graph::node, node("Neg", {"a"}, {"y"}));
    graph.add_message(wire::graph::node, node("Relu", {"x"}, {"a"}));
  })));
  ASSERT_TRUE(model) << model.error().cause;
  EXPECT_EQ(model->graph->find("a")->producer()->op_type, "Relu");
  EXPECT_EQ(model->graph->find("a")->uses().size(), 1u);
}

TEST(Reader, ASubgraphSeesTheValuesAroundIt) {
  Rope body;
  body.add_message(wire::graph::node, node("Neg", {"x"}, {"inside"}));
  Rope attribute;
  attribute.add_text(wire::attribute::name, "body");
  attribute.add_message(wire::attribute::g, std::move(body));
  attribute.add_int(wire::attribute::type, 5);
  Rope loop = node("Loop", {"x"}, {"y"});
  loop.add_message(wire::node::attribute, std::move(attribute));
  Rope graph;
  graph.add_message(wire::graph::node, std::move(loop));
  graph.add_message(wire::graph::node, node("Relu", {""}, {"x"}));
  const auto model = parse(model_with(std::move(graph)));
  ASSERT_TRUE(model) << model.error().cause;
  EXPECT_EQ(model->graph->find("x")->uses().size(), 2u);
}

TEST(Reader, GuessesTheTypeOfAnAttributeThatDoesNotSayIt) {
  Rope attribute;
  attribute.add_text(wire::attribute::name, "axis");
  attribute.add_int(wire::attribute::i, 3);
  Rope made = node("Concat", {"x"}, {"y"});
  made.add_message(wire::node::attribute, std::move(attribute));
  Rope graph;
  graph.add_message(wire::graph::node, std::move(made));
  const auto model = parse(model_with(std::move(graph)));
  ASSERT_TRUE(model) << model.error().cause;
  EXPECT_EQ(model->graph->nodes().front().int_or("axis", 0), 3);
}

// A field number no version of ONNX has, in every message the reader knows.
TEST(Reader, FieldsItDoesNotKnowSurviveInEveryMessage) {
  constexpr std::uint32_t strange = 900;
  int planted = 0;
  const auto plant = [&](Rope& rope) {
    rope.add_text(strange, "mark" + std::to_string(planted++));
  };

  Rope dim;
  dim.add_text(wire::dim::param, "N");
  plant(dim);
  Rope shape;
  shape.add_message(wire::shape::dim, std::move(dim));
  plant(shape);
  Rope tensor_type;
  tensor_type.add_int(wire::tensor_type::element, 1);
  tensor_type.add_message(wire::tensor_type::shape, std::move(shape));
  plant(tensor_type);
  Rope type;
  type.add_message(wire::type::tensor, std::move(tensor_type));
  plant(type);
  Rope entry;
  entry.add_text(wire::entry::key, "k");
  plant(entry);
  Rope info;
  info.add_text(wire::value_info::name, "x");
  info.add_message(wire::value_info::type, std::move(type));
  info.add_message(wire::value_info::metadata, std::move(entry));
  plant(info);
  Rope attribute;
  attribute.add_text(wire::attribute::name, "a");
  attribute.add_int(wire::attribute::i, 1);
  plant(attribute);
  Rope relu = node("Relu", {"x"}, {"y"});
  relu.add_message(wire::node::attribute, std::move(attribute));
  plant(relu);
  Rope weight = tensor_of(ElementType::float32, {0});
  plant(weight);
  Rope graph;
  graph.add_message(wire::graph::node, std::move(relu));
  graph.add_message(wire::graph::input, std::move(info));
  graph.add_message(wire::graph::initializer, std::move(weight));
  plant(graph);
  Rope opset;
  opset.add_int(wire::opset::version, 17);
  plant(opset);
  Rope function;
  function.add_text(wire::function::name, "f");
  plant(function);
  Rope model;
  model.add_message(wire::model::graph, std::move(graph));
  model.add_message(wire::model::opset_import, std::move(opset));
  model.add_message(wire::model::functions, std::move(function));
  plant(model);

  const auto read = parse(bytes_of(std::move(model)));
  ASSERT_TRUE(read) << read.error().cause;
  const std::string written = *serialize(*read);
  for (int mark = 0; mark < planted; ++mark) {
    EXPECT_THAT(written, HasSubstr("mark" + std::to_string(mark)));
  }
}

// ---- what must be refused, with a reason

TEST(Reader, RefusesWhatIsNoModel) {
  EXPECT_EQ(cause_of(""), "the file is empty");
  EXPECT_THAT(cause_of("this is a text file, not a model"), HasSubstr("the encoding is broken"));
  Rope no_graph;
  no_graph.add_int(wire::model::ir_version, 8);
  EXPECT_EQ(cause_of(bytes_of(std::move(no_graph))), "it has no graph");
}

TEST(Reader, RefusesAFileThatEndsInTheMiddle) {
  const std::string whole = model_with(graph_with(
      [](Rope& graph) { graph.add_message(wire::graph::node, node("Relu", {"x"}, {"y"})); }));
  for (std::size_t length = 3; length < whole.size(); ++length) {
    EXPECT_FALSE(parse(whole.substr(0, length))) << length;
  }
}

TEST(Reader, RefusesATensorWhoseBytesAreNotAsManyAsItsShapeSays) {
  Rope tensor = tensor_of(ElementType::float32, {2, 3});
  tensor.add_bytes(wire::tensor::raw_data, "123");
  EXPECT_EQ(cause_of_initializer(std::move(tensor)), "tensor 'w' needs 24 bytes but holds 3");
}

TEST(Reader, RefusesShapesThatOverflow) {
  EXPECT_EQ(cause_of_initializer(tensor_of(ElementType::float32, {1ll << 40, 1ll << 40})),
            "tensor 'w' has a shape whose size is negative or does not fit 64 bits");
  EXPECT_EQ(cause_of_initializer(tensor_of(ElementType::float32, {-4})),
            "tensor 'w' has a shape whose size is negative or does not fit 64 bits");
}

TEST(Reader, AHugeShapeWithoutDataAllocatesNothing) {
  const auto model = parse_initializer(tensor_of(ElementType::float32, {1ll << 40}));
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->graph->find("w")->initializer()->absent);
}

TEST(Reader, RefusesAValueThatIsDefinedTwice) {
  EXPECT_EQ(cause_of(model_with(graph_with([](Rope& graph) {
              graph.add_message(wire::graph::node, node("Relu", {"x"}, {"y"}));
              graph.add_message(wire::graph::node, node("Neg", {"x"}, {"y"}));
            }))),
            "the value 'y' is defined twice");
  EXPECT_EQ(cause_of(model_with(graph_with([](Rope& graph) {
              graph.add_message(wire::graph::node, node("Split", {"x"}, {"y", "y"}));
            }))),
            "the value 'y' is defined twice");
}

TEST(Reader, TakesAnInitializerThatIsThereTwiceForOneWhenBothAreTheSame) {
  const auto with_second = [](const std::string& bytes) {
    return model_with(graph_with([&](Rope& graph) {
      for (const std::string& raw : {std::string("abcd"), bytes}) {
        Rope tensor = tensor_of(ElementType::float32, {1});
        tensor.add_bytes(wire::tensor::raw_data, raw);
        graph.add_message(wire::graph::initializer, std::move(tensor));
      }
    }));
  };
  const auto model = parse(with_second("abcd"));
  ASSERT_TRUE(model) << model.error().cause;
  EXPECT_EQ(*model->graph->find("w")->initializer()->bytes(), "abcd");
  const auto other = parse(with_second("efgh"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "this ONNX model is not valid");
  EXPECT_EQ(other.error().cause, "the value 'w' is defined twice");
  EXPECT_EQ(other.error().hint, "make it again with the tool it came from");
}

TEST(Reader, EscapesTerminalCodesInNamesItQuotes) {
  const std::string cause = cause_of(model_with(graph_with([](Rope& graph) {
    graph.add_message(wire::graph::node, node("Split", {"x"}, {"\x1b[31my", "\x1b[31my"}));
  })));
  EXPECT_EQ(cause.find('\x1b'), std::string::npos);
}

TEST(Reader, RefusesGraphsNestedTooDeep) {
  Rope inner;
  for (int depth = 0; depth < 80; ++depth) {
    Rope attribute;
    attribute.add_text(wire::attribute::name, "g");
    attribute.add_message(wire::attribute::g, std::move(inner));
    Rope holder = node("If", {}, {});
    holder.add_message(wire::node::attribute, std::move(attribute));
    inner = Rope();
    inner.add_message(wire::graph::node, std::move(holder));
  }
  EXPECT_EQ(cause_of(model_with(std::move(inner))), "graphs or types are nested more than 64 deep");
}

TEST(Reader, RefusesTypesNestedTooDeep) {
  Rope type;
  for (int depth = 0; depth < 80; ++depth) {
    Rope sequence;
    sequence.add_message(1, std::move(type));
    type = Rope();
    type.add_message(wire::type::sequence, std::move(sequence));
  }
  Rope info;
  info.add_text(wire::value_info::name, "x");
  info.add_message(wire::value_info::type, std::move(type));
  Rope graph;
  graph.add_message(wire::graph::input, std::move(info));
  EXPECT_EQ(cause_of(model_with(std::move(graph))), "types are nested more than 64 deep");
}

TEST(Reader, RefusesMoreThingsThanAnyRealModelHas) {
  Rope graph;
  for (int i = 0; i < 2'000'001; ++i) graph.add_bytes(wire::graph::node, "");
  EXPECT_EQ(cause_of(model_with(std::move(graph))),
            "it holds more than 2000000 nodes, values and attributes");
}

TEST(Reader, RefusesAnAttributeTypeOnnxDoesNotHave) {
  Rope attribute;
  attribute.add_text(wire::attribute::name, "a");
  attribute.add_int(wire::attribute::type, 77);
  Rope made = node("Relu", {"x"}, {"y"});
  made.add_message(wire::node::attribute, std::move(attribute));
  Rope graph;
  graph.add_message(wire::graph::node, std::move(made));
  EXPECT_EQ(cause_of(model_with(std::move(graph))),
            "the attribute 'a' is of type 77, which ONNX does not define");
}

}  // namespace
}  // namespace hone
