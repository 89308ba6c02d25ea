// Each task from rows to figures, on the real ONNX Runtime: models so small that the figures can be
// told by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "inspect/eval/evaluate.h"
#include "model/text/text.h"
#include "real_runtime.h"
#include "tokenize/tokenizer.h"

namespace hone {
namespace {

// Twelve words, and the tokens around a text.
const Path tokenizer_file = Path(HONE_SOURCE_DIR) / "tests/fixtures/eval/tokenizer.json";
constexpr std::size_t words = 12;

// A row of numbers for each word, zeros but for those that are given.
std::string table(std::size_t columns, const std::map<std::pair<int, int>, double>& given) {
  std::string text = "<float[" + std::to_string(words) + "," + std::to_string(columns) + "] w = {";
  for (std::size_t i = 0; i < words * columns; ++i) {
    const auto found = given.find({static_cast<int>(i / columns), static_cast<int>(i % columns)});
    text += (i == 0 ? "" : ", ") + std::to_string(found != given.end() ? found->second : 0.0);
  }
  return text + "}> ";
}

Session session_of(const std::string& graph) {
  const Model model = parse_text("<ir_version: 8, opset_import: [\"\": 13]> g " + graph).value();
  return Session::open_model(onnxruntime(), model, {}).value();
}

// For each token what the table says: [1, tokens, columns].
Session of_tokens(std::size_t columns, const std::map<std::pair<int, int>, double>& given) {
  return session_of("(int64[1,T] input_ids) => (float[1,T," + std::to_string(columns) + "] y) " +
                    table(columns, given) + "{ y = Gather(w, input_ids) }");
}

// The sum of that over the tokens of a text.
Session of_texts(std::size_t columns, const std::map<std::pair<int, int>, double>& given) {
  return session_of("(int64[1,T] input_ids) => (float[1," + std::to_string(columns) + "] y) " +
                    table(columns, given) +
                    "{ e = Gather(w, input_ids) axes = Constant<value_ints = [1]>() "
                    "y = ReduceSum<keepdims = 0>(e, axes) }");
}

std::string bytes_of_number(std::uint32_t number, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 255);
  return bytes;
}

class Tasks : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    ASSERT_TRUE(write_file(folder_.path() / name, content));
  }
  // Pixels as rows of 0xRRGGBB from above; a side is a multiple of four, for rows have no padding.
  void write_bmp(const std::string& name, std::size_t side, const std::vector<std::uint32_t>& rgb) {
    std::string pixels;
    for (std::size_t y = side; y-- > 0;)
      for (std::size_t x = 0; x < side; ++x) pixels += bytes_of_number(rgb[y * side + x], 3);
    const auto number = [](std::size_t value) {
      return bytes_of_number(static_cast<std::uint32_t>(value), 4);
    };
    write(name, "BM" + number(54 + pixels.size()) + number(0) + number(54) + number(40) +
                    number(side) + number(side) + bytes_of_number(1, 2) + bytes_of_number(24, 2) +
                    number(0) + number(pixels.size()) + number(0) + number(0) + number(0) +
                    number(0) + pixels);
  }
  void write_wav(const std::string& name, const std::vector<int>& samples) {
    std::string data;
    for (const int sample : samples) data += bytes_of_number(static_cast<std::uint32_t>(sample), 2);
    write(name, "RIFF" + bytes_of_number(static_cast<std::uint32_t>(36 + data.size()), 4) +
                    "WAVEfmt " + bytes_of_number(16, 4) + bytes_of_number(1, 2) +
                    bytes_of_number(1, 2) + bytes_of_number(16000, 4) + bytes_of_number(32000, 4) +
                    bytes_of_number(2, 2) + bytes_of_number(16, 2) + "data" +
                    bytes_of_number(static_cast<std::uint32_t>(data.size()), 4) + data);
  }

  EvalReport run(const char* name, const Session& model, const std::string& file) {
    EvaluateRequest request;
    request.task = find_task(name).value();
    DataRequest data{
        .data = folder_.path() / file, .task = known_task(name), .encoding = encoding_};
    data.encoding.inputs = model.inputs();
    data.encoding.images = {.mean = {0}, .deviation = {1}, .size = 4};
    const auto tokenizer = tokenize::load_tokenizer(tokenizer_file);
    EXPECT_TRUE(tokenizer) << tokenizer.error().what << tokenizer.error().cause;
    data.encoding.tokenizer = std::make_shared<const tokenize::Tokenizer>(*tokenizer);
    data.encoding.classes = ClassNames(settings_.class_names, {});
    request.settings = settings_;
    request.settings.tokenizer = data.encoding.tokenizer;
    EvalReport report;
    auto opened = EvalData::open(std::move(data));
    EXPECT_TRUE(opened) << opened.error().what << opened.error().cause;
    if (!opened) return report;
    const Status done = evaluate(model, &model, *opened, request, report);
    EXPECT_TRUE(done) << done.error().what << " " << done.error().cause;
    EXPECT_EQ(report.used.broken, 0u);
    for (const EvalMetric& metric : report.metrics) EXPECT_EQ(metric.difference->value, 0);
    return report;
  }
  static double figure(const EvalReport& report, const std::string& name) {
    for (const EvalMetric& metric : report.metrics)
      if (metric.name == name) return metric.model.value;
    return std::nan("");
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("tasks");
  EncoderSettings encoding_;
  TaskSettings settings_;
};

