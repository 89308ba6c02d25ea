#include "model/opset/convert.h"

#include <gmock/gmock.h>

#include "model/opset/testing.h"

namespace hone::opset {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view mean = R"(g (float[2,3] x) => (float[2,1] y) {
  [mean] y = ReduceMean <axes = [1]> (x)
})";

TEST(ConvertOpset, ReportsWhatItChanged) {
  Model model = model_of(17, mean);
  const auto report = convert_opset(model, 21);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->from, 17);
  EXPECT_EQ(report->to, 21);
  EXPECT_EQ(report->changed_nodes, 1U);
  ASSERT_EQ(report->changes.size(), 1U);
  EXPECT_EQ(report->changes[0].op, "ReduceMean");
  EXPECT_EQ(report->changes[0].what, "axes: attribute -> input");
  EXPECT_EQ(report->changes[0].nodes, 1U);
  EXPECT_EQ(model.opset(), 21);
}

TEST(ConvertOpset, DoesNothingWhenTheOpsetIsTheOneAskedFor) {
  Model model = model_of(17, mean);
  const auto report = convert_opset(model, 17);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->changed_nodes, 0U);
  EXPECT_EQ(model.ir_version, 8);
}

TEST(ConvertOpset, LeavesTheModelAloneWhenANodeCannotFollow) {
  // The first node can be converted, the second cannot.
  Model model = model_of(20, R"(g (float[2,3] x, string[2] s) => (float[2,1] y, bool[2] t) {
    axes = Constant <value_ints = [1]> ()
    y = ReduceMean(x, axes)
    [match] t = RegexFullMatch <pattern = "a+"> (s)
  })");
  const std::string before = print_text(model, PrintOptions::everything());
  const Node* first = model.graph->node_list()[0];
  const auto report = convert_opset(model, 17);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().what,
            "node 'match' (RegexFullMatch): RegexFullMatch came with opset 20, and opset 19 has no "
            "way to say it");
  EXPECT_EQ(report.error().hint, "opset 20 is the oldest the model can have");
  EXPECT_EQ(print_text(model, PrintOptions::everything()), before);
  EXPECT_EQ(model.graph->node_list()[0], first);
}

TEST(ConvertOpset, RefusesAnOpThatNoOpsetHasAndSuggestsOne) {
  Model model = model_of(17, "g (float[2] x) => (float[2] y) { [typo] y = Sigmoyd(x) }");
  const auto report = convert_opset(model, 21);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().what,
            "node 'typo' (Sigmoyd): no opset of the default domain has this op");
  EXPECT_EQ(report.error().hint, "did you mean Sigmoid?");
}

TEST(ConvertOpset, RefusesAnOpThatTheModelsOpsetDoesNotHaveYet) {
  EXPECT_EQ(converted("g (float[2] x) => (float[2] y) { [act] y = Gelu(x) }", 17, 21),
            "refused: node 'act' (Gelu): the model says opset 17, but this op came with opset 20");
}

TEST(ConvertOpset, RefusesAnOpThatTheModelsOpsetNoLongerHas) {
  constexpr std::string_view upsample = R"(g (float[1,1,2,2] x) => (float[1,1,4,4] y)
    <float[4] scales = {1, 1, 2, 2}> { [up] y = Upsample(x, scales) })";
  EXPECT_EQ(
      converted(upsample, 11, 17),
      "refused: node 'up' (Upsample): the model says opset 11, but this op ended with opset 10");
}

TEST(ConvertOpset, KnowsOpsets9To25And7And8AsWhereModelsComeFrom) {
  Model model = model_of(17, mean);
  EXPECT_EQ(convert_opset(model, 8).error().what,
            "cannot convert to opset 8, and conversion knows 9 to 25");
  EXPECT_EQ(convert_opset(model, 26).error().what,
            "cannot convert to opset 26, and conversion knows 9 to 25");
  model.set_opset("", 6);
  EXPECT_EQ(convert_opset(model, 17).error().what,
            "the model has opset 6, and conversion knows 7 to 25");
  for (int opset = 7; opset <= 8; ++opset) {
    Model old = model_of(17, mean);
    old.set_opset("", opset);
    EXPECT_TRUE(convert_opset(old, 9).has_value()) << opset;
  }
  for (int opset = 9; opset <= 25; ++opset) {
    Model other = model_of(17, mean);
    EXPECT_TRUE(convert_opset(other, opset).has_value()) << opset;
  }
}

