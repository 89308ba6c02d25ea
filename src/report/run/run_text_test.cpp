#include "report/run/run_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

RunOutput output(std::string name, std::vector<std::int64_t> shape, std::uint64_t elements) {
  RunOutput made;
  made.name = std::move(name);
  made.type = "float";
  made.shape = std::move(shape);
  made.elements = elements;
  return made;
}

RunReport report_of(std::vector<RunOutput> outputs) {
  RunReport report;
  report.model = "cat.onnx";
  report.runtime_version = "1.30.0";
  report.device = "cpu";
  report.placement.known = true;
  report.placement.shares = {{.ep = "cpu", .nodes = 2, .subgraphs = 1, .op_counts = {}}};
  report.samples = 1;
  report.runs = {{0, {{"x", "float", {1, 3}, "cat.png"}}, std::move(outputs)}};
  return report;
}

TEST(RunText, SaysWhatWentInWhereItRanAndWhatCameOut) {
  RunOutput scores = output("logits", {1, 1000}, 1000);
  scores.min = -1.5;
  scores.max = 12.34567;
  scores.mean = 0.25;
  scores.top = {{7, "cat", 12.34567}, {11, "a dog", 3}};
  RunReport report = report_of({scores});
  report.labels_from = "config.json";
  report.notes = {"x: something was assumed"};
  EXPECT_EQ(describe_run(report),
            "cat.onnx on cpu, onnxruntime 1.30.0\n"
            "placement: cpu 2 nodes in 1 subgraph\n"
            "inputs\n"
            "  x  float[1,3]  cat.png\n"
            "outputs\n"
            "  logits  float[1,1000]  -1.5 to 12.35, mean 0.25\n"
            "    class  score  label\n"
            "    7      12.35  cat\n"
            "    11     3      a dog\n"
            "labels: config.json\n"
            "note: x: something was assumed\n");
}

TEST(RunText, ShowsSmallOutputsWhole) {
  RunOutput number = output("p", {}, 1);
  number.values = {Json(0.123456)};
  number.min = number.max = number.mean = 0.123456;
  RunOutput few = output("box", {2, 2}, 4);
  few.values = {Json(1.0), Json(2.5), Json(), Json(-3.0)};
  few.min = -3;
  few.max = 2.5;
  few.mean = 0.5 / 3;
  few.nan = 1;
  RunOutput words = output("words", {2}, 2);
  words.type = "string";
  words.values = {Json("a"), Json("b\x1b[31m")};
  EXPECT_THAT(describe_run(report_of({number, few, words})),
              HasSubstr("  p      float       0.1235\n"
                        "  box    float[2,2]  -3 to 2.5, mean 0.1667; 1 NaN of 4\n"
                        "    1, 2.5, NaN or infinite, -3\n"
                        "  words  string[2]   \"a\", \"b\\u001b[31m\"\n"));
}

TEST(RunText, TellsOfOutputsThatAreEmptyNotFiniteOrNoTensors) {
  RunOutput nothing = output("none", {0, 4}, 0);
  RunOutput broken = output("broken", {1, 2000}, 2000);
  broken.nan = 1999;
  broken.infinite = 1;
  RunOutput list = output("list", {}, 3);
  list.shape.reset();
  list.type = "seq(map(int64, float[?]))";
  list.not_saved = "it is no tensor";
  EXPECT_THAT(describe_run(report_of({nothing, broken, list})),
              HasSubstr("  none    float[0,4]                 empty\n"
                        "  broken  float[1,2000]              1,999 NaN and 1 infinite of 2,000\n"
                        "  list    seq(map(int64, float[?]))  3 entries; it is no tensor\n"));
}

TEST(RunText, ShowsTheFirstOfManySamples) {
  RunReport report = report_of({output("y", {0}, 0)});
  report.samples = 3;
  report.runs = {report.runs[0], report.runs[0], report.runs[0]};
  report.runs[1].sample = 1;
  report.runs[2].sample = 2;
  const std::string text = describe_run(report, {.most_samples = 2});
  EXPECT_THAT(text, HasSubstr("onnxruntime 1.30.0, 3 samples\n"));
  EXPECT_THAT(text, HasSubstr("sample 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("sample 2\n")));
  EXPECT_THAT(text, HasSubstr("and 1 more sample: --format json has all of them\n"));
}

}  // namespace
}  // namespace hone
