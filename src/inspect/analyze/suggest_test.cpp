#include "inspect/analyze/suggest.h"

#include <gtest/gtest.h>

#include "inspect/analyze/analyze.h"
#include "model/text/text.h"

namespace hone {
namespace {

Support knows_nothing(std::string_view, std::string_view) { return Support::unknown; }

Target on(std::string ep) {
  Target target;
  target.ep = std::move(ep);
  return target;
}

EpShare share(std::string ep, std::uint64_t nodes) {
  EpShare share;
  share.ep = std::move(ep);
  share.nodes = nodes;
  return share;
}

FusionCandidate candidate(std::string capability, std::string makes) {
  FusionCandidate fusion;
  fusion.capability = std::move(capability);
  fusion.count = 2;
  fusion.makes = std::move(makes);
  return fusion;
}

TEST(Suggest, TheCpuTakesWhatOnnxRuntimeMakesForIt) {
  const SuggestedCapabilities advice =
      suggest({candidate("gelu_fusion", "com.microsoft.Gelu")}, on("cpu"), knows_nothing);
  ASSERT_EQ(advice.suggestions.size(), 1u);
  EXPECT_EQ(advice.suggestions[0].why, "2 places become com.microsoft.Gelu");
}

TEST(Suggest, AnAcceleratorIsNotGivenOperatorsOfOnnxRuntimeThatItMayNotKnow) {
  const SuggestedCapabilities advice = suggest(
      {candidate("gelu_fusion", "com.microsoft.Gelu"), candidate("gelu_singlegelu", "Gelu")},
      on("qnn"), knows_nothing);
  ASSERT_EQ(advice.withheld.size(), 1u);
  EXPECT_EQ(advice.withheld[0].why, "it is not known that qnn takes com.microsoft.Gelu");
  ASSERT_EQ(advice.suggestions.size(), 1u);
  EXPECT_EQ(advice.suggestions[0].capability, "gelu_singlegelu");
}

TEST(Suggest, WhatTheTargetRefusesIsNeverSuggested) {
  const OpSupport refuses = [](std::string_view op, std::string_view) {
    return op == "Gelu" ? Support::unsupported : Support::supported;
  };
  const SuggestedCapabilities advice =
      suggest({candidate("gelu_singlegelu", "Gelu")}, on("qnn"), refuses);
  EXPECT_TRUE(advice.suggestions.empty());
  ASSERT_EQ(advice.withheld.size(), 1u);
  EXPECT_EQ(advice.withheld[0].why, "qnn does not take Gelu");
}

TEST(Suggest, WhatIsPartOfALargerFusionWaits) {
  const FusionCandidate scale = candidate("matmul_scale_fusion", "com.microsoft.FusedMatMul");
  const FusionCandidate attention =
      candidate("attention_fusion", "com.microsoft.MultiHeadAttention");
  EXPECT_EQ(suggest({scale}, on("cpu"), knows_nothing).suggestions.size(), 1u);
  const SuggestedCapabilities advice = suggest({scale, attention}, on("cpu"), knows_nothing);
  ASSERT_EQ(advice.suggestions.size(), 1u);
  EXPECT_EQ(advice.suggestions[0].capability, "attention_fusion");
  EXPECT_EQ(advice.withheld[0].why, "it would take parts of attention-fusion");
}

TEST(Suggest, RulesSpeakOfAnOperatorByNameOpsetAndDevice) {
  NamedRules rules;
  OpRule& refused = rules.rules.rules.emplace_back();
  refused.ops = {"Gelu"};
  refused.until = 20;
  refused.status = Support::unsupported;
  OpRule& some = rules.rules.rules.emplace_back();
  some.ops = {"Gelu", "Relu"};
  some.devices = {"gpu"};
  some.status = Support::partial;
  EXPECT_EQ(support_by(&rules, "npu", 20)("Gelu", ""), Support::unsupported);
  EXPECT_EQ(support_by(&rules, "gpu", 20)("Gelu", ""), Support::partial);
  EXPECT_EQ(support_by(&rules, "npu", 21)("Gelu", ""), Support::unknown);
  EXPECT_EQ(support_by(&rules, "gpu", 20)("Gelu", "com.microsoft"), Support::unknown);
  EXPECT_EQ(support_by(nullptr, "gpu", 20)("Relu", ""), Support::unknown);
}

TEST(Suggest, WhatActsElsewhereIsWithheld) {
  const auto why = [](std::string capability, std::string ep) {
    const SuggestedCapabilities advice =
        suggest({candidate(std::move(capability), "")}, on(std::move(ep)), knows_nothing);
    return advice.withheld.empty() ? "" : advice.withheld[0].why;
  };
  EXPECT_EQ(why("bias_softmax_fusion", "cpu"), "it acts on CUDA alone");
  EXPECT_EQ(why("bias_softmax_fusion", "cuda"), "");
  EXPECT_EQ(why("conv_add_activation_fusion", "cpu"), "it makes a model for the CPU it is made on");
  EXPECT_EQ(why("matmuladd_reshapegemm", "cpu"), "the CPU EP gains nothing by it");
  EXPECT_EQ(why("matmuladd_reshapegemm", "qnn"), "");
}

TEST(Suggest, APassIsARemedyWhenItTakesAwayWhatIsRefused) {
  auto model = parse_text(
      "<ir_version: 10, opset_import: [\"\" : 20]> g (float[2,4] x) => (float[2,2] y, float[2,2] "
      "z) "
      "{ y, z = Split <axis = 1, num_outputs = 2> (x) }");
  ASSERT_TRUE(model) << model.error().what;
  CoverageFacts coverage;
  coverage.ep = "npu";
  coverage.ops.push_back({"Split", "", {.unsupported = 1}});
  const auto remedies = find_remedies(*model, coverage, knows_nothing);
  ASSERT_TRUE(remedies);
  ASSERT_EQ(remedies->size(), 1u);
  EXPECT_EQ(remedies->front().capability, "static_split_to_slice");
  EXPECT_EQ(remedies->front().why, "takes away what npu refuses: Split x1");
  const OpSupport refuses_slices = [](std::string_view op, std::string_view) {
    return op == "Slice" ? Support::unsupported : Support::unknown;
  };
  EXPECT_TRUE(find_remedies(*model, coverage, refuses_slices)->empty());
}

TEST(Suggest, WhatIsFusedAndRefusedIsTakenApartAsFarAsItHasToBe) {
  auto model = parse_text(
      "<ir_version: 10, opset_import: [\"\" : 17, \"com.microsoft\" : 1]> g (float[2,4] x, "
      "float[4] "
      "b) => (float[2,4] y) { y = com.microsoft.BiasGelu(x, b) }");
  ASSERT_TRUE(model) << model.error().what;
  CoverageFacts coverage;
  coverage.ep = "npu";
  coverage.ops.push_back({"BiasGelu", "com.microsoft", {.unsupported = 1}});
  const auto names = [&](const OpSupport& support) {
    std::vector<std::string> found;
    const auto remedies = find_remedies(*model, coverage, support);
    for (const Suggestion& one : *remedies) found.push_back(one.capability);
    return found;
  };
  const OpSupport takes_gelu = [](std::string_view op, std::string_view) {
    return op == "Gelu" || op == "Add" ? Support::supported : Support::unsupported;
  };
  EXPECT_EQ(names(takes_gelu), std::vector<std::string>{"unfuse_bias_gelu"});
  const OpSupport takes_erf = [](std::string_view op, std::string_view domain) {
    return domain.empty() && op != "Gelu" ? Support::supported : Support::unsupported;
  };
  EXPECT_EQ(names(takes_erf), (std::vector<std::string>{"unfuse_bias_gelu", "unfuse_gelu"}));
  const OpSupport takes_nothing = [](std::string_view, std::string_view) {
    return Support::unsupported;
  };
  EXPECT_TRUE(names(takes_nothing).empty());
}

TEST(Suggest, RulesThatListEverythingRefuseTheRest) {
  NamedRules rules;
  OpRule& taken = rules.rules.rules.emplace_back();
  taken.ops = {"Relu"};
  taken.devices = {"gpu"};
  taken.status = Support::supported;
  rules.rules.unlisted = "it has no builder";
  EXPECT_EQ(support_by(&rules, "gpu", 20)("Relu", ""), Support::supported);
  EXPECT_EQ(support_by(&rules, "npu", 20)("Relu", ""), Support::unknown);
  EXPECT_EQ(support_by(&rules, "gpu", 20)("FusedConv", "com.microsoft"), Support::unsupported);
}

TEST(Support, WhatWasPlacedCountsMoreThanWhatRulesSay) {
  Analysis analysis;
  analysis.target.ep = "qnn";
  settle_support(analysis);
  EXPECT_EQ(analysis.support, Support::unknown);
  analysis.coverage.emplace().counts = {.supported = 3, .partial = 0, .unsupported = 1};
  settle_support(analysis);
  EXPECT_EQ(analysis.support, Support::unsupported);
  analysis.placement = Placement{.known = true, .reason = {}, .shares = {share("qnn", 4)}};
  settle_support(analysis);
  EXPECT_EQ(analysis.support, Support::supported);
  analysis.placement->shares.push_back(share("cpu", 1));
  settle_support(analysis);
  EXPECT_EQ(analysis.support, Support::partial);
}

TEST(Support, WhatNoRuleSpeaksOfIsNotSupported) {
  Analysis analysis;
  analysis.coverage.emplace().counts = {.supported = 3, .unknown = 1};
  settle_support(analysis);
  EXPECT_EQ(analysis.support, Support::unknown);
}

}  // namespace
}  // namespace hone
