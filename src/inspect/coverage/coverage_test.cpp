#include "inspect/coverage/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/coverage/probe_ops.h"
#include "model/text/text.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

NamedRules rules_of(const std::string& rules, const std::string& more = "") {
  auto read = read_rules(
      "sim.json", R"({"schema_version": 1, "ep": "sim", "devices": ["npu", "gpu"], )" + more +
                      R"("provenance": {"kind": "documentation", "source": "a page"}, "rules": [)" +
                      rules + "]}");
  EXPECT_TRUE(read) << read.error().cause;
  return std::move(*read);
}

Model model_of(const std::string& graph, int opset = 21) {
  auto model = parse_text("<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) +
                          ", \"com.microsoft\" : 1]> net " + graph);
  EXPECT_TRUE(model) << model.error().what;
  return std::move(*model);
}

CoverageFacts cover_with(const std::string& rules, const Model& model,
                         const std::string& device = "npu", const std::string& more = "") {
  const NamedRules file = rules_of(rules, more);
  return cover(model, &file, {"sim", device, "1.29.0"});
}

// "supported", or "unknown: why".
std::string first_of(const CoverageFacts& facts) {
  const NodeCoverage& node = facts.nodes.front();
  return std::string(name_of(node.status)) + (node.reason.empty() ? "" : ": " + node.reason);
}

const std::string relu = "(float[2,3] x) => (float[2,3] y) { y = Relu(x) }";

TEST(Coverage, IsUnknownWhereNoRuleSpeaks) {
  const Model model = model_of(relu);
  EXPECT_EQ(first_of(cover_with("", model)), "unknown: no rule for Relu");
  EXPECT_EQ(first_of(cover(model, nullptr, {"qnn", "npu", ""})), "unknown: no rules for qnn/npu");
  EXPECT_EQ(first_of(cover_with(R"({"ops": ["Relu"], "since": 22, "status": "supported"})", model)),
            "unknown: no rule for Relu of opset 21");
  EXPECT_EQ(first_of(cover_with(R"({"ops": ["Relu"], "until": 20, "status": "supported"})", model)),
            "unknown: no rule for Relu of opset 21");
}

TEST(Coverage, OfAnOpThatNoRuleNamesIsUnsupportedWhereTheFileSaysSo) {
  const std::string unlisted = R"("unlisted": "it has no builder", )";
  const Model model = model_of(relu);
  EXPECT_EQ(first_of(cover_with("", model, "npu", unlisted)), "unsupported: it has no builder");
  EXPECT_EQ(first_of(cover_with(R"({"ops": ["Relu"], "until": 20, "status": "supported"})", model,
                                "npu", unlisted)),
            "unknown: no rule for Relu of opset 21");
}

TEST(Coverage, IsWhatTheFirstRuleThatFitsSays) {
  const Model model = model_of(relu);
  const std::string two =
      R"({"ops": ["Relu"], "when": {"inputs": [["int8"]]}, "status": "supported"},
      {"ops": ["Abs", "Relu"], "status": "partial", "note": "only on Tuesdays"},
      {"ops": ["Relu"], "status": "unsupported"})";
  EXPECT_EQ(first_of(cover_with(two, model)), "partial: only on Tuesdays");
}

TEST(Coverage, OfAnOpOfAnotherDomainIsAnotherQuestion) {
  const Model model = model_of("(float[2] x) => (float[2] y) { y = com.microsoft.Gelu(x) }");
  EXPECT_EQ(first_of(cover_with(R"({"ops": ["Gelu"], "status": "supported"})", model)),
            "unknown: no rule for Gelu");
  const CoverageFacts facts =
      cover_with(R"({"ops": ["Gelu"], "domain": "com.microsoft", "status": "supported"})", model);
  EXPECT_EQ(first_of(facts), "supported");
  EXPECT_EQ(facts.ops.front().domain, "com.microsoft");
}

