// What can be read off a graph about the inputs it takes.

#include "runtime/input_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/text/text.h"
#include "runtime/samples.h"

namespace hone {
namespace {

using Shape = std::vector<std::int64_t>;
using testing::ElementsAre;

Model model_of(const std::string& graph) {
  auto model =
      parse_text("<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]>\n" + graph);
  EXPECT_TRUE(model) << model.error().what << ": " << model.error().cause;
  return std::move(*model);
}

std::map<std::string, std::vector<std::int64_t>> shapes(const std::string& graph,
                                                        const ShapeRules& rules = {}) {
  const Model model = model_of(graph);
  const auto closed = close_inputs(input_ports(model), rules, read_input_facts(model));
  EXPECT_TRUE(closed) << closed.error().what;
  return closed->shapes;
}

std::string zeros(int count) {
  std::string text = "{0";
  for (int i = 1; i < count; ++i) text += ", 0";
  return text + "}";
}

TEST(InputFacts, ChannelsAreThoseOfTheFirstConv) {
  EXPECT_THAT(shapes("g (float[b, c, t] x) => (float[b, d, u] y) <float[2,10,3] w = " + zeros(60) +
                     "> { y = Conv(x, w) }")
                  .at("x"),
              ElementsAre(1, 10, 128));
  EXPECT_THAT(
      shapes("g (float[b, h, v, c] x) => (float[b, d, u, t] y) <float[2,3,1,1] w = " + zeros(6) +
             "> { n = Transpose <perm = [0, 3, 1, 2]> (x) y = Conv <group = 2> "
             "(n, w) }")
          .at("x"),
      ElementsAre(1, 128, 320, 6))
      << "channels last, two groups of three";
}

TEST(InputFacts, TheUsersWordStandsAgainstTheGraphs) {
  const std::string graph =
      "g (float[b, c, t] x) => (float[b, d, u] y) <float[2,10,3] w = " + zeros(60) +
      "> { y = Conv(x, w) }";
  EXPECT_THAT(shapes(graph, {.symbols = {{"c", 4}}}).at("x"), ElementsAre(1, 4, 128));
  EXPECT_THAT(shapes(graph, {.batch = 3}).at("x"), ElementsAre(3, 10, 128));
}

TEST(InputFacts, FeaturesAreThoseOfAMatMulBehindOpsThatKeepThem) {
  EXPECT_THAT(shapes("g (float[b, s, f] x) => (float[b, s, 2] y) <float[5,2] w = " + zeros(10) +
                     "> { c = Cast <to = 1> (x) r = Relu(c) y = MatMul(r, w) }")
                  .at("x"),
              ElementsAre(1, 128, 5));
  EXPECT_THAT(shapes("g (float[b, f] x) => (float[b, 2] y) <float[2,7] w = " + zeros(14) +
                     "> { y = Gemm <transB = 1> (x, w) }")
                  .at("x"),
              ElementsAre(1, 7));
}

TEST(InputFacts, StatesOfARecurrentNetworkHaveItsSizesAndItsBatch) {
  const auto found = shapes(
      "g (float[s, n, i] x, float[d, m, k] h, float[d, m, k] c) => (float[s, d, n, 2] y) "
      "<float[1,8,3] w = " +
          zeros(24) + ", float[1,8,2] r = " + zeros(16) +
          "> { y = LSTM <hidden_size = 2> (x, w, r, , , h, c) }",
      {.symbols = {{"n", 4}}});
  EXPECT_THAT(found.at("x"), ElementsAre(1, 4, 3));
  EXPECT_THAT(found.at("h"), ElementsAre(1, 4, 2)) << "m is n by the graph alone";
  EXPECT_EQ(found.at("h"), found.at("c"));
}

TEST(InputFacts, ATableOfPositionsSaysHowLongTheInputIsThroughStrides) {
  EXPECT_THAT(shapes("g (float[b, c, t] x) => (float[b, u, 2] y) <float[2,4,3] w = " + zeros(24) +
                     ", float[15,2] p = " + zeros(30) +
                     "> { k = Conv <strides = [2], pads = [1, 1]> (x, w) n = Transpose <perm = "
                     "[0, 2, 1]> (k) y = Add(n, p) }")
                  .at("x"),
              ElementsAre(1, 4, 30));
}

TEST(InputFacts, AReshapeToConstantsTiesWhatItFlattens) {
  EXPECT_THAT(shapes("g (float[b, s, f] x) => (float[b, s, 4, 6] y) <int64[4] to = {0, 0, 4, 6}> "
                     "{ y = Reshape(x, to) }")
                  .at("x"),
              ElementsAre(1, 128, 24));
}

TEST(InputFacts, ComputedShapesAreFollowed) {
  EXPECT_THAT(
      shapes("g (float[b, s, f] x) => (float[b, s, h, 6] y) "
             "<int64[2] front = {0, 1}, int64[2] tail = {4, 6}> "
             "{ all = Shape(x) some = Gather(all, front) to = Concat <axis = 0> (some, tail) "
             "y = Reshape(x, to) }")
          .at("x"),
      ElementsAre(1, 128, 24));
}

TEST(InputFacts, AMaskIsAsLongAsWhatIsRememberedAndWhatIsNewTogether) {
  const auto by_graph = shapes(
      "g (float[b, 2, p, 4] past, float[b, 2, s, 4] new, float[b, 1, 1, t] mask) => "
      "(float[b, 2, u, 4] y) { k = Concat <axis = 2> (past, new) n = Transpose <perm = [0, 1, 3, "
      "2]> (k) q = MatMul(new, n) y = Add(q, mask) }",
      {.symbols = {{"p", 5}, {"s", 3}}});
  EXPECT_THAT(by_graph.at("mask"), ElementsAre(1, 1, 1, 8));
  const auto by_symbol = shapes(
      "g (int64[b, \"past_length + length\"] mask, int64[b, length] ids, float[b, past_length] p) "
      "=> "
      "(int64[b, length] y) { y = Identity(ids) }",
      {.symbols = {{"past_length", 5}}});
  EXPECT_THAT(by_symbol.at("mask"), ElementsAre(1, 133));
  EXPECT_THAT(by_symbol.at("p"), ElementsAre(1, 5));
}

TEST(InputFacts, CachesOfGroupedAttentionHaveItsHeadsAndTheirSize) {
  const auto found = shapes(
      "g (float[b, s, 24] q, float[b, s, 8] k, float[b, s, 8] v, float[b, h, p, d] past_key, "
      "float[b, h, p, d] past_value, int32[b] lens, int32[1] total) => (float[b, s, 24] y) "
      "{ y = com.microsoft.GroupQueryAttention <num_heads = 6, kv_num_heads = 2> "
      "(q, k, v, past_key, past_value, lens, total) }");
  EXPECT_THAT(found.at("past_key"), ElementsAre(1, 2, 0, 4));
}

TEST(InputFacts, ScalarsAreWhatTheGraphComparesThemWith) {
  const Model model = model_of(
      "g (int64 sr, bool[1] cached, int64[b, s] ids) => (float[s, 4] y) "
      "<int64 rate = {16000}, float[9,4] words = " +
      zeros(36) +
      "> { is = Equal(sr, rate) a = If (is) <then_branch = t () => (int64 u) { u = Identity(sr) }, "
      "else_branch = e () => (int64 v) { v = Identity(sr) }> "
      "c = Squeeze(cached) d = If (c) <then_branch = t2 () => (int64 u2) { u2 = Identity(sr) }, "
      "else_branch = e2 () => (int64 v2) { v2 = Identity(sr) }> "
      "y = Gather(words, ids) }");
  const InputFacts facts = read_input_facts(model);
  EXPECT_EQ(facts.values.at("sr"), 16000);
  EXPECT_THAT(facts.branches, ElementsAre("cached"));
  EXPECT_FALSE(facts.values.contains("cached")) << "the graph takes both";
  EXPECT_EQ(facts.ranges.at("ids").high, 8);
}

TEST(InputFacts, FramesAreWhatAReshapeCutsAnInputInto) {
  const Model model = model_of(
      "g (float[1, n] x) => (float[1, f, 441] y) <int64[3] cut = {1, -1, 441}> "
      "{ y = Reshape(x, cut) }");
  EXPECT_THAT(read_input_facts(model).frames, ElementsAre(441));
}

// The first conv of a branch that a flag leaves out says nothing.
TEST(InputFacts, AFlagOfTheUsersIsTakenToBeFalse) {
  EXPECT_THAT(shapes("g (float[b, c, t] x, bool cached) => (float[b, 2, u] y) "
                     "<float[2,4,1] w = " +
                     zeros(8) + ", float[2,6,1] v = " + zeros(12) +
                     "> { y = If (cached) <then_branch = t () => (float[b, 2, n] p) "
                     "{ p = Conv(x, w) }, else_branch = e () => (float[b, 2, n] q) "
                     "{ q = Conv(x, v) }> }")
                  .at("x"),
              ElementsAre(1, 6, 128));
}

}  // namespace
}  // namespace hone
