#include "report/search/search_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/search/searches_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SearchText, ShowsTheChampionItsEvidenceAndTheArmsFromTheSlowestToTheFastest) {
  EXPECT_EQ(
      describe_search(won_search()),
      "models/text-recognizer.onnx on cpu\n"
      "w8a8+threads-1 is 1.56 times as fast as the baseline (1.52 to 1.59).\n"
      "  ships     w8a8+threads-1, recipe " +
          std::string(64, 'a') +
          "\n"
          "  time      0.643 [0.629, 0.658] of the baseline's\n"
          "  accuracy  pass: exact_lines 0.9780, reference 0.9810, difference -0.0070 to "
          "+0.0010, 300 "
          "samples\n"
          "  arm             time, baseline = 1     median  accuracy   verdict\n"
          "  threads-16      1.164 [1.121, 1.208]  33.1 ms  -          slower\n"
          "  baseline        1.000                 28.4 ms  reference  baseline\n"
          "  gelu-fusion     0.998 [0.992, 1.004]  28.3 ms  pass       equivalent\n"
          "  opset-21        0.984 [0.951, 1.018]  27.9 ms  -          inconclusive (the "
          "interval holds "
          "1 after 20 sessions)\n"
          "  w8a8+threads-1  0.643 [0.629, 0.658]  18.3 ms  pass       faster\n"
          "  w8a8-entropy    0.615 [0.601, 0.630]  17.5 ms  fail       faster\n"
          "  let go                    arms\n"
          "  was not reached              1  w4a16\n"
          "  does not build               1  opset-25\n"
          "  changes nothing              1  transpose-cleanup\n"
          "  answers wrongly              1  fp16\n"
          "  does not run where asked     1  xnnpack\n"
          "  does not run                 1  arena-off\n"
          "  was let go as slower         1  dynamic-int8\n"
          "  was raced out                1  layer-norm-fusion\n"
          "  is not accurate enough       1  w8a8-minmax\n"
          "skipped 24 ideas, each with its reason in the JSON\n"
          "12 fresh sessions, margin 1.00 %, noise floor 1.80 %, drift 0.40 %\n"
          "certified: on cpu/cpu, 0 of 119 searches over identical candidates kept one: at most "
          "2.49 % do (95 % confidence), 2026-01-02T03:04:05Z\n"
          "note: The machine was in use by others for 3 % of the time.\n"
          "repeat: hone compare --arm baseline:model=models/text-recognizer.onnx --arm "
          "w8a8:model=build/model.onnx,threads=1\n"
          "repeat: hone build models/text-recognizer.onnx -c recipe.json -o build\n");
}

TEST(SearchText, OfASearchWithoutAChampionSaysWhy) {
  const std::string text = describe_search(null_search());
  EXPECT_THAT(text, HasSubstr("No arm was shown to be worth keeping"));
  EXPECT_THAT(text, HasSubstr("  ships  baseline, recipe "));
  EXPECT_THAT(text, HasSubstr("not certified: run hone doctor noise\n"));
}

TEST(SearchText, OfABlockedSearchHasNoTable) {
  EXPECT_EQ(describe_search(blocked_search()),
            "models/broken.onnx on qnn/npu\n"
            "The baseline does not run (the worker ended with signal 11), so nothing could be "
            "compared with it and nothing ships.\n"
            "  ships  nothing\n"
            "not certified: run hone doctor noise\n");
}

TEST(SearchText, HasNeitherControlCharactersNorNumbersThatAreNone) {
  const std::string text = describe_search(hostile_search());
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf ")));
}

}  // namespace
}  // namespace hone
