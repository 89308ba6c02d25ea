// Compiled models: made, opened again, and refused where they do not belong.

#include "ep/sim/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ep/testing/host.h"
#include "model/model.h"
#include "model/text/text.h"

namespace hone::ep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::string_view three_nodes = R"(g (float[8] x) => (float[8] y)
    <float[8] w = {1, 2, 3, 4, 5, 6, 7, 8}> {
    [a] t = Mul(x, w)
    [denied] u = Erf(t)
    [b] y = Add(u, w) })";
const Feeds eight = {{"x", floats({8})}};

class SimContext : public ::testing::Test {
 protected:
  Path compiled() const { return folder_.path() / "net_ctx.onnx"; }

  Opening source(KeyValues options = {{"deny", "Erf"}}) const {
    return {.bytes = model_of(three_nodes),
            .ep = "HoneSim",
            .options = std::move(options),
            .level = optimize_none};
  }
  // Opens the compiled model; compiling again is forbidden.
  static Opening reload(Path file, KeyValues options = {{"deny", "Erf"}}) {
    return {.file = std::move(file),
            .ep = "HoneSim",
            .options = std::move(options),
            .config = {{"session.disable_model_compile", "1"}}};
  }
  void compile(bool embeds) const {
    const auto status = Host::get().compile(source(), compiled(), embeds);
    ASSERT_TRUE(status) << problem_of(status);
  }
  std::vector<Path> context_files() const {
    std::vector<Path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".bin") files.push_back(entry.path());
    }
    return files;
  }
  static std::vector<Tensor> results_of(const Opening& opening) {
    auto session = Host::get().open(opening);
    EXPECT_TRUE(session) << problem_of(session);
    return session ? session->run(eight).value() : std::vector<Tensor>{};
  }
  std::vector<Tensor> expected() const {
    Opening on_cpu = source({});
    on_cpu.ep.clear();
    return results_of(on_cpu);
  }
  void replace_in(const Path& file, std::string_view from, std::string_view to) const {
    std::string bytes = read_file(file).value();
    const auto at = bytes.find(from);
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, from.size(), to);
    ASSERT_TRUE(write_file(file, bytes));
  }

  TemporaryFolder folder_ = TemporaryFolder::create("context").value();
};

TEST_F(SimContext, EmbeddedInTheModelRunsAgainWithTheSameResults) {
  HONE_NEEDS_ORT();
  compile(true);
  EXPECT_THAT(context_files(), SizeIs(0));
  const Model model = load_model(compiled()).value();
  std::vector<std::string> ops;
  for (const Node& node : model.graph->nodes()) ops.push_back(node.op_type);
  EXPECT_THAT(ops, ::testing::UnorderedElementsAre("EPContext", "Erf", "EPContext"));
  EXPECT_EQ(model.graph->nodes().front().string_or("source", ""), "HoneSim");
  EXPECT_EQ(results_of(reload(compiled())), expected());
}

TEST_F(SimContext, InFilesBesideTheModelRunsAgainWithTheSameResults) {
  HONE_NEEDS_ORT();
  compile(false);
  EXPECT_THAT(context_files(), SizeIs(2));
  EXPECT_EQ(results_of(reload(compiled())), expected());
}

TEST_F(SimContext, IsMadeThroughTheSessionsConfigurationAsWell) {
  HONE_NEEDS_ORT();
  Opening opening = source();
  opening.config = {{"ep.context_enable", "1"},
                    {"ep.context_embed_mode", "1"},
                    {"ep.context_file_path", compiled().string()}};
  EXPECT_EQ(results_of(opening), expected());
  EXPECT_EQ(results_of(reload(compiled())), expected());
}

TEST_F(SimContext, RunsInAModelThatNoLongerUsesAllOfItsOutputs) {
  HONE_NEEDS_ORT();
  Opening opening = source();
  opening.bytes = model_of(R"(g (float[8] x) => (float[8] y, float[8] z) {
      [one] a = Neg(x) [two] b = Abs(x) [left] y = Erf(a) [right] z = Erf(b) })");
  ASSERT_TRUE(Host::get().compile(opening, compiled(), false));
  std::string text = print_text(load_model(compiled()).value(), PrintOptions::everything());
  const std::string_view both = "=> (float[8] y, float[8] z)";
  ASSERT_NE(text.find(both), std::string::npos) << text;
  text.replace(text.find(both), both.size(), "=> (float[8] z)");
  ASSERT_TRUE(write_file(compiled(), serialize(parse_text(text).value()).value()));

  opening.ep.clear();
  auto whole = Host::get().open(opening);
  ASSERT_TRUE(whole);
  const auto results = results_of(reload(compiled()));
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0], whole->run(eight).value().at(1));
}

TEST_F(SimContext, OfAnotherProfileIsRefused) {
  HONE_NEEDS_ORT();
  compile(true);
  Opening other = reload(compiled(), {{"deny", "Softmax"}});
  other.config.clear();  // the Erf between is free to compile there
  EXPECT_THAT(problem_of(Host::get().open(other)),
              HasSubstr("the model was compiled for the profile 'unnamed', this session has "
                        "'unnamed' (they differ in deny); compile it again for this profile"));
}