TEST(Coverage, DependsOnTypesRanksShapesConstantsAndAttributes) {
  const auto answer = [](const std::string& when, const std::string& graph) {
    return first_of(cover_with(
        R"({"ops": ["Softmax", "Relu", "Tile"], "status": "supported", "when": )" + when + "}",
        model_of(graph)));
  };
  EXPECT_EQ(answer(R"({"inputs": [["float16", "int8"]]})", relu),
            "unknown: no rule fits: input 0 is float, not float16, int8");
  EXPECT_EQ(answer(R"({"outputs": [["float16"]]})", relu),
            "unknown: no rule fits: output 0 is float, not float16");
  EXPECT_EQ(answer(R"({"max_rank": 1})", relu),
            "unknown: no rule fits: input 0 has 2 dimensions, more than 1");
  EXPECT_EQ(answer(R"({"max_rank": 2, "inputs": [[]]})", relu), "supported");
  const std::string open = "(float[N,3] x) => (float[N,3] y) { y = Relu(x) }";
  EXPECT_EQ(answer(R"({"static_shapes": true})", open),
            "unknown: no rule fits: input 0 has an open dimension (N)");
  const std::string tile = "(float[2] x, int64[1] r) => (float[4] y) { y = Tile(x, r) }";
  EXPECT_EQ(answer(R"({"constant_inputs": [1]})", tile),
            "unknown: no rule fits: input 1 is computed");
  const std::string axis = R"({"attributes": [{"name": "axis", "values": [-1, 3]}]})";
  EXPECT_EQ(answer(axis, "(float[2] x) => (float[2] y) { y = Softmax<axis = 0>(x) }"),
            "unknown: no rule fits: attribute axis is 0, not -1, 3");
  EXPECT_EQ(answer(axis, "(float[2] x) => (float[2] y) { y = Softmax<axis = -1>(x) }"),
            "supported");
  EXPECT_EQ(answer(axis, "(float[2] x) => (float[2] y) { y = Softmax(x) }"),
            "unknown: no rule fits: attribute axis is not given");
}

TEST(Coverage, IsUnknownWhileATypeIsNotKnown) {
  const Model model = model_of("(x) => (y) { y = Relu(x) }");
  EXPECT_EQ(first_of(cover_with(
                R"({"ops": ["Relu"], "when": {"inputs": [["float"]]}, "status": "supported"},
                                   {"ops": ["Relu"], "status": "supported"})",
                model)),
            "unknown: the type of input 0 is not known")
      << "a later rule does not answer for what an earlier one may have meant";
}

TEST(Coverage, IsUnsupportedWhereWhatTheEpNeedsDoesNotHold) {
  const Model model = model_of("(float[N,3] x) => (float[N,3] y) { y = Relu(x) }");
  EXPECT_EQ(first_of(cover_with(R"({"ops": ["Relu"], "status": "supported"})", model, "npu",
                                R"("needs": {"static_shapes": true}, )")),
            "unsupported: input 0 has an open dimension (N)");
}

TEST(Coverage, TellsDevicesOfOneEpApart) {
  const Model model = model_of(relu);
  const std::string rules = R"({"ops": ["Relu"], "devices": ["gpu"], "status": "supported"})";
  EXPECT_EQ(first_of(cover_with(rules, model, "gpu")), "supported");
  EXPECT_EQ(first_of(cover_with(rules, model, "npu")), "unknown: no rule for Relu");
  const CoverageFacts facts = cover_with(rules, model, "auto");
  EXPECT_EQ(facts.device, "npu");
  EXPECT_THAT(facts.notes, testing::Contains(HasSubstr("the rules for npu are used")));
}

const std::string quantized = R"((uint8[2,3] x) => (uint8[2,3] y)
<float s = {0.1}, uint8 z = {0}, float[2,3] a, float[2,3] b>
{ a = DequantizeLinear(x, s, z)  b = Relu(a)  y = QuantizeLinear(b, s, z) })";

TEST(Coverage, SeesQuantizedNodesWithTheTypesBeforeDequantizing) {
  const std::string rules = R"({"ops": ["Relu"], "when": {"quantized": true, "inputs": [["uint8"]]},
      "status": "supported"}, {"ops": ["Relu"], "status": "unsupported", "note": "float"})";
  const CoverageFacts facts = cover_with(rules, model_of(quantized));
  EXPECT_EQ(facts.nodes[1].status, Support::supported) << facts.nodes[1].reason;
  EXPECT_EQ(first_of(cover_with(rules, model_of(relu))), "unsupported: float");
  const std::string floats =
      R"({"ops": ["Relu"], "when": {"inputs": [["float"]]}, "status": "supported"})";
  EXPECT_EQ(cover_with(floats, model_of(quantized)).nodes[1].status, Support::supported)
      << "a rule that does not ask sees the node as it is";
}

