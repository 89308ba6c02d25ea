// The real ONNX Runtime: loading, targets, sessions, samples.

#include "runtime/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "model/fingerprint.h"
#include "model/npz/npz.h"
#include "model/text/text.h"
#include "runtime/prepared.h"
#include "runtime/sample_stream.h"
#include "runtime/target.h"

namespace hone {
namespace {

using testing::HasSubstr;

std::string ort_library() {
  const char* chosen = std::getenv("HONE_ORT");
  return chosen != nullptr ? chosen : HONE_SOURCE_DIR "/build/lib/libonnxruntime.so.1";
}

Path tiny(const std::string& name, const std::string& file) {
  return Path(HONE_SOURCE_DIR) / "tests/fixtures/tiny" / name / file;
}

class WithRuntime : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(ort_library()))
      GTEST_SKIP() << "no ONNX Runtime at " << ort_library() << ": run make setup";
    auto loaded = Runtime::load({ort_library()});
    ASSERT_TRUE(loaded) << loaded.error().what << ": " << loaded.error().cause;
    runtime_ = *loaded;
  }
  std::shared_ptr<Runtime> runtime_;
};

TEST(Loading, SaysOfEveryCandidateWhyItWillNotDo) {
  const auto runtime = Runtime::load({"/nowhere/libonnxruntime.so", "libm.so.6"});
  ASSERT_FALSE(runtime);
  EXPECT_EQ(runtime.error().what, "cannot load ONNX Runtime");
  EXPECT_THAT(runtime.error().cause, HasSubstr("/nowhere/libonnxruntime.so: "));
  EXPECT_THAT(runtime.error().cause, HasSubstr("libm.so.6: "));
  EXPECT_THAT(runtime.error().hint, HasSubstr("HONE_ORT"));
}

TEST_F(WithRuntime, SwitchesTelemetryOffBeforeTheLibraryIsLoaded) {
  EXPECT_STREQ(std::getenv("ORT_DISABLE_TELEMETRY"), "1");
}

TEST_F(WithRuntime, TheCpuIsAlwaysThere) {
  const auto devices = find_devices(*runtime_, Target{});
  ASSERT_TRUE(devices);
  EXPECT_EQ(devices->front().facts.type, "cpu");
}

TEST_F(WithRuntime, ATargetThatIsNotThereIsAnErrorThatListsWhatIs) {
  const auto devices = find_devices(*runtime_, Target{"qnn", "npu", {}});
  ASSERT_FALSE(devices);
  EXPECT_EQ(devices.error().what, "qnn is not here: there is no device for it");
  EXPECT_THAT(devices.error().cause, HasSubstr("offers: cpu"));
}

TEST_F(WithRuntime, PlacementIsReadBack) {
  const auto session = Session::open(runtime_, tiny("resnet-cls", "torch-opset17.onnx"), {});
  ASSERT_TRUE(session) << session.error().cause;
  ASSERT_TRUE(session->placement().known);
  EXPECT_EQ(session->placement().share_of("cpu"), 1.0);
  EXPECT_THAT(describe(session->placement()), testing::StartsWith("placement: cpu "));
}

TEST_F(WithRuntime, AModelThatCannotBeOpenedSaysWhatTheRuntimeSaid) {
  const auto session = Session::open(runtime_, tiny("resnet-cls", "reference.npz"), {});
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().what, HasSubstr("cannot open"));
  EXPECT_THAT(session.error().cause, HasSubstr("onnxruntime: "));
}

TEST_F(WithRuntime, AnUnknownSessionOptionIsRefusedWithTheNearestKnownOne) {
  SessionSettings settings;
  settings.options = {{"session.intra_op.allow_spining", "0"}};
  const auto session = Session::open(runtime_, tiny("resnet-cls", "torch-opset17.onnx"), settings);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().what, "there is no session option 'session.intra_op.allow_spining'");
  EXPECT_EQ(session.error().hint, "did you mean 'session.intra_op.allow_spinning'?");
}

TEST_F(WithRuntime, AnInputTheModelDoesNotHaveIsRefusedByName) {
  const auto session = Session::open(runtime_, tiny("resnet-cls", "torch-opset17.onnx"), {});
  ASSERT_TRUE(session);
  const float one[] = {1};
  const auto binding = session->bind({{"nonsense", make_float_tensor("nonsense", one)}});
  ASSERT_FALSE(binding);
  EXPECT_THAT(binding.error().what, HasSubstr("'nonsense'"));
}

// ---- the foundation's promise, completed: what we write runs, and gives what the original gives

struct Reference {
  Sample inputs;
  NamedTensors outputs;
};

