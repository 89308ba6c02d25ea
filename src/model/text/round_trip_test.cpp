// Texts that are printed exactly as they were read: one per construct of the syntax.

#include <gtest/gtest.h>

#include "model/text/text.h"

namespace hone {
namespace {

std::string printed_again(std::string_view text) {
  const auto model = parse_text(text);
  return model ? print_text(*model, PrintOptions::everything()) : model.error().what;
}

constexpr std::string_view header = "<\n  ir_version: 10,\n  opset_import: [\"\" : 21]\n>\n";

// A graph of one node, from the text of that node.
std::string with_node(std::string_view node) {
  return std::string(header) + "g () => () {\n  " + std::string(node) + "\n}\n";
}

std::string with_input(std::string_view input) {
  return std::string(header) + "g (" + std::string(input) + ") => () {\n}\n";
}

std::string with_initializer(std::string_view initializer) {
  return std::string(header) + "g () => ()\n<\n  " + std::string(initializer) + "\n>\n{\n}\n";
}

TEST(TextRoundTrip, KeepsEveryFieldOfTheHeader) {
  const std::string text = R"(<
  ir_version: 9,
  opset_import: ["" : 18, "com.microsoft" : 1],
  producer_name: "pytorch",
  producer_version: "2.1.0",
  domain: "ai.example",
  model_version: 7,
  doc_string: "two lines
and a \"quote\" and a \\",
  metadata_props: ["author": "somebody", "empty": ""]
>
main (float[N,3] x) => (float[N] y) {
}
)";
  EXPECT_EQ(printed_again(text), text);
}

TEST(TextRoundTrip, KeepsEveryFormOfType) {
  for (const std::string_view input : {
           "float x",
           "float[] x",
           "float[1] x",
           "float[N,3,?,-1,batch_size] x",
           R"(float["past + 1","2d"] x)",
           "int64[0] x",
           "seq(float[N]) x",
           "seq(seq(int64)) x",
           "map(string, float) x",
           "map(int64, seq(float[])) x",
           "optional(seq(float[2])) x",
           "sparse_tensor(float[3,4]) x",
           "sparse_tensor(float) x",
           "sparse_tensor(double[]) x",
           "opaque() x",
           "opaque(name) x",
           "opaque(test.rng.RNG) x",
           "opaque(test.rng,RNG) x",
           R"(opaque("a-b","") x)",
           "seq(?) x",
           "map(int64, ?) x",
           "undefined[3] x",
           "type_99[3] x",
           "type_4294967295[3] x",
           "x",
       }) {
    EXPECT_EQ(printed_again(with_input(input)), with_input(input));
  }
}

TEST(TextRoundTrip, KeepsEveryElementType) {
  for (int number = 0; number <= 26; ++number) {
    const std::string input = name_of(static_cast<ElementType>(number)) + "[N] x";
    EXPECT_EQ(printed_again(with_input(input)), with_input(input));
  }
}

TEST(TextRoundTrip, KeepsTheElementsOfEveryType) {
  for (const std::string_view initializer : {
           "float[4] w = {1, -0, 0.1, 3.4028235e+38}",
           "float[5] w = {inf, -inf, nan, -nan, nan(0x7f800001)}",
           "float w = {1.5}",
           "float[2,0] w = {}",
           "double[3] w = {0.1, 5e-324, -nan(0xfff8000000000001)}",
           "uint8[2] w = {0, 255}",
           "int8[2] w = {-128, 127}",
           "uint16[2] w = {0, 65535}",
           "int16[2] w = {-32768, 32767}",
           "uint32[2] w = {0, 4294967295}",
           "int32[2] w = {-2147483648, 2147483647}",
           "uint64[2] w = {0, 18446744073709551615}",
           "int64[2] w = {-9223372036854775808, 9223372036854775807}",
           "bool[2] w = {0, 1}",
           "float16[2] w = {15360, 65535}",
           "bfloat16[2] w = {16256, 65535}",
           "float8e4m3fn[2] w = {0, 255}",
           "float8e4m3fnuz[2] w = {0, 255}",
           "float8e5m2[2] w = {0, 255}",
           "float8e5m2fnuz[2] w = {0, 255}",
           "float8e8m0[2] w = {0, 255}",
           "float4e2m1[3] w = {0, 15, 7}",
           "uint4[3] w = {0, 15, 7}",
           "int4[3] w = {-8, 7, -1}",
           "uint2[5] w = {0, 1, 2, 3, 1}",
           "int2[5] w = {-2, -1, 0, 1, -2}",
           "complex64[2] w = {1, -2.5, 0, inf}",
           "complex128[1] w = {1, -2.5}",
           R"(string[3] w = {"a", "", "say \"b\" \\"})",
       }) {
    EXPECT_EQ(printed_again(with_initializer(initializer)), with_initializer(initializer));
  }
}

