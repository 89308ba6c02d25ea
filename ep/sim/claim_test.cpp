// What the simulator takes of a graph, and that its results are the CPU's, bit by bit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ep/testing/host.h"
#include "record/sim_report.h"

namespace hone::ep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// Opens without optimizations, so that the nodes are those of the text.
Opening on_sim(std::string_view text, KeyValues options = {}) {
  return {.bytes = model_of(text),
          .ep = "HoneSim",
          .options = std::move(options),
          .level = optimize_none};
}

std::vector<Tensor> run(const Opening& opening, const Feeds& feeds) {
  auto session = Host::get().open(opening);
  EXPECT_TRUE(session) << problem_of(session);
  if (!session) return {};
  auto results = session->run(feeds);
  EXPECT_TRUE(results) << problem_of(results);
  return results ? *results : std::vector<Tensor>{};
}

// The groups, after a check that the results equal the CPU's.
std::vector<std::vector<std::string>> groups_of(const Opening& opening, const Feeds& feeds) {
  auto session = Host::get().open(opening);
  EXPECT_TRUE(session) << problem_of(session);
  if (!session) return {};
  Opening on_cpu = opening;
  on_cpu.ep.clear();
  const auto results = session->run(feeds);
  EXPECT_TRUE(results) << problem_of(results);
  if (!results) return {};
  EXPECT_EQ(results.value(), run(on_cpu, feeds));
  return session->groups_on("HoneSim");
}

constexpr std::string_view diamond = R"(g (float[8] x) => (float[8] y) {
    [top] t = Neg(x)
    [left] l = Relu(t)
    [right] r = Abs(t)
    [bottom] y = Add(l, r) })";

const Feeds eight = {{"x", floats({8})}};

TEST(SimClaim, TakesAWholeGraphAsOneGroup) {
  HONE_NEEDS_ORT();
  EXPECT_THAT(groups_of(on_sim(diamond), eight),
              ElementsAre(UnorderedElementsAre("top", "left", "right", "bottom")));
}

TEST(SimClaim, LeavesADeniedOpToTheCpuAndSplitsTheDiamondThere) {
  HONE_NEEDS_ORT();
  EXPECT_THAT(groups_of(on_sim(diamond, {{"deny", "Relu"}}), eight),
              UnorderedElementsAre(UnorderedElementsAre("top", "right"), ElementsAre("bottom")));
}

TEST(SimClaim, JoinsAcrossADeniedNodeThatIsOnNoPathBetween) {
  HONE_NEEDS_ORT();
  // In the order of nodes the denied one stands between; a group of neighbours would be two.
  const auto text = R"(g (float[8] x) => (float[8] y, float[8] z) {
      [a] p = Neg(x)
      [denied] z = Erf(p)
      [b] q = Abs(p)
      [c] y = Relu(q) })";
  EXPECT_THAT(groups_of(on_sim(text, {{"deny", "Erf"}}), eight),
              ElementsAre(UnorderedElementsAre("a", "b", "c")));
}

TEST(SimClaim, NeverMakesTwoGroupsWaitForEachOther) {
  HONE_NEEDS_ORT();
  const auto text = R"(g (float[8] x) => (float[8] y, float[8] z) {
      [a1] p = Neg(x)
      [a2] q = Erf(p)
      [a3] y = Neg(q)
      [b1] r = Abs(x)
      [b2] s = Erf(r)
      [b3] z = Abs(s) })";
  EXPECT_THAT(
      groups_of(on_sim(text, {{"deny", "Erf"}}), eight),
      UnorderedElementsAre(UnorderedElementsAre("a1", "b1"), UnorderedElementsAre("a3", "b3")));
}

TEST(SimClaim, TellsWhyANodeWasNotTaken) {
  HONE_NEEDS_ORT();
  const TemporaryFolder folder = TemporaryFolder::create("claim").value();
  const Path file = folder.path() / "report.json";
  Host::get().take_log();
  groups_of(on_sim(diamond, {{"deny", "Relu"}, {"report", file.string()}}), eight);
  const auto report =
      from_document<SimReport>(Json::parse(read_file(file).value()).value(), sim_report_schema);
  ASSERT_TRUE(report) << problem_of(report);
  ASSERT_THAT(report->declined, SizeIs(1));
  EXPECT_EQ(report->declined[0].node, "left");
  EXPECT_EQ(report->declined[0].op, "Relu");
  EXPECT_EQ(report->declined[0].reason, "denied by the option 'deny'");
  EXPECT_THAT(report->groups, ElementsAre(ElementsAre("top", "right"), ElementsAre("bottom")));
  EXPECT_THAT(Host::get().take_log(),
              HasSubstr("HoneSim: node 'left' (Relu) is not taken: denied by the option 'deny'"));
}

TEST(SimClaim, FollowsTheTypesAndShapesOfAProfile) {
  HONE_NEEDS_ORT();
  const TemporaryFolder folder = TemporaryFolder::create("claim").value();
  const Path file = folder.path() / "profile.json";
  ASSERT_TRUE(write_file(file, R"({"schema_version": 1, "name": "small", "allow": [
      {"ops": ["*"], "types": ["float"], "max_rank": 1, "dynamic_shapes": false}]})"));
  const auto text = R"(g (float[8] x, float[N] d) => (double[8] y, float[2,4] z, float[N] e)
      <int64[2] two = {2, 4}> {
      [taken] t = Relu(x)
      [typed] y = Cast<to = 11>(t)
      [ranked] z = Reshape(t, two)
      [dynamic] e = Neg(d) })";
  EXPECT_THAT(groups_of(on_sim(text, {{"profile", file.string()}}),
                        {{"x", floats({8})}, {"d", floats({3})}}),
              ElementsAre(ElementsAre("taken")));
}