TEST(ConvertOpset, TakesTheScalesOfUpsampleFromItsAttributeInOpset8) {
  EXPECT_EQ(converted("g (float[1,1,2,2] x) => (float[1,1,4,4] y) {"
                      " y = Upsample <mode = \"nearest\", scales = [1.0, 1.0, 2.0, 2.0]> (x) }",
                      7, 9),
            same("g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] y_scales = {1, 1, 2, 2}> {"
                 " y = Upsample <mode = \"nearest\"> (x, y_scales) }",
                 9));
  EXPECT_EQ(converted("g (float[1,1,2,2] x) => (float[1,1,4,4] y) { [up] y = Upsample(x) }", 7, 9),
            "refused: node 'up' (Upsample): its attribute 'scales' is missing");
}

TEST(ConvertOpset, TakesBatchNormalizationOfOpset7WhereItsStatisticsAreOfChannels) {
  constexpr std::string_view text = R"(g (float[1,2,3] x, float[2] s) => (float[1,2,3] y) {
    [norm] y = BatchNormalization <spatial = SPATIAL> (x, s, s, s, s) })";
  const auto with = [&](std::string_view spatial) {
    return std::string(text).replace(text.find("SPATIAL"), 7, spatial);
  };
  EXPECT_EQ(converted(with("1"), 7, 9), same("g (float[1,2,3] x, float[2] s) => (float[1,2,3] y) {"
                                             " [norm] y = BatchNormalization(x, s, s, s, s) }",
                                             9));
  EXPECT_EQ(converted(with("0"), 7, 9),
            "refused: node 'norm' (BatchNormalization): it has statistics for every place "
            "(spatial), which opset 9 does not have");
}

TEST(ConvertOpset, RefusesTheScanOfOpset8) {
  EXPECT_EQ(converted(R"(g (int64[1] n, float[1,3,2] x) => (float[1,3,2] y) {
    [scan] y = Scan <num_scan_inputs = 1, body = b (float[2] i) => (float[2] o) { o = Relu(i) }>
      (n, x) })",
                      8, 17),
            "refused: node 'scan' (Scan): it is the Scan of opset 8, which has a batch of its own");
}

TEST(ConvertOpset, RefusesAModelWithoutADefaultOpset) {
  Model model = model_of(17, mean);
  model.opsets.clear();
  EXPECT_EQ(convert_opset(model, 17).error().what,
            "the model does not say which opset of the default domain it uses");
}

TEST(ConvertOpset, LeavesOtherDomainsAlone) {
  auto model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (float[2,3] x) => (float[2,1] y) { y = com.microsoft.ReduceMean <axes = [1]> (x) })");
  ASSERT_TRUE(model.has_value());
  const auto report = convert_opset(*model, 21);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->changed_nodes, 0U);
  EXPECT_EQ(model->opset("com.microsoft"), 1);
}

TEST(ConvertOpset, GoesIntoSubgraphs) {
  constexpr std::string_view before = R"(g (bool c, float[2,3] x) => (float[2,1] y) {
    y = If (c) <
      then_branch = then_graph () => (float[2,1] t) { t = ReduceMean <axes = [1]> (x) },
      else_branch = else_graph () => (float[2,1] e) { e = ReduceMax <axes = [1]> (x) }
    >
  })";
  constexpr std::string_view after = R"(g (bool c, float[2,3] x) => (float[2,1] y) {
    y = If (c) <
      then_branch = then_graph () => (float[2,1] t) <int64[1] t_axes = {1}> { t = ReduceMean(x, t_axes) },
      else_branch = else_graph () => (float[2,1] e) <int64[1] e_axes = {1}> { e = ReduceMax(x, e_axes) }
    >
  })";
  EXPECT_EQ(converted(before, 17, 21), same(after, 21));
  expect_round_trip(before, 17, 21);
}