TEST(Coverage, NeedsNoRuleForWhatIsComputedBeforeAnEpIsAsked) {
  const CoverageFacts facts = cover_with("", model_of(R"(() => (float[2] y, float[2] z)
<float[2] w = {1, 2}> { c = Constant<value_float = 1.0>()  y = Mul(w, w)  z = RandomNormalLike(w) })"));
  EXPECT_EQ(facts.nodes[0].status, Support::supported);
  EXPECT_EQ(facts.nodes[1].status, Support::supported);
  EXPECT_EQ(facts.nodes[1].source, "shortcut");
  EXPECT_EQ(facts.nodes[2].status, Support::unknown) << "never folded: it is not the same twice";
}

TEST(Coverage, OfACompiledNodeDependsOnWhoCompiledIt) {
  const auto answer = [](const std::string& source) {
    return first_of(cover_with("", model_of("(float[2] x) => (float[2] y) { y = "
                                            "com.microsoft.EPContext<source = \"" +
                                            source + "\">(x) }")));
  };
  EXPECT_EQ(answer("HoneSim"), "supported");
  EXPECT_EQ(answer("sim"), "supported");
  EXPECT_EQ(answer("QNNExecutionProvider"), "unsupported: it was compiled by QNNExecutionProvider");
  EXPECT_EQ(answer(""), "unknown: the compiled node does not say which EP made it");
}

TEST(Coverage, CountsNodesInsideSubgraphsBehindTheNodeThatHoldsThem) {
  const CoverageFacts facts = cover_with(R"({"ops": ["Relu"], "status": "supported"},
                                           {"ops": ["If"], "status": "unsupported"})",
                                         model_of(R"((bool c, float[2] x) => (float[2] y) {
    y = If(c) < then_branch = t () => (float[2] a) { a = Relu(x) },
                else_branch = e () => (float[2] b) { b = Abs(x) } > })"));
  std::vector<std::string> ops;
  for (const NodeCoverage& node : facts.nodes) ops.push_back(node.op);
  EXPECT_THAT(ops, ElementsAre("If", "Relu", "Abs"));
  EXPECT_EQ(facts.counts, (CoverageCounts{1, 0, 1, 1}));
  EXPECT_EQ(facts.ops.size(), 3u);
}

TEST(Coverage, SaysWhereItsRulesComeFromAndWhetherTheyFit) {
  const CoverageFacts facts =
      cover_with("", model_of(relu), "npu", R"("onnxruntime": {"until": "1.20"}, )");
  ASSERT_TRUE(facts.rules);
  EXPECT_EQ(facts.rules->source, "a page");
  EXPECT_EQ(facts.rules->provenance, "documentation");
  EXPECT_EQ(facts.rules->fits, false);
  EXPECT_THAT(facts.notes, ElementsAre("the rules were not made for ONNX Runtime 1.29.0"));
}

// ---- a node as a model of its own

TEST(CuttingOut, KeepsConstantsAndTypesAndDropsNames) {
  const Model model = model_of(R"((float[N,3] x) => (float[N,3] y, float[N,3] z)
<float[3] w = {1, 2, 3}> { [first] y = Mul(x, w)  [second] z = Mul(x, w) })");
  const auto first = cut_out(model, model.graph->nodes().front());
  ASSERT_TRUE(first) << first.error().what;
  EXPECT_EQ(print_text(*first), print_text(*cut_out(model, model.graph->nodes().back())));
  EXPECT_THAT(print_text(*first), HasSubstr("float[3] c1 = {1, 2, 3}"));
  EXPECT_THAT(print_text(*first), HasSubstr("float[N,3] x0"));
}

TEST(CuttingOut, TakesDequantizeAndQuantizeAlong) {
  const Model model = model_of(quantized);
  const auto node = std::next(model.graph->nodes().begin());
  const auto alone = cut_out(model, *node);
  ASSERT_TRUE(alone) << alone.error().what;
  std::vector<std::string> ops;
  for (const Node& each : alone->graph->nodes()) ops.push_back(each.op_type);
  EXPECT_THAT(ops, ElementsAre("DequantizeLinear", "Relu", "QuantizeLinear"));
  EXPECT_EQ(alone->graph->outputs().size(), 1u);
}

TEST(CuttingOut, RefusesWhatCannotStandAlone) {
  const Model untyped = model_of("(x) => (y) { y = Relu(x) }");
  EXPECT_THAT(cut_out(untyped, untyped.graph->nodes().front()).error().what,
              HasSubstr("the type of 'x' is not known"));
}

}  // namespace
}  // namespace hone