TEST_F(Tasks, TextsHaveTheClassOfTheirWords) {
  settings_.class_names = {"neg", "pos"};
  write("a.csv", "text,label\nthe film was good,pos\nbad film,neg\ngood,neg\nfilm,0\n");
  const EvalReport report =
      run("text-classification", of_texts(2, {{{5, 1}, 2}, {{6, 0}, 2}}), "a.csv");
  EXPECT_DOUBLE_EQ(figure(report, "accuracy"), 0.75);
  EXPECT_NEAR(figure(report, "f1_of_class_1"), 2.0 / 3, 1e-12);
  ASSERT_EQ(report.misses.size(), 1u);
  EXPECT_EQ(report.misses[0].got, "pos");
  EXPECT_THAT(report.processing.at("tokenizer"), testing::StartsWith("WordLevel, sha256 "));
}

TEST_F(Tasks, WordsHaveTheTagsOfTheirFirstToken) {
  settings_.class_names = {"O", "B-LOC", "I-LOC"};
  write("a.jsonl",
        R"({"tokens": ["Paris", "is", "the", "film"], "tags": ["B-LOC", "O", "O", "B-LOC"]})");
  const EvalReport report =
      run("token-classification", of_tokens(3, {{{10, 1}, 1}, {{7, 2}, 1}}), "a.jsonl");
  EXPECT_DOUBLE_EQ(figure(report, "entity_f1"), 1);
  EXPECT_DOUBLE_EQ(figure(report, "tag_accuracy"), 0.75);
}

TEST_F(Tasks, AnswersAreFoundInWindowsOfALongText) {
  const Session model = session_of(
      "(int64[1,T] input_ids) => (float[1,T] start_logits, float[1,T] end_logits) "
      "<float[12] s = {0,0,0,0,0,5,0,0,4,0,0,0}, float[12] e = {0,0,0,0,0,1,0,0,0,0,5,0}> "
      "{ start_logits = Gather(s, input_ids) end_logits = Gather(e, input_ids) }");
  encoding_.max_length = 10;
  encoding_.stride = 2;
  write(
      "a.jsonl",
      R"({"question": "the film", "context": "bad bad bad bad bad bad bad bad bad bad bad bad bad was is good, Paris bad.", "answers": ["Good Paris!"]}
{"question": "the film", "context": "was good", "answers": {"text": ["bad"]}})");
  const EvalReport report = run("question-answering", model, "a.jsonl");
  EXPECT_EQ(report.samples, 2u);
  EXPECT_DOUBLE_EQ(figure(report, "exact"), 0.5);
  EXPECT_DOUBLE_EQ(figure(report, "f1"), 0.5);
}