TEST_F(SimContext, IsNotBoundToSpeedOrTraces) {
  HONE_NEEDS_ORT();
  compile(true);
  EXPECT_EQ(results_of(reload(compiled(), {{"deny", "Erf"}, {"latency_us", "10"}})), expected());
}

TEST_F(SimContext, OfAnotherVersionIsRefused) {
  HONE_NEEDS_ORT();
  compile(false);
  for (const Path& file : context_files()) replace_in(file, R"("format":1)", R"("format":9)");
  EXPECT_THAT(problem_of(Host::get().open(reload(compiled()))),
              HasSubstr("compiled by another version (context format 9, this one reads 1)"));
}

TEST_F(SimContext, ThatIsCutShortOrGoneIsRefused) {
  HONE_NEEDS_ORT();
  compile(false);
  const Path file = context_files().front();
  const std::string bytes = read_file(file).value();
  ASSERT_TRUE(write_file(file, bytes.substr(0, bytes.size() - 1)));
  EXPECT_THAT(problem_of(Host::get().open(reload(compiled()))), HasSubstr("instead of"));
  ASSERT_TRUE(write_file(file, "something else"));
  EXPECT_THAT(problem_of(Host::get().open(reload(compiled()))),
              HasSubstr("this is no context of the simulator: it does not begin like one"));
  std::filesystem::remove(file);
  EXPECT_THAT(problem_of(Host::get().open(reload(compiled()))),
              HasSubstr(file.filename().string()));
}

TEST_F(SimContext, OfAnotherProviderIsNotTouched) {
  HONE_NEEDS_ORT();
  compile(true);
  Model model = load_model(compiled()).value();
  for (Node& node : model.graph->nodes()) {
    if (node.op_type == "EPContext") {
      node.set_attribute(make_attribute("source", std::string("OtherSim")));
    }
  }
  Opening opening = reload({});
  opening.bytes = serialize(model).value();
  EXPECT_THAT(problem_of(Host::get().open(opening)), HasSubstr("OtherSim"));
}

TEST_F(SimContext, IsNotCompiledTwice) {
  HONE_NEEDS_ORT();
  compile(true);
  Opening again = reload(compiled());
  again.config.clear();
  const auto status = Host::get().compile(again, folder_.path() / "twice.onnx", true);
  EXPECT_FALSE(status);
}

TEST_F(SimContext, KeepsTheNamesOfNodesForTraces) {
  HONE_NEEDS_ORT();
  compile(true);
  const Path file = folder_.path() / "trace.csv";
  results_of(reload(
      compiled(),
      {{"deny", "Erf"}, {"profiling_level", "detailed"}, {"profiling_file_path", file.string()}}));
  EXPECT_THAT(read_file(file).value(), HasSubstr(",a:OpId_16 (cycles)"));
  EXPECT_THAT(read_file(file).value(), HasSubstr(",b:OpId_16 (cycles)"));
}

// The optimizer of the outer session makes up names for what it adds ("gemm_input_shape_token_0");
// a nested session that meets them as initializers may make up the same ones, and fails to open.
TEST_F(SimContext, GivesWeightsNamesThatNoOptimizerMakesUp) {
  HONE_NEEDS_ORT();
  compile(true);
  const Model outer = load_model(compiled()).value();
  sim::Profile profile;
  profile.deny.emplace_back().ops = {"Erf"};
  profile.deny.back().reason = "denied by the option 'deny'";
  const auto context =
      sim::unpack(outer.graph->nodes().front().string_or("ep_cache_context", ""), profile);
  ASSERT_TRUE(context) << problem_of(context);
  const Model nested = parse_model(Blob::borrow(context->model), {}).value();
  ASSERT_THAT(nested.graph->initializers(), SizeIs(1));
  EXPECT_TRUE(nested.graph->initializers()[0]->name().starts_with("hone/weight/"));
}

TEST_F(SimContext, TellsHowWellItSuitsADevice) {
  HONE_NEEDS_ORT();
  const Ort& ort = Host::get().ort();
  const auto judged = [&](DeviceType type, const std::string& text) {
    const OrtEpDevice* device = Host::get().device("HoneSim", type);
    return ask<int>(ort, ort.api.GetModelCompatibilityForEpDevices, &device, std::size_t{1},
                    text.c_str())
        .value();
  };
  sim::Profile profile;
  profile.device = sim::DeviceClass::npu;
  const std::string text = sim::compatibility(profile);
  EXPECT_EQ(judged(device_npu, text), compatibility_optimal);
  EXPECT_EQ(judged(device_gpu, text), compatibility_unsupported);
  EXPECT_EQ(judged(device_npu, R"({"format":9,"device":null})"), compatibility_unsupported);
  EXPECT_EQ(judged(device_npu, "nonsense"), compatibility_unsupported);
  compile(true);
  const Metadata metadata = load_model(compiled()).value().metadata;
  ASSERT_THAT(metadata, SizeIs(::testing::Ge(1u)));
  profile = {};
  EXPECT_EQ(metadata.front().second, sim::compatibility(profile));
}

}  // namespace
}  // namespace hone::ep::testing