TEST(SimClaim, CopiesWeightsAndEveryKindOfAttribute) {
  HONE_NEEDS_ORT();
  std::string weights = "{0.5";
  for (int i = 1; i < 54; ++i) weights += ", " + std::to_string(i) + ".25";
  const std::string text = R"(<opset_import: ["": 17]>
      g (float[1,3,8,8] x, int64[2] s) => (float[1,2,6,6] y, uint8[A,B] filled, float[1,3,16,16] up)
      <float[2,3,3,3] w = )" +
                           weights +
                           R"(}, float[2] b = {1, -1}, float[4] scales = {1, 1, 2, 2}> {
      [conv] t = Conv <kernel_shape = [3, 3], auto_pad = "VALID"> (x, w, b)
      [leaky] y = LeakyRelu <alpha = 0.3> (t)
      [fill] filled = ConstantOfShape <value = uint8[1] {7}> (s)
      [up] up = Resize <mode = "nearest", coordinate_transformation_mode = "asymmetric"> (x, , scales) })";
  const auto groups = groups_of(on_sim(text), {{"x", floats({1, 3, 8, 8})}, {"s", ints({2, 3})}});
  EXPECT_THAT(groups, ElementsAre(UnorderedElementsAre("conv", "leaky", "fill", "up")));
}

TEST(SimClaim, LeavesControlFlowAndWhatIsInsideToTheCpu) {
  HONE_NEEDS_ORT();
  const TemporaryFolder folder = TemporaryFolder::create("claim").value();
  const Path file = folder.path() / "report.json";
  // The If uses `t` without naming it as an input: it must still run behind the group of `before`.
  const auto text = R"(g (bool c, float[8] x) => (float[8] z) {
      [before] t = Neg(x)
      [choice] y = If(c) <then_branch = a () => (float[8] p) { p = Relu(t) },
                          else_branch = b () => (float[8] q) { q = Abs(t) }>
      [after] z = Add(y, t) })";
  for (const bool chosen : {true, false}) {
    EXPECT_THAT(groups_of(on_sim(text, {{"report", file.string()}}),
                          {{"x", floats({8})}, {"c", boolean(chosen)}}),
                UnorderedElementsAre(ElementsAre("before"), ElementsAre("after")));
  }
  EXPECT_THAT(read_file(file).value(), HasSubstr("it holds a subgraph"));
}

TEST(SimClaim, LeavesStringsAndSequencesToTheCpu) {
  HONE_NEEDS_ORT();
  const auto text = R"(g (float[8] x) => (float[8] y) {
      [pack] s = SequenceConstruct(x)
      [unpack] t = SequenceAt(s, zero)
      [taken] y = Neg(t) })";
  std::string with_index = text;
  with_index.insert(with_index.find(" {"), " <int64 zero = {0}>");
  EXPECT_THAT(groups_of(on_sim(with_index), eight), ElementsAre(ElementsAre("taken")));
}

TEST(SimClaim, RunsShapesThatAreKnownOnlyAtRunTime) {
  HONE_NEEDS_ORT();
  auto opening = on_sim("g (float[N,M] x) => (float[M,N] y) { y = Transpose(x) }");
  auto session = Host::get().open(opening);
  ASSERT_TRUE(session);
  opening.ep.clear();
  for (const std::int64_t rows : {1, 5, 0, 3}) {
    const Feeds feeds = {{"x", floats({rows, 4})}};
    EXPECT_EQ(session->run(feeds).value(), run(opening, feeds)) << rows;
  }
}

TEST(SimClaim, RunsAGroupThatNeedsNothing) {
  HONE_NEEDS_ORT();
  EXPECT_THAT(
      groups_of(on_sim(R"(g () => (float[2] y) <float[2] w = {1, 2}> { [n] y = Neg(w) })"), {}),
      ElementsAre(ElementsAre("n")));
}

TEST(SimClaim, RefusesAReportThatCannotBeWritten) {
  HONE_NEEDS_ORT();
  const TemporaryFolder folder = TemporaryFolder::create("claim").value();
  EXPECT_THAT(problem_of(Host::get().open(on_sim(diamond, {{"report", folder.path().string()}}))),
              HasSubstr(folder.path().string()));
}

// --- real models

TEST(SimClaim, RunsARealModelWithTheResultsOfTheCpu) {
  HONE_NEEDS_ORT();
  const Path file = Path(HONE_SOURCE_DIR) / "build/models/ch_ppocr_mobile_v2.0_cls_infer.onnx";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  Opening opening{.file = file, .ep = "HoneSim", .options = {{"deny", "Softmax"}}};
  const Feeds feeds = {{"x", floats({1, 3, 48, 192})}};
  const auto groups = groups_of(opening, feeds);
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_GT(groups[0].size(), 100u);
}

}  // namespace
}  // namespace hone::ep::testing
