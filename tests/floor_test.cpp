// The floor as a person meets it: what quantize and build say, and do, where a model keeps too
// little, where nobody can tell, and where something helps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "model/text/text.h"
#include "tests/shell.h"

namespace hone {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Floor : public testing::Test {
 protected:
  // In the folder, as model.onnx.
  void make_model(const std::string& graph) {
    const Model model = parse_text("<opset_import: [\"\": 17]> g " + graph).value();
    ASSERT_TRUE(save_model(model, folder.path() / "model.onnx"));
  }
  ProcessEnd run(const std::string& command) {
    return run_in_shell("export HONE_CACHE=cache; " + command, folder.path()).value();
  }
  bool exists(const char* file) { return std::filesystem::exists(folder.path() / file); }

  TemporaryFolder folder = TemporaryFolder::create("floor").value();
};

// A detector that finds nothing in random samples: far below an 8-bit step of what a Sigmoid makes.
constexpr auto faint =
    "(float[1,4] x) => (float[1,3] y)"
    "<float[4,3] w = {0.1, -0.2, 0.3, 0.4, 0.5, 0.6, 0.7, -0.8, 0.9, 0.1, 0.2, 0.3},"
    " float[3] b = {-11, -12, -13}>"
    "{ t = MatMul(x, w) u = Add(t, b) y = Sigmoid(u) }";

constexpr auto why = "not judged: the samples keep it below an 8-bit step of its range";

TEST_F(Floor, IsNotHeldByWhatCannotBeJudged) {
  make_model(faint);
  for (const char* precision : {"w8a8", "w8a16", "dynamic", "fp16"}) {
    const ProcessEnd end =
        run("hone quantize model.onnx -o out.onnx --min-sqnr 10 -p " + std::string(precision));
    EXPECT_EQ(end.exit_code, 3) << precision;
    EXPECT_THAT(end.standard_output, HasSubstr("the floor of 10.0 dB cannot be held against 'y'"));
    EXPECT_THAT(end.standard_output, HasSubstr("try: --calibration-data with real samples"));
    EXPECT_THAT(end.standard_output, HasSubstr("--allow-loss"));
    EXPECT_THAT(end.standard_output, Not(HasSubstr("tried"))) << "samples help, and nothing else";
    EXPECT_FALSE(exists("out.onnx")) << precision;
  }
  EXPECT_TRUE(run("hone quantize model.onnx -o out.onnx --min-sqnr 10 --allow-loss").ok());
  EXPECT_TRUE(exists("out.onnx"));
}

TEST_F(Floor, ThatNobodyStatesLetsThroughWhatCannotBeJudgedAndSaysSo) {
  make_model(faint);
  const ProcessEnd end = run("hone quantize model.onnx -o out.onnx");
  EXPECT_TRUE(end.ok());
  EXPECT_THAT(end.standard_output, ContainsRegex("  y  [-0-9.]+ dB  " + std::string(why)));
  const ProcessEnd document = run("hone quantize model.onnx -o out.onnx --overwrite --format json");
  EXPECT_THAT(document.standard_output, HasSubstr("\"judged\": false"));
  EXPECT_THAT(document.standard_output, HasSubstr("\"not_judged_because\": \"the samples keep"));
  const ProcessEnd build = run("hone build model.onnx -o built --precision w8a8");
  EXPECT_TRUE(build.ok()) << build.standard_error;
  EXPECT_THAT(build.standard_output,
              ContainsRegex("quantized, 'y' [-0-9.]+ dB, " + std::string(why)));
}

TEST_F(Floor, OfABuildIsTheSame) {
  make_model(faint);
  const std::string build = "hone build model.onnx -o built --precision w8a8 --min-sqnr 10";
  const ProcessEnd end = run(build);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.standard_error,
              HasSubstr("output 'y' is not judged against 10.0 dB: the samples"));
  EXPECT_THAT(end.standard_error, HasSubstr("--calibration-data"));
  EXPECT_THAT(end.standard_error, HasSubstr("--allow-loss"));
  EXPECT_FALSE(exists("built/model.onnx"));
  EXPECT_TRUE(run(build + " --allow-loss --overwrite").ok());
}

// Faint as well; but half precision has no million, and what it divides by instead makes it loud.
constexpr auto overflowing =
    "(float[1,3] x) => (float[1,3] y)"
    "<float base = {60000}, float million = {1000000}, float gain = {14.9}, float shift = {13.1}> {"
    "  s = Add(x, base) d = Div(s, million) g = Mul(d, gain) t = Sub(g, shift) y = Sigmoid(t) }";