TEST_F(Tasks, EachWordIsLeftOutInTurn) {
  write("a.jsonl", R"({"text": "the film"})");
  const EvalReport report = run("fill-mask", of_tokens(words, {{{4, 7}, 3}}), "a.jsonl");
  EXPECT_DOUBLE_EQ(figure(report, "top1"), 0.5);
  const double sum = std::exp(3) + 11;
  EXPECT_NEAR(figure(report, "pseudo_perplexity"), std::exp((2 * std::log(sum) - 3) / 2), 1e-5);
  EXPECT_EQ(report.metrics[2].unit, "perplexity");
}

TEST_F(Tasks, NextTokensAreJudgedOnceInWhateverWindows) {
  write("a.jsonl", R"({"text": "the film the film the film the film"})");
  const Session model = of_tokens(words, {{{8, 7}, 3}, {{7, 8}, 3}});
  const EvalReport whole = run("text-generation", model, "a.jsonl");
  // All but the first, which comes after [CLS].
  EXPECT_DOUBLE_EQ(figure(whole, "next_token"), 7.0 / 8);
  encoding_.max_length = 5;
  encoding_.stride = 1;
  const EvalReport windows = run("text-generation", model, "a.jsonl");
  EXPECT_DOUBLE_EQ(figure(windows, "next_token"), 7.0 / 8);
  EXPECT_NEAR(figure(windows, "perplexity"), figure(whole, "perplexity"), 1e-9);
}

TEST_F(Tasks, SentencesAreAlikeAsTheirVectorsAre) {
  write("a.tsv", "sentence1\tsentence2\tscore\ngood\tgood\t5\ngood\tfilm\t3\ngood\tbad\t1\n");
  const Session model = of_tokens(2, {{{5, 0}, 1}, {{6, 1}, 1}, {{7, 0}, 1}, {{7, 1}, 1}});
  EXPECT_DOUBLE_EQ(figure(run("sentence-similarity", model, "a.tsv"), "spearman"), 1);
  write("b.jsonl", R"({"query": "good", "texts": ["bad", "film", "good"], "relevant": [1]})");
  const EvalReport report = run("text-retrieval", model, "b.jsonl");
  EXPECT_NEAR(figure(report, "ndcg_at_10"), 1 / std::log2(3), 1e-9);
  EXPECT_DOUBLE_EQ(figure(report, "recall_at_10"), 1);
}

TEST_F(Tasks, VectorsKnowTheClassesOfTheirTexts) {
  std::string rows = "text,label\n";
  for (int i = 0; i < 12; ++i) rows += i % 3 == 0 ? "the bad film,no\n" : "good film,yes\n";
  write("a.csv", rows);
  const EvalReport report =
      run("feature-extraction", of_tokens(3, {{{5, 0}, 1}, {{6, 1}, 1}, {{7, 2}, 1}}), "a.csv");
  EXPECT_DOUBLE_EQ(figure(report, "linear_probe"), 1);
  EXPECT_DOUBLE_EQ(figure(report, "nearest_5"), 1);
}

// As data is that was made of one list for each class.
TEST_F(Tasks, VectorsKnowClassesThatComeInTurn) {
  std::string rows = "text,label\n";
  for (int i = 0; i < 12; ++i) rows += i % 2 == 0 ? "the bad film,no\n" : "good film,yes\n";
  write("a.csv", rows);
  const EvalReport report =
      run("feature-extraction", of_tokens(3, {{{5, 0}, 1}, {{6, 1}, 1}, {{7, 2}, 1}}), "a.csv");
  EXPECT_DOUBLE_EQ(figure(report, "linear_probe"), 1);
}