Reference read_reference(const std::string& model) {
  Reference reference;
  const auto arrays = read_npz(tiny(model, "reference.npz"));
  EXPECT_TRUE(arrays);
  for (const TensorPtr& array : *arrays) {
    auto& side = array->name.starts_with("in_") ? reference.inputs : reference.outputs;
    side[array->name.substr(array->name.find('_') + 1)] = array;
  }
  return reference;
}

// The largest difference over the largest reference value.
double relative_error(const Tensor& got, const Tensor& wanted) {
  const std::vector<double> a = *to_doubles(got);
  const std::vector<double> b = *to_doubles(wanted);
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  double scale = 1e-12;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return worst / scale;
}

class TinyModels : public WithRuntime, public testing::WithParamInterface<const char*> {};

TEST_P(TinyModels, MatchTheOriginalsOutputs) {
  const Reference reference = read_reference(GetParam());
  for (const char* file : {"torch-opset17.onnx", "torch-opset21.onnx"}) {
    const auto session = Session::open(runtime_, tiny(GetParam(), file), {});
    ASSERT_TRUE(session) << session.error().cause;
    const auto outputs = session->run(reference.inputs);
    ASSERT_TRUE(outputs) << outputs.error().what << ": " << outputs.error().cause;
    for (const auto& [name, wanted] : reference.outputs) {
      ASSERT_TRUE(outputs->contains(name)) << name;
      EXPECT_LT(relative_error(*outputs->at(name), *wanted), 1e-5) << file << " " << name;
    }
  }
}

TEST_P(TinyModels, GiveBitEqualOutputsAfterLoadAndSave) {
  const Reference reference = read_reference(GetParam());
  for (const char* file : {"torch-opset17.onnx", "torch-opset21.onnx"}) {
    const auto before = Session::open(runtime_, tiny(GetParam(), file), {});
    ASSERT_TRUE(before);
    const auto saved = serialize(*load_model(tiny(GetParam(), file)));
    ASSERT_TRUE(saved);
    const auto after = Session::open_bytes(runtime_, *saved, {});
    ASSERT_TRUE(after) << after.error().cause;
    const auto wanted = before->run(reference.inputs);
    const auto got = after->run(reference.inputs);
    ASSERT_TRUE(wanted && got);
    for (const auto& [name, tensor] : *wanted)
      EXPECT_EQ(*got->at(name)->bytes(), *tensor->bytes()) << file << " " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, TinyModels,
                         testing::Values("bert", "bert-cls", "convnext-cls", "dinov2",
                                         "distilbert-cls", "resnet-cls", "roberta-cls", "vit-cls"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ---- samples

TEST_F(WithRuntime, AModelInMemoryRunsLikeItsFile) {
  for (const auto& [name, level] : {std::pair<std::string, std::string>{"resnet-cls", "all"},
                                    {"bert-cls", "all"},
                                    {"resnet-cls", "disable"},
                                    {"bert-cls", "disable"}}) {
    const Path file = tiny(name, "torch-opset17.onnx");
    const Model model = load_model(file).value();
    SessionSettings settings;
    settings.options["graph_optimization_level"] = level;
    const auto from_file = Session::open(runtime_, file, settings);
    const auto from_memory = Session::open_model(runtime_, model, settings);
    ASSERT_TRUE(from_memory) << from_memory.error().what << ": " << from_memory.error().cause;
    const Sample sample =
        generate_samples(from_file->inputs(), {}, read_input_facts(model), 7, 1)->samples.front();
    const NamedTensors expected = from_file->run(sample).value();
    const NamedTensors actual = from_memory->run(sample).value();
    ASSERT_EQ(actual.size(), expected.size());
    for (const auto& [output, tensor] : expected) {
      EXPECT_TRUE(actual.at(output)->bytes().value() == tensor->bytes().value()) << output;
    }
  }
}

TEST_F(WithRuntime, AModelInMemoryWithoutItsWeightsSaysWhichFileIsMissing) {
  const Model model =
      load_model(Path(HONE_SOURCE_DIR) / "tests/fixtures/zoo/roberta-base.opset17.onnx").value();
  SessionSettings settings;
  settings.options["graph_optimization_level"] = "disable";
  const auto session = Session::open_model(runtime_, model, settings);
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().what, HasSubstr("'roberta-base.opset17.weights' is missing"));
}

TEST_F(WithRuntime, SeededSamplesFitTheModelAndStayInsideItsTables) {
  RunPlan plan;
  plan.model = tiny("bert-cls", "torch-opset17.onnx");
  const auto prepared = PreparedRun::open(runtime_, plan);
  ASSERT_TRUE(prepared) << prepared.error().what << ": " << prepared.error().cause;
  EXPECT_EQ(prepared->sample_count(), 4u);
  for (std::size_t i = 0; i < prepared->sample_count(); ++i) EXPECT_TRUE(prepared->run(i));
}

TEST_F(WithRuntime, AnOutputOfAnotherShapeThanItsDeclarationRunsAgainAndAgain) {
  // The rank of s is seen only when it runs, so that ONNX Runtime believes what is declared of y.
  const Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2,12] x) => (float[2,12] y)
<float zero = {0}, int64[1] three = {3}, int64[3] dims = {2, 3, 4}> {
  a = Abs(x)
  m = ReduceMax<keepdims = 0>(a)
  c1 = GreaterOrEqual(m, zero)
  c = Expand(c1, three)
  s = Compress(dims, c)
  y = Reshape(x, s)
})")
                          .value();
  const TemporaryFolder folder = TemporaryFolder::create("wrong-shape").value();
  RunPlan plan;
  plan.model = (folder.path() / "model.onnx").string();
  ASSERT_TRUE(save_model(model, plan.model));
  const auto prepared = PreparedRun::open(runtime_, plan);
  ASSERT_TRUE(prepared);
  ASSERT_TRUE(prepared->run(0));
  EXPECT_THAT(prepared->wrong_outputs(),
              testing::ElementsAre(HasSubstr(
                  "the output 'y' is declared as float[2,12] and comes as float[2,3,4]")));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(prepared->run(0));
  const auto times = prepared->time_runs(0, 9, std::chrono::hours(1));
  ASSERT_TRUE(times) << times.error().cause;
  EXPECT_EQ(times->size(), 9U);
}