TEST(TextRoundTrip, KeepsDataThatIsNotInTheModelFile) {
  const auto text = with_initializer(
      "float[2] w = [\"location\": \"weights.bin\", \"offset\": \"64\", \"length\": \"8\", "
      "\"checksum\": \"abc\"]");
  EXPECT_EQ(printed_again(text), text);
}

TEST(TextRoundTrip, KeepsSparseTensors) {
  for (const std::string_view initializer : {
           "sparse_tensor(float[3,4]) w = {float[2] {1, 2}, int64[2] {0, 5}}",
           "sparse_tensor(int8[3]) w = {int8[0] {}, int64[0,1] indices {}}",
       }) {
    EXPECT_EQ(printed_again(with_initializer(initializer)), with_initializer(initializer));
  }
}

TEST(TextRoundTrip, KeepsEveryFormOfNode) {
  for (const std::string_view node : {
           "y = Relu(x)",
           "= Print(x)",
           "y = Make()",
           "[conv_1] y = Conv(x, w)",
           R"(["/layer.0/MatMul"] "/layer.0/MatMul_output_0" = MatMul("a:0", "1st"))",
           "y = com.microsoft.FusedConv(x)",
           "y = ai.onnx.ml.Scaler(x)",
           R"(y = "my-domain"."op.with.dots"(x))",
           "y = local.fn:fast(x)",
           "y = local.fn:\"fast and loose\"(x)",
           "y, , z = Split(a, , b)",
           R"("" = Split(""))",
           R"(y, "" = Split(a, , ""))",
           R"("float" = Cast("nan"))",
       }) {
    EXPECT_EQ(printed_again(with_node(node)), with_node(node));
  }
}

TEST(TextRoundTrip, KeepsEveryKindOfAttribute) {
  for (const std::string_view attribute : {
           "alpha = 0.5",
           "alpha = 1.0",
           "alpha = -0.0",
           "alpha = 1e+20",
           "alpha = inf",
           "alpha = -inf",
           "alpha = nan",
           "alpha = nan(0x7fc00001)",
           "axis = -1",
           "axis = -9223372036854775808",
           "mode = \"linear\"",
           "mode = \"\"",
           "pads = [0, 1, -2]",
           "scales = [1.0, 0.5, inf]",
           R"(names = ["a", ""])",
           "pads: ints = []",
           "scales: floats = []",
           "names: strings = []",
           "value = float[2] {1, 2}",
           "value = float[2] named {1, 2}",
           "value = int64 \"a name\" {7}",
           R"(value = float[2] = ["location": "w", "offset": "0", "length": "8"])",
           "values = [float[1] {1}, int64 {2}]",
           "values: tensors = []",
           "sparse = sparse_tensor(float[9]) {float[1] values {1}, int64[1] {3}}",
           "sparses = [sparse_tensor(float[9]) {float[1] {1}, int64[1] {3}}]",
           "sparses: sparse_tensors = []",
           "kind = float[N,3]",
           "kind = seq(map(int64, float[]))",
           "kind: type_proto = ?",
           "kinds = [float, seq(int64[?])]",
           "kinds: type_protos = []",
           "kinds: type_protos = [?, float]",
           "kinds = [float, ?]",
           "nothing: undefined = ?",
           "alpha: float = @beta",
           "alpha = @beta",
           "alpha: type_99 = @beta",
           "alpha: ints = @\"be ta\"",
           "\"odd name\" = 1, axis = 2",
       }) {
    const auto text = with_node("y = Op <" + std::string(attribute) + "> (x)");
    EXPECT_EQ(printed_again(text), text);
  }
}

