// hone run end to end on the real ONNX Runtime, in workers: what each kind of input becomes, what
// comes out, and what goes wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/run/run_model.h"
#include "model/npz/npz.h"
#include "model/text/text.h"
#include "ort_library.h"

namespace hone {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string fixtures = HONE_SOURCE_DIR "/tests/fixtures/run/";

class Running : public testing::Test {
 protected:
  // Saves the model under its own name, for requests.
  void use(const std::string& graph, const std::string& opsets = "\"\": 17") {
    model_ = parse_text("<opset_import: [" + opsets + "]> g " + graph).value();
    ASSERT_TRUE(
        save_model(model_, file_,
                   {.placement = DataPlacement::automatic, .data_file = {}, .overwrite = true}));
    request_ = {};
    RunInputsRequest& inputs = request_.inputs;
    inputs.plan.model = file_.string();
    inputs.plan.ort = {ort_library()};
    inputs.plan.samples = 0;
    inputs.program = HONE_PROGRAM;
  }

  Result<RunReport> run(std::vector<std::string> words) {
    request_.inputs.words = std::move(words);
    return run_model(request_, model_, {});
  }

  // The values of the first output of the first run.
  std::string values(std::vector<std::string> words) {
    const auto report = run(std::move(words));
    EXPECT_TRUE(report) << report.error().what << ": " << report.error().cause;
    return report ? to_json(report->runs.front().outputs.front().values).dump(-1) : "";
  }

  Error refusal(std::vector<std::string> words) {
    const auto report = run(std::move(words));
    EXPECT_FALSE(report);
    return report ? Error{} : report.error();
  }