// ONNX Runtime sets the thread of the first session of a process for good.
TEST_F(WithRuntime, DenormalsAreAsTheSessionSaysWhateverTheFirstOneSaid) {
  const Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) <float[2] small = {1e-30, 1e-30}> { y = Mul(x, small) })")
                          .value();
  const std::string bytes = serialize(model).value();
  SessionSettings zeroes;
  zeroes.options["session.set_denormal_as_zero"] = "1";
  const auto first = Session::open_bytes(runtime_, bytes, zeroes);
  const auto second = Session::open_bytes(runtime_, bytes, {});
  ASSERT_TRUE(first && second);
  const std::vector<float> tiny_numbers = {1e-10F, 2e-10F};
  const NamedTensors inputs = {
      {"x", make_tensor("x", ElementType::float32, {2},
                        Blob::own(std::string(reinterpret_cast<const char*>(tiny_numbers.data()),
                                              sizeof(float) * tiny_numbers.size())))}};
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_THAT(*to_doubles(*first->run(inputs)->at("y")), testing::Each(0.0)) << turn;
    EXPECT_THAT(*to_doubles(*second->run(inputs)->at("y")), testing::Each(testing::Gt(0.0)))
        << turn;
  }
}

// As scikit-learn's classifiers come: a map from class to probability for every row.
TEST_F(WithRuntime, ASequenceComesAsOneTensorAndAMapAsItsValues) {
  const Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 1]>
g (float[2,3] x) => (seq(map(int64, float)) maps, seq(float[3]) rows, seq(float) ragged)
  <float[3] first = {1, 2, 3}, float[2] second = {4, 5}> {
    maps = ai.onnx.ml.ZipMap <classlabels_int64s = [7, 8, 9]> (x)
    rows = SequenceConstruct(first, first)
    ragged = SequenceConstruct(first, second)
  })")
                          .value();
  const auto session = Session::open_bytes(runtime_, serialize(model).value(), {});
  ASSERT_TRUE(session) << session.error().cause;
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  const NamedTensors inputs = {
      {"x", make_tensor("x", ElementType::float32, {2, 3},
                        Blob::own(std::string(reinterpret_cast<const char*>(numbers.data()),
                                              sizeof(float) * numbers.size())))}};
  const auto outputs = session->run(inputs);
  ASSERT_TRUE(outputs) << outputs.error().what;
  using testing::ElementsAre;
  EXPECT_THAT(outputs->at("maps")->dims, ElementsAre(2, 3));
  EXPECT_THAT(*to_doubles(*outputs->at("maps")), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(outputs->at("rows")->dims, ElementsAre(2, 3));
  EXPECT_THAT(outputs->at("ragged")->dims, ElementsAre(5));
  EXPECT_THAT(*to_doubles(*outputs->at("ragged")), ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(WithRuntime, ASequenceIsNotHandedInAsATensor) {
  const Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (seq(float[2]) rows) => (int64 count) { count = SequenceLength(rows) })")
                          .value();
  const auto session = Session::open_bytes(runtime_, serialize(model).value(), {});
  ASSERT_TRUE(session) << session.error().cause;
  const auto outputs = session->run(
      {{"rows", make_tensor("rows", ElementType::float32, {2}, Blob::own(std::string(8, 0)))}});
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().fault, Fault::unsupported);
  EXPECT_EQ(outputs.error().what,
            "the input 'rows' is a sequence or a map, which cannot be handed in");
}