TEST(TextRoundTrip, KeepsGraphsInsideNodes) {
  const std::string text = std::string(header) + R"(main (bool c, float[N] x) => (float[N] y)
<
  float[1] w = {2},
  float[N] t
>
{
  t = Mul(x, w)
  [choice] y = If(c) <
    then_branch = then_graph () => (float[N] a)
    <
      float[1] local = {3}
    >
    {
      a = Add(t, local)
    },
    else_branch = "else graph" () => (b) {
      b = Loop(, c, t) <
        body = body (int64 i, bool go, float[N] carried) => (bool go, next) {
          next = Add(carried, t)
        }
      >
    },
    hint = "none"
  >
}
)";
  EXPECT_EQ(printed_again(text), text);
}

TEST(TextRoundTrip, KeepsListsOfGraphs) {
  const auto text = with_node(
      "y = Switch(c) <\n    branches = [first () => (a) {\n      a = One()\n    }, \"\" () => () "
      "{\n"
      "    }]\n  >");
  EXPECT_EQ(printed_again(text), text);
  const auto empty = with_node("y = Switch <branches: graphs = []> (c)");
  EXPECT_EQ(printed_again(empty), empty);
}

TEST(TextRoundTrip, KeepsFunctions) {
  const std::string text = R"(<
  ir_version: 10,
  opset_import: ["" : 21, "local" : 1]
>
main (float x) => (float y) {
  y = local.scale:fast <alpha = 2.0> (x)
}
<
  domain: "local",
  overload: "fast",
  opset_import: ["" : 21],
  doc_string: "scales"
>
scale <alpha, beta = 1.0, axes: ints = []> (x) => (y) {
  a = Constant <value_float: float = @alpha> ()
  y = Mul(x, a)
}
<
  domain: "local",
  opset_import: []
>
"other name" (float[N] x, z) => (float[N] y)
<
  float[N] t
>
{
  t = Relu(x)
  y = Add(t, z)
}
)";
  EXPECT_EQ(printed_again(text), text);
}

TEST(TextRoundTrip, KeepsTheTypeOfAnInitializerApartFromItsData) {
  const std::string text = std::string(header) + R"(g (float[N] d, e) => (float[2] w)
<
  float[2] d = {1, 2},
  float[1] e = {3},
  float[2] w = {1, 2},
  float[2] v = {3, 4},
  float[M] v,
  float[K] t
>
{
  t = Add(v, d)
}
)";
  EXPECT_EQ(printed_again(text), text);
}

TEST(TextRoundTrip, KeepsNotesWhereverTheyStand) {
  const std::string text =
      std::string(header) +
      R"(g (float[N !<denotation: "BATCH">,3] !<denotation: "IMAGE"> x !<doc_string: "in">) => (y !<metadata_props: ["k": "v"]>) !<doc_string: "all", metadata_props: ["a": "b", "c": "d"]>
<
  float[1] w = {1} !<doc_string: "weights", metadata_props: ["from": "torch"]>,
  w !<doc_string: "value">
>
{
  y = Op <alpha !<doc_string: "slope"> = 1.0, t = float[1] {1} !<doc_string: "tensor">> (x, w) !<doc_string: "node", metadata_props: ["n": "1"]>
}
)";
  EXPECT_EQ(printed_again(text), text);
}

TEST(TextRoundTrip, KeepsNamesByteForByte) {
  const std::string strange = "tab\there \x1b[31m \xff \xe6\xbc\xa2 \n\"\\";
  Model model;
  model.graph->name = strange;
  Value& x = model.graph->add_value(strange);
  model.graph->add_input(x);
  Node& node = model.graph->add_node(strange, {&x}, {&model.graph->add_value("y")});
  node.name = node.domain = node.overload = strange;
  node.set_attribute(make_attribute(strange, strange));
  const std::string text = print_text(model);
  const auto parsed = parse_text(text);
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(print_text(*parsed), text);
  const Node& read = parsed->graph->nodes().front();
  EXPECT_EQ(read.domain, strange);
  EXPECT_EQ(read.op_type, strange);
  EXPECT_EQ(read.overload, strange);
  EXPECT_EQ(read.input(0)->name(), strange);
  EXPECT_EQ(read.string_or(strange, ""), strange);
}

}  // namespace
}  // namespace hone