TEST_F(Tasks, ClassesAreAskedForByTheirHypotheses) {
  settings_.class_names = {"contradiction", "entailment"};
  encoding_.hypothesis = "the film was {}";
  write("a.jsonl", R"({"text": "is", "label": "good", "classes": ["bad", "good"]}
{"text": "is", "label": "bad", "classes": ["bad", "good"]})");
  const EvalReport report = run("zero-shot-classification", of_texts(2, {{{5, 1}, 2}}), "a.jsonl");
  EXPECT_DOUBLE_EQ(figure(report, "accuracy"), 0.5);
}

TEST_F(Tasks, TextsThatAModelWritesAreHeldAgainstWhatWasExpected) {
  const Session model =
      session_of("(int64[1,T] input_ids) => (int64[1,T] y) { y = Identity(input_ids) }");
  write("a.csv", "source,target\nthe film,the film\nbad,good\n");
  const EvalReport translated = run("translation", model, "a.csv");
  EXPECT_GT(figure(translated, "chrf"), 0.4);
  EXPECT_LT(figure(translated, "chrf"), 0.9);
  EXPECT_DOUBLE_EQ(figure(run("summarization", model, "a.csv"), "rouge_l"), 0.5);
}

// --- Pictures: the model hands on what it is given

const std::string same_picture = "(float[1,3,4,4] x) => (float[1,3,4,4] y) { y = Identity(x) }";

TEST_F(Tasks, PixelsHaveTheClassOfTheirLargestScore) {
  std::vector<std::uint32_t> picture(16, 0xFF0000);
  std::vector<std::uint32_t> mask(16, 0);
  picture[5] = 0x00FF00;
  mask[5] = 0x010101;
  mask[6] = 0x020202;
  mask[7] = 0xFFFFFF;
  std::filesystem::create_directories(folder_.path() / "data/images");
  std::filesystem::create_directories(folder_.path() / "data/masks");
  write_bmp("data/images/a.bmp", 4, picture);
  write_bmp("data/masks/a.bmp", 4, mask);
  const EvalReport report = run("image-segmentation", session_of(same_picture), "data");
  EXPECT_NEAR(figure(report, "mean_iou"), (13.0 / 14 + 1 + 0) / 3, 1e-9);
  EXPECT_NEAR(figure(report, "pixel_accuracy"), 14.0 / 15, 1e-9);
}

TEST_F(Tasks, PicturesThatAreMadeAreHeldAgainstTheirTarget) {
  const Session model = session_of("(float[1,3,H,W] x) => (float[1,3,H,W] y) { y = Identity(x) }");
  std::vector<std::uint32_t> picture;
  for (std::uint32_t i = 0; i < 144; ++i) picture.push_back(i * 0x010203);
  write_bmp("a.bmp", 12, picture);
  write("a.csv", "image,target\na.bmp,a.bmp\n");
  const EvalReport report = run("image-to-image", model, "a.csv");
  EXPECT_NEAR(figure(report, "ssim"), 1, 1e-9);
  EXPECT_DOUBLE_EQ(figure(report, "psnr"), 100);
}

TEST_F(Tasks, DepthIsJudgedByWhatFitsBest) {
  const Session model = session_of(
      "(float[1,3,4,4] x) => (float[1,4,4] y) { y = ReduceMean<axes = [1], keepdims = 0>(x) }");
  std::vector<std::uint32_t> picture;
  std::vector<std::uint32_t> depth;
  for (std::uint32_t i = 0; i < 16; ++i) {
    picture.push_back((200 - 10 * i) * 0x010101);
    depth.push_back((i == 0 ? 0 : 20 + 10 * i) * 0x010101);
  }
  write_bmp("a.bmp", 4, picture);
  write_bmp("d.bmp", 4, depth);
  write("a.csv", "image,depth\na.bmp,d.bmp\n");
  const EvalReport report = run("depth-estimation", model, "a.csv");
  EXPECT_DOUBLE_EQ(figure(report, "within_1_25"), 1);
  EXPECT_NEAR(figure(report, "abs_rel"), 0, 1e-6);
}

