// Ops run alone: on the simulated accelerator, and on the CPU EP against the rules that are shipped
// for it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/coverage/coverage.h"
#include "inspect/coverage/probe_ops.h"
#include "inspect/coverage/specimens.h"
#include "model/text/text.h"
#include "runtime/infer.h"
#include "tests/fixture_models.h"
#include "tests/runtime/with_runtime.h"

namespace hone {
namespace {

using testing::HasSubstr;

OpProbeJob job_on(const std::string& ep, std::map<std::string, std::string> options = {}) {
  OpProbeJob job;
  job.run.ort = {ort_library()};
  job.run.target = {ep, "auto", std::move(options)};
  if (ep == "sim") job.run.ep_libraries = {{"hone", HONE_EP_LIBRARY}};
  job.program = HONE_PROGRAM;
  return job;
}

Model two_ops() {
  return *parse_text(R"(<ir_version: 10, opset_import: ["" : 21]>
net (float[2,3] x) => (float[2,3] y) <float[2,3] h, float[2,3] s>
{ h = Relu(x)  s = Softmax(h)  y = Relu(s) })");
}

class OpProbes : public WithRuntime {};

TEST_F(OpProbes, TellWhatATargetTakes) {
  const Model model = two_ops();
  CoverageFacts facts = cover(model, nullptr, {"sim", "npu", ""});
  EXPECT_EQ(facts.counts.unknown, 3u);
  OpProbeJob job = job_on("sim", {{"deny", "Softmax"}});
  int runs = 0;
  job.progress = [&](const std::string&) { ++runs; };
  const Status status = run_unknown_ops(model, job, facts);
  ASSERT_TRUE(status) << words_of(status.error());
  EXPECT_EQ(facts.nodes[0].status, Support::supported) << facts.nodes[0].reason;
  EXPECT_EQ(facts.nodes[0].source, "run");
  EXPECT_EQ(facts.nodes[1].status, Support::unsupported);
  EXPECT_THAT(facts.nodes[1].reason, HasSubstr("fallback"));
  EXPECT_EQ(facts.nodes[2].status, Support::supported) << facts.nodes[2].reason;
  EXPECT_EQ(runs, 2) << "equal nodes are run once";
  EXPECT_EQ(facts.counts, (CoverageCounts{2, 0, 1, 0}));
}

TEST_F(OpProbes, SurviveATargetThatDies) {
  const Model model = two_ops();
  CoverageFacts facts = cover(model, nullptr, {"sim", "npu", ""});
  const Status status = run_unknown_ops(model, job_on("sim", {{"crash", "run:1"}}), facts);
  ASSERT_TRUE(status) << words_of(status.error());
  EXPECT_EQ(facts.counts, (CoverageCounts{0, 0, 3, 0}));
}

TEST_F(OpProbes, LearnNothingFromAModelThatRunsNowhere) {
  const Model model = *parse_text(R"(<ir_version: 10, opset_import: ["" : 21]>
net (float[2,3] x) => (float[9] y) <int64[1] s = {9}> { y = Reshape(x, s) })");
  CoverageFacts facts = cover(model, nullptr, {"sim", "npu", ""});
  ASSERT_TRUE(run_unknown_ops(model, job_on("sim"), facts));
  EXPECT_EQ(facts.nodes[0].status, Support::unknown);
  EXPECT_THAT(facts.nodes[0].reason, HasSubstr("not run on the CPU either"));
}

// Every 29th form, so that a run takes seconds; `hone probe-rules` makes all of them.
TEST_F(OpProbes, AgreeWithTheShippedRulesOfTheCpu) {
  const auto files = load_rules();
  ASSERT_TRUE(files) << words_of(files.error());
  const NamedRules* rules = find_rules(*files, "cpu", "cpu");
  ASSERT_NE(rules, nullptr);
  if (!is_inside(rules->rules.onnxruntime, runtime_->version()))
    GTEST_SKIP() << "the rules are of ONNX Runtime " << rules->rules.onnxruntime.since
                 << ", here is " << runtime_->version();
  auto prober = OpProber::create(job_on("cpu"));
  ASSERT_TRUE(prober) << words_of(prober.error());
  std::size_t form = 0;
  std::size_t compared = 0;
  for (const Specimen& specimen : all_specimens()) {
    for (const std::string& type : probed_types()) {
      if (form++ % 29 != 0) continue;
      constexpr int opset = 21;
      if (specimen.since > opset || (specimen.until != 0 && specimen.until < opset)) continue;
      auto model = make_specimen(specimen, opset, type, specimen.second.front());
      if (!model) continue;
      const auto probed = prober->probe(*model);
      ASSERT_TRUE(probed) << words_of(probed.error());
      if (probed->status != Support::unknown) {
        ASSERT_TRUE(infer_types(runtime_, HONE_EP_LIBRARY, *model)) << specimen.node;
      }
      const CoverageFacts facts = cover(*model, rules, {"cpu", "cpu", runtime_->version()});
      if (facts.nodes[0].source == "shortcut") continue;
      EXPECT_EQ(facts.nodes[0].status, probed->status)
          << specimen.node << " of " << type << ": " << facts.nodes[0].reason << " / "
          << probed->reason;
      ++compared;
    }
  }
  EXPECT_GT(compared, 30u);
}

// The ops of common models are what the specimens were chosen from.
TEST_F(OpProbes, LeaveNoNodeOfTheFixturesUnknownOnTheCpu) {
  const auto files = load_rules();
  ASSERT_TRUE(files) << words_of(files.error());
  const NamedRules* rules = find_rules(*files, "cpu", "cpu");
  ASSERT_NE(rules, nullptr);
  for (const std::string& path : fixture_models()) {
    auto model = load_model(path);
    ASSERT_TRUE(model) << words_of(model.error());
    const Status inferred = infer_types(runtime_, HONE_EP_LIBRARY, *model);
    ASSERT_TRUE(inferred) << path << words_of(inferred.error());
    for (const NodeCoverage& node : cover(*model, rules, {"cpu", "cpu", ""}).nodes)
      EXPECT_NE(node.status, Support::unknown) << path << " " << node.op << ": " << node.reason;
  }
}

}  // namespace
}  // namespace hone