  std::string write_array(const std::string& name, const TensorPtr& tensor) const {
    const Path file = folder_.path() / name;
    EXPECT_TRUE(write_npz(file, {tensor}));
    return file.string();
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("running");
  Path file_ = folder_.path() / "model.onnx";
  Model model_;
  RunRequest request_;
};

TEST_F(Running, TakesNumbersValuesAndTextFromTheCommandLine) {
  use("(float[N] x, float s) => (float[N] y) { y = Mul(x, s) }");
  EXPECT_EQ(values({"x=[1,2.5]", "s:=2"}), "[2.0,5.0]");
  use("(string[N] s) => (string[N] t) { t = Identity(s) }");
  EXPECT_EQ(values({"text:na\xC3\xAFve"}), "[\"na\xC3\xAFve\"]");
  EXPECT_EQ(values({R"(s=["a","b"])"}), R"(["a","b"])");
}

TEST_F(Running, SizesAValueByWhatElseIsGiven) {
  use("(int64[B,S] ids, int64[B,S] mask) => (int64[B,S] y) { y = Add(ids, mask) }");
  EXPECT_EQ(values({"ids=[5,6,7]", "mask:=1"}), "[6,7,8]");
  const auto report = run({"ids=[5,6,7]", "mask:=1"});
  EXPECT_THAT(report->notes, IsEmpty());
  EXPECT_EQ(report->runs[0].inputs[1].from, "1");
}

TEST_F(Running, CastsArraysAndSaysSo) {
  use("(float[N] x) => (float[N] y) { y = Neg(x) }");
  const double numbers[] = {0.5, 2};
  const TensorPtr array =
      make_tensor("x", ElementType::float64, {2},
                  Blob::own(std::string(reinterpret_cast<const char*>(numbers), sizeof numbers)));
  const std::string file = write_array("x.npz", array);
  EXPECT_EQ(values({"x=" + file}), "[-0.5,-2.0]");
  request_.inputs.words.clear();
  request_.inputs.plan.input_data = file;
  const auto report = run({});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->notes, ElementsAre("x: cast from double to float"));
  EXPECT_EQ(report->runs[0].inputs[0].from, file);
}

TEST_F(Running, ReadsAPictureInTheLayoutTheTypeAndTheSizeOfTheInput) {
  use("(uint8[1,48,64,3] x) => (uint8[1,48,64,3] y) { y = Identity(x) }");
  const auto bytes = run({fixtures + "disc.png"});
  ASSERT_TRUE(bytes) << bytes.error().what;
  EXPECT_EQ(bytes->runs[0].outputs[0].max, 220);
  EXPECT_THAT(bytes->notes, ElementsAre("x: pictures are scaled as a whole to 48x64 and become "
                                        "uint8[1,48,64,3] of red, green and blue, 0 to 255 as they "
                                        "are"));
  use("(float[1,1,H,W] x) => (float[1,1,H,W] y) { y = Identity(x) }");
  request_.inputs.image_size = ImageSize{8, 12};
  request_.inputs.says_scaling = true;
  request_.inputs.images = {.mean = {0}, .deviation = {1}};
  const auto grey = run({fixtures + "disc.jpg"});
  ASSERT_TRUE(grey) << grey.error().what;
  EXPECT_THAT(*grey->runs[0].outputs[0].shape, ElementsAre(1, 1, 8, 12));
  EXPECT_LE(*grey->runs[0].outputs[0].max, 1);
  request_.inputs.image_size.reset();
  const auto assumed = run({fixtures + "disc.jpg"});
  ASSERT_TRUE(assumed) << assumed.error().what;
  EXPECT_THAT(assumed->notes, Contains(HasSubstr("assumed H=320, W=320")));
}

TEST_F(Running, KnowsTheChannelsFromTheGraph) {
  use("(float[B,C,H,W] x) => (float y) <float[1,3,1,1] w = {1, 0, 0}> "
      "{ c = Conv(x, w) y = ReduceMax<keepdims = 0>(c) }");
  request_.inputs.image_size = ImageSize{48, 64};
  request_.inputs.images = {.mean = {0}, .deviation = {1}};
  EXPECT_EQ(values({fixtures + "disc.png"}), "[" + Json(double{220 / 255.0F}).dump(-1) + "]");
}

TEST_F(Running, AsksForTheChannelsWhereNothingSaysThem) {
  use("(float[B,C,H,W] x) => (float[B,C,H,W] y) { y = Identity(x) }");
  const Error error = refusal({fixtures + "disc.png"});
  EXPECT_EQ(error.what, "how many channels the input 'x' takes is not known");
  EXPECT_THAT(error.hint, HasSubstr("--shape-config x=1x3x224x224"));
  request_.inputs.plan.shape_config = "x=1x3x5x7";
  EXPECT_THAT(*run({fixtures + "disc.png"})->runs[0].outputs[0].shape, ElementsAre(1, 3, 5, 7));
}

TEST_F(Running, RunsASoundPieceByPieceAndFilesOneByOne) {
  use("(float[1,100] audio) => (float[1,100] y) { y = Identity(audio) }");
  const auto sound = run({fixtures + "tone.wav"});
  ASSERT_TRUE(sound) << sound.error().what;
  EXPECT_THAT(sound->runs, SizeIs(4));
  use("(float[1,3,8,8] x) => (float[1,3,8,8] y) { y = Identity(x) }");
  request_.output = folder_.path() / "out.npz";
  const auto pictures = run({fixtures + "disc.png", fixtures + "disc.jpg"});
  ASSERT_TRUE(pictures);
  EXPECT_EQ(pictures->runs[1].inputs[0].from, fixtures + "disc.jpg");
  const auto arrays = read_npz(request_.output);
  ASSERT_THAT(*arrays, SizeIs(2));
  EXPECT_EQ((*arrays)[1]->name, "1/y");
}

TEST_F(Running, MakesUpWhatIsNotGivenInTheShapeThatGoesWithIt) {
  use("(float[B,S] x, float[B,S] z) => (float[B,S] y) { y = Add(x, z) }");
  EXPECT_THAT(refusal({"x=[[1,2,3]]"}).what, HasSubstr("nothing is given for the input 'z'"));
  EXPECT_EQ(refusal({}).what, "there is nothing to run the model on");
  request_.inputs.makes_up_rest = true;
  request_.inputs.plan.samples = 2;
  request_.inputs.plan.seed = 7;
  const auto report = run({"x=[[1,2,3]]"});
  ASSERT_TRUE(report) << report.error().what;
  ASSERT_THAT(report->runs, SizeIs(2));
  EXPECT_THAT(report->runs[0].inputs[1].shape, ElementsAre(1, 3));
  EXPECT_EQ(report->runs[1].inputs[1].from, "seed 8");
  EXPECT_NE(report->runs[0].outputs[0].max, report->runs[1].outputs[0].max);
}

TEST_F(Running, WantsAsManyOfEachInputOrOneForAll) {
  use("(float[1] x, float[1] z) => (float[1] y) { y = Add(x, z) }");
  EXPECT_THAT(run({"x=[1]", "x=[2]", "z=[10]"})->runs, SizeIs(2));
  EXPECT_EQ(refusal({"x=[1]", "x=[2]", "z=[1]", "z=[2]", "z=[3]"}).what,
            "'x' is given for 2 samples, and 'z' for 3");
}

TEST_F(Running, RefusesOptionsThatWouldDoNothing) {
  use("(float[1] x) => (float[1] y) { y = Neg(x) }");
  request_.inputs.sample_rate = 16000;
  EXPECT_EQ(refusal({"x=[1]"}).what, "--sample-rate does nothing here");
  request_.inputs.sample_rate.reset();
  request_.inputs.image_size = ImageSize{1, 1};
  EXPECT_EQ(refusal({"x=[1]"}).hint, "it needs a picture");
  request_.inputs.image_size.reset();
  request_.inputs.plan.samples = 3;
  EXPECT_EQ(refusal({"x=[1]"}).hint, "it needs --random or --input-data");
  request_.inputs.plan.samples = 0;
  request_.inputs.plan.input_data = "x.npz";
  EXPECT_THAT(refusal({"x=[1]"}).what, HasSubstr("two ways to say the same"));
}

TEST_F(Running, RunsAModelWithoutInputsOnce) {
  use("() => (float[2] y) <float[2] w = {1, 2}> { y = Neg(w) }");
  EXPECT_EQ(values({}), "[-1.0,-2.0]");
}

TEST_F(Running, DescribesASequenceAndSavesTheRest) {
  use("(float[4] x) => (seq(float[?]) parts, float[4] y) "
      "{ parts = SplitToSequence<axis = 0>(x) y = Neg(x) }");
  request_.output = folder_.path() / "out.npz";
  const auto report = run({"x=[1,2,3,4]"});
  ASSERT_TRUE(report) << report.error().what << report.error().cause;
  const RunOutput& parts = report->runs[0].outputs[0];
  EXPECT_EQ(parts.name, "parts");
  EXPECT_THAT(parts.type, HasSubstr("seq("));
  EXPECT_FALSE(parts.shape);
  EXPECT_EQ(parts.elements, 4u);
  const auto arrays = read_npz(request_.output);
  ASSERT_THAT(*arrays, SizeIs(1));
  EXPECT_EQ(arrays->front()->name, "y");
}

TEST_F(Running, WidensWhatNumpyHasNoTypeFor) {
  use("(float[3] x) => (bfloat16[3] y) { y = Cast<to = 16>(x) }");
  request_.output = folder_.path() / "out.npz";
  const auto report = run({"x=[1,2,3]"});
  ASSERT_TRUE(report) << report.error().what << report.error().cause;
  EXPECT_EQ(report->runs[0].outputs[0].type, "bfloat16");
  EXPECT_EQ(report->runs[0].outputs[0].max, 3);
  EXPECT_THAT(report->notes, Contains("y is written as float: NumPy has no bfloat16"));
}

TEST_F(Running, SaysWhichLabelsAreUsedAndWhyNot) {
  use("(float[1,2] x) => (float[1,2] y) { y = Neg(x) }");
  ASSERT_TRUE(write_file(folder_.path() / "config.json", R"({"id2label": {"0": "a", "1": "b"}})"));
  const auto found = run({"x=[1,2]"});
  ASSERT_TRUE(found);
  EXPECT_THAT(*found->labels_from, HasSubstr("config.json"));
  EXPECT_EQ(found->runs[0].outputs[0].top[0].label, "a");
  request_.labels = folder_.path() / "labels.txt";
  ASSERT_TRUE(write_file(request_.labels, "one\ntwo\nthree\n"));
  const auto unused = run({"x=[1,2]"});
  EXPECT_FALSE(unused->labels_from);
  EXPECT_THAT(unused->notes,
              ElementsAre("the labels are not used: there are 3 of them, and 'y' has 2"));
}

TEST_F(Running, GivesAModelTheMaskOfItsPictureUnlessItIsGiven) {
  use("(float[1,3,H,W] pixels, int64[1,H,W] pixel_mask) => (int64[1] y)"
      " <int64[2] axes = {1, 2}> { y = ReduceSum <keepdims = 0> (pixel_mask, axes) }");
  request_.inputs.processor = folder_.path();
  ASSERT_TRUE(write_file(folder_.path() / "preprocessor_config.json",
                         R"({"image_processor_type": "DetrImageProcessor",
                             "size": {"shortest_edge": 24, "longest_edge": 40},
                             "pad_size": {"height": 32, "width": 40}})"));
  EXPECT_EQ(values({fixtures + "disc.png"}), "[768]");
  EXPECT_EQ(values({fixtures + "disc.png", "pixel_mask:=2"}), "[2560]");
}

TEST_F(Running, OnAnEpThatCrashesIsAnErrorThatNamesTheSignal) {
  use("(float[2] x) => (float[2] y) { y = Neg(x) }");
  RunPlan& plan = request_.inputs.plan;
  plan.target.ep = "sim";
  plan.ep_libraries = {{"hone.virtual", HONE_EP_LIBRARY}};
  const auto placed = run({"x=[1,2]"});
  ASSERT_TRUE(placed) << placed.error().what << placed.error().cause;
  EXPECT_EQ(placed->placement.shares.front().ep, "sim");
  plan.target.options = {{"crash", "run:1"}};
  EXPECT_THAT(refusal({"x=[1,2]"}).what, HasSubstr("SIGSEGV"));
}

}  // namespace
}  // namespace hone