TEST_F(Floor, CallsNothingExactThatWasNotJudged) {
  make_model(overflowing);
  const ProcessEnd end = run("hone quantize model.onnx -o out.onnx -p fp16");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.standard_output, Not(HasSubstr("exact")));
  EXPECT_THAT(end.standard_output,
              ContainsRegex("sums, powers and quotients in float +[-0-9.]+ dB, not judged"));
  const ProcessEnd build = run("hone build model.onnx -o built --precision fp16 --no-optimize");
  EXPECT_EQ(build.exit_code, 3);
  EXPECT_THAT(build.standard_error, Not(HasSubstr("exact")));
  EXPECT_THAT(build.standard_error, HasSubstr(" dB, not judged"));
}

// Channels of very different size that BatchNormalization makes alike: between the two, one scale
// for all leaves nothing of the small one.
constexpr auto normalized =
    "(float[1,2,4,4] x) => (float[1,2,4,4] y)"
    "<float[2,2,1,1] w = {1000, 800, 0.3, -0.2}, float[2] s = {1, 1}, float[2] m = {0, 0},"
    " float[2] v = {1000000, 0.09}>"
    "{ c = Conv(x, w) n = BatchNormalization(c, s, m, m, v) y = Relu(n) }";

// The line behind `before`, up to its end.
std::string rest_of_line(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const std::size_t start = at + before.size();
  return text.substr(start, text.find('\n', start) - start);
}

TEST_F(Floor, IsHeldByTheCommandThatIsPrinted) {
  make_model(normalized);
  const ProcessEnd end = run("hone quantize model.onnx -o out.onnx");
  ASSERT_EQ(end.exit_code, 3) << end.standard_output;
  const std::string promised =
      rest_of_line(end.standard_output, "  per-channel weights, BatchNormalization folded  ");
  EXPECT_THAT(promised, ContainsRegex("^[3-9][0-9]\\.[0-9] dB$")) << end.standard_output;
  const std::string command = rest_of_line(end.standard_output, "try: ");
  EXPECT_THAT(command, HasSubstr("--enable-conv-bn-fusion"));
  const ProcessEnd again = run(command);
  EXPECT_TRUE(again.ok()) << again.standard_error;
  EXPECT_THAT(again.standard_output, HasSubstr("  y  " + promised + "\n"));
}

TEST_F(Floor, IsNotTriedWithAFoldThatThereIsNot) {
  make_model(
      "(float[1,2,4,4] x) => (float[1,2,4,4] y) <float[2,2,1,1] w = {1000, 800, 0.3, -0.2},"
      " float[2] s = {1, 1}, float[2] m = {0, 0}, float[2] v = {1000000, 0.09}>"
      "{ c = Conv(x, w) r = Relu(c) y = BatchNormalization(r, s, m, m, v) }");
  const ProcessEnd end = run("hone quantize model.onnx -o out.onnx");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.standard_output, Not(HasSubstr("folded")));
}

TEST_F(Floor, OfABuildNamesTheOptionsThatHelp) {
  make_model(normalized);
  const ProcessEnd end =
      run("hone build model.onnx -o a --precision w8a8 --disable conv-bn-fusion");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.standard_error, HasSubstr("try: --per-channel --enable conv-bn-fusion; "
                                            "--allow-loss builds it all the same, --no-quant in "
                                            "float"));
  const ProcessEnd plain = run("hone build model.onnx -o c --precision w8a8 --no-optimize");
  EXPECT_THAT(plain.standard_error, HasSubstr("--enable conv-bn-fusion without --no-optimize; "));
  EXPECT_TRUE(
      run("hone build model.onnx -o b --precision w8a8 --per-channel --enable conv-bn-fusion")
          .ok());
}

TEST_F(Floor, OfAPrecisionThatReplacesAnotherTakesNoOptionsThatDoNothing) {
  make_model(
      "(float[1,1] x) => (float[1,2] y) <float[2,2] w = {1000, 0.3, -1000, 0.2}>"
      "{ t = Concat <axis = 1> (x, x) y = MatMul(t, w) }");
  const ProcessEnd end =
      run("hone quantize model.onnx -o out.onnx --per-channel --method entropy --min-sqnr 200 "
          "--format json");
  ASSERT_EQ(end.exit_code, 3) << end.standard_output;
  EXPECT_THAT(end.standard_output,
              HasSubstr("\"hone quantize model.onnx -o out.onnx --per-channel --min-sqnr 200.0 "
                        "--precision dynamic\""));
}

}  // namespace
}  // namespace hone