constexpr std::string_view with_function = R"(<ir_version: 8, opset_import: ["" : 17, "ours" : 1]>
  g (float[2,3] x) => (float[2,1] y) { y = ours.center(x) }
  <domain: "ours", opset_import: ["" : 17]>
  center (x) => (y) { y = ReduceMean <axes = [1]> (x) })";

TEST(ConvertOpset, ConvertsFunctionsAndTheirOwnImport) {
  auto model = parse_text(with_function);
  ASSERT_TRUE(model.has_value()) << model.error().what;
  const Digest before = *content_fingerprint(*model);
  ASSERT_TRUE(convert_opset(*model, 21).has_value());
  EXPECT_EQ(model->functions[0].opsets[0].version, 21);
  // A function has no initializers, so the axes are a node.
  const std::vector<Node*> nodes = model->functions[0].body->node_list();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0]->op_type, "Constant");
  EXPECT_EQ(nodes[1]->input(1), nodes[0]->output(0));
  ASSERT_TRUE(convert_opset(*model, 17).has_value());
  EXPECT_EQ(*content_fingerprint(*model), before);
}

TEST(ConvertOpset, ConvertsAFunctionThatIsAtAnotherOpsetThanTheModel) {
  auto model = parse_text(with_function);
  ASSERT_TRUE(model.has_value());
  model->functions[0].opsets[0].version = 13;
  ASSERT_TRUE(convert_opset(*model, 17).has_value());
  EXPECT_EQ(model->functions[0].opsets[0].version, 17);
}

TEST(ConvertOpset, RefusesAFunctionParameterWhereTheNewerOpWantsAnInput) {
  auto model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17, "ours" : 1]>
    g (float[2,3] x) => (float[2,1] y) { y = ours.center <axes = [1]> (x) }
    <domain: "ours", opset_import: ["" : 17]>
    center <axes> (x) => (y) { [inner] y = ReduceMean <axes: ints = @axes> (x) })");
  ASSERT_TRUE(model.has_value()) << model.error().what;
  EXPECT_EQ(convert_opset(*model, 18).error().what,
            "node 'inner' (ReduceMean): its 'axes' is a parameter of the function around it, and "
            "opset 18 wants "
            "it as an input");
}

TEST(ConvertOpset, RaisesTheIrVersionWithTheOpsetAndLowersItOnTheWayBack) {
  Model model = model_of(17, mean);
  ASSERT_EQ(model.ir_version, 8);
  EXPECT_EQ(convert_opset(model, 21)->ir_to, 10);
  EXPECT_EQ(model.ir_version, 10);
  EXPECT_EQ(convert_opset(model, 23)->ir_to, 11);
  EXPECT_EQ(convert_opset(model, 17)->ir_to, 8);
}

TEST(ConvertOpset, KeepsAnIrVersionThatIsAlreadyHigher) {
  Model model = model_of(17, mean);
  model.ir_version = 11;
  EXPECT_EQ(convert_opset(model, 21)->ir_to, 11);
}

TEST(ConvertOpset, DoesNotLowerTheIrVersionBelowWhatTheModelHolds) {
  auto functions = parse_text(with_function);
  ASSERT_TRUE(functions.has_value());
  EXPECT_EQ(convert_opset(*functions, 11)->ir_to, 8);
  Model small_ints = model_of(21, "g (int4[2] x) => (float[2] z) { z = com.acme.Unpack(x) }");
  EXPECT_EQ(convert_opset(small_ints, 17)->ir_to, 10);
}

TEST(ConvertOpset, KnowsWhichIrVersionCameWithEachOpset) {
  EXPECT_EQ(ir_version_of_opset(9), 4);
  EXPECT_EQ(ir_version_of_opset(11), 6);
  EXPECT_EQ(ir_version_of_opset(14), 7);
  EXPECT_EQ(ir_version_of_opset(18), 8);
  EXPECT_EQ(ir_version_of_opset(19), 9);
  EXPECT_EQ(ir_version_of_opset(22), 10);
  EXPECT_EQ(ir_version_of_opset(23), 11);
}

}  // namespace
}  // namespace hone::opset