TEST_F(Tasks, ObjectsAreFoundInThePicturesOwnPixels) {
  const Session model = session_of(
      "(float[1,3,4,4] x) => (float[1,2,6] y) "
      "<float[1,2,6] boxes = {1, 1, 3, 3, 0.9, 1, 0, 0, 1, 1, 0.8, 0}> "
      "{ s = ReduceMean<keepdims = 0>(x) z = Sub(s, s) y = Add(boxes, z) }");
  settings_.class_names = {"dog", "cat"};
  write_bmp("a.bmp", 8, std::vector<std::uint32_t>(64, 0x808080));
  write("a.json",
        R"({"images": [{"id": 1, "file_name": "a.bmp"}], "categories": [{"id": 9, "name": "cat"}],
      "annotations": [{"id": 1, "image_id": 1, "category_id": 9, "bbox": [2, 2, 4, 4], "area": 16, "iscrowd": 0}]})");
  const EvalReport report = run("object-detection", model, "a.json");
  EXPECT_NEAR(figure(report, "map_50_95"), 1, 1e-9);
  EXPECT_NEAR(figure(report, "map_50"), 1, 1e-9);
}

TEST_F(Tasks, BodiesHaveTheirKeypointsWhereHeatmapsAreHighest) {
  settings_.class_names = {"person"};
  std::vector<std::uint32_t> maps(16, 0);
  maps[0] = 0xFF0000;
  maps[3] = 0x00FF00;
  maps[12] = 0x0000FF;
  write_bmp("a.bmp", 4, maps);
  write("a.jsonl",
        R"({"image": "a.bmp", "objects": [{"label": "person", "box": [0, 0, 4, 4], "area": 16,
      "keypoints": [0.5, 0.5, 2, 3.5, 0.5, 2, 3.5, 3.5, 2]}]})");
  std::string rows = *read_file(folder_.path() / "a.jsonl");
  rows.erase(rows.find('\n'), 1);
  write("a.jsonl", rows);
  const EvalReport report = run("keypoint-detection", session_of(same_picture), "a.jsonl");
  EXPECT_NEAR(figure(report, "pck"), 2.0 / 3, 1e-9);
  EXPECT_NEAR(figure(report, "oks_ap"), 0.4, 1e-9);  // 2/3 is above .50, .55, .60 and .65
}

// --- Sound: samples are scores

TEST_F(Tasks, SpeechIsReadWithoutBlanksAndRepetitions) {
  const Session model = session_of(
      "(float[1,N] x) => (float[1,M,4] y) { shape = Constant<value_ints = [1, -1, 4]>() "
      "y = Reshape(x, shape) }");
  settings_.characters = {"<pad>", "|", "h", "i"};
  std::vector<int> samples;
  for (const int best : {2, 2, 0, 3, 1, 1, 2, 3, 0, 3})
    for (int i = 0; i < 4; ++i) samples.push_back(i == best ? 20000 : 0);
  write_wav("a.wav", samples);
  write("a.tsv", "audio\ttext\na.wav\tHi, hi!\n");
  const EvalReport report = run("speech-recognition", model, "a.tsv");
  EXPECT_DOUBLE_EQ(figure(report, "wer"), 0.5);
  EXPECT_DOUBLE_EQ(figure(report, "word_accuracy"), 0.5);
  EXPECT_DOUBLE_EQ(figure(report, "cer"), 0.2);
  EXPECT_EQ(report.misses[0].got, "hi hii");
}

TEST_F(Tasks, ClipsAreInAFolderOfTheirClass) {
  settings_.class_names = {"noise", "speech"};
  for (const char* name : {"noise", "speech"})
    std::filesystem::create_directories(folder_.path() / "data" / name);
  write_wav("data/noise/a.wav", {9000, 100});
  write_wav("data/speech/a.wav", {100, 9000});
  write_wav("data/speech/b.wav", {9000, 100});
  const Session model = session_of("(float[1,2] x) => (float[1,2] y) { y = Identity(x) }");
  EXPECT_NEAR(figure(run("audio-classification", model, "data"), "accuracy"), 2.0 / 3, 1e-12);
}

}  // namespace
}  // namespace hone