TEST_F(WithRuntime, AMillionThreadsAreRefusedBeforeTheyAreStarted) {
  SessionSettings settings;
  settings.threads = 4'000'000;
  const auto session = Session::open(runtime_, tiny("bert-cls", "torch-opset17.onnx"), settings);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().what, "4000000 threads cannot be started");
}

TEST_F(WithRuntime, AnOutputAsDeclaredIsNothingToSpeakOf) {
  RunPlan plan;
  plan.model = tiny("bert-cls", "torch-opset17.onnx");
  const auto prepared = PreparedRun::open(runtime_, plan);
  ASSERT_TRUE(prepared && prepared->run(0));
  EXPECT_TRUE(prepared->wrong_outputs().empty());
}

TEST_F(WithRuntime, TheSameSeedGivesTheSameSamples) {
  RunPlan plan;
  plan.model = tiny("resnet-cls", "torch-opset17.onnx");
  const auto first = PreparedRun::open(runtime_, plan);
  const auto second = PreparedRun::open(runtime_, plan);
  plan.seed = 1;
  const auto other = PreparedRun::open(runtime_, plan);
  ASSERT_TRUE(first && second && other);
  const std::string input = first->session().inputs()[0].name;
  EXPECT_EQ(*first->samples()[0].at(input)->bytes(), *second->samples()[0].at(input)->bytes());
  EXPECT_NE(*first->samples()[0].at(input)->bytes(), *first->samples()[1].at(input)->bytes());
  EXPECT_NE(*first->samples()[0].at(input)->bytes(), *other->samples()[0].at(input)->bytes());
}

TEST_F(WithRuntime, SamplesInAFileMustFitTheModel) {
  const auto session = Session::open(runtime_, tiny("resnet-cls", "torch-opset17.onnx"), {});
  const TemporaryFolder folder = *TemporaryFolder::create("samples");
  const float numbers[] = {1, 2};
  ASSERT_TRUE(write_npz(folder.path() / "bad.npz", {make_float_tensor("nonsense", numbers)}));
  auto samples = load_samples(folder.path() / "bad.npz", session->inputs());
  ASSERT_FALSE(samples);
  EXPECT_THAT(samples.error().what, HasSubstr("the model has no such input"));
  ASSERT_TRUE(write_npz(folder.path() / "bad.npz",
                        {make_float_tensor("0/" + session->inputs()[0].name, numbers)}));
  samples = load_samples(folder.path() / "bad.npz", session->inputs());
  ASSERT_FALSE(samples);
  EXPECT_THAT(samples.error().what, HasSubstr("is float[2], and the model takes float["));
}

std::vector<Sample> drain(SampleStream& stream) {
  std::vector<Sample> samples;
  while (auto sample = stream.next().value()) samples.push_back(*std::move(sample));
  return samples;
}

TEST_F(WithRuntime, AStreamGivesTheSamplesOfASeedOneByOneAndAgain) {
  const auto session = Session::open(runtime_, tiny("resnet-cls", "torch-opset17.onnx"), {});
  const auto expected = generate_samples(session->inputs(), {}, {}, 7, 3)->samples;
  SampleStream stream = SampleStream::from_seed(session->inputs(), {}, {}, 7, 3).value();
  for (int round = 0; round < 2; ++round) {
    const std::vector<Sample> samples = drain(stream);
    ASSERT_EQ(samples.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& [name, tensor] = *expected[i].begin();
      EXPECT_TRUE(samples[i].at(name)->bytes().value() == tensor->bytes().value());
    }
    stream.rewind();
  }
}

TEST_F(WithRuntime, AStreamReadsFileAfterFileUpToItsLimit) {
  const auto session = Session::open(runtime_, tiny("resnet-cls", "torch-opset17.onnx"), {});
  const TemporaryFolder folder = *TemporaryFolder::create("stream");
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto made = generate_samples(session->inputs(), {}, {}, i, 1)->samples.front();
    const Path file = folder.path() / (std::to_string(i) + ".npz");
    ASSERT_TRUE(write_npz(file, {made.begin()->second}));
  }
  SampleStream all = SampleStream::from_files(folder.path(), session->inputs()).value();
  EXPECT_EQ(drain(all).size(), 3U);
  SampleStream two = SampleStream::from_files(folder.path(), session->inputs(), 2).value();
  EXPECT_EQ(drain(two).size(), 2U);
  EXPECT_NE(all.identity(), two.identity());
}

}  // namespace
}  // namespace hone
