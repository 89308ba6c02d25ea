#include "report/trace/trace_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/trace/text.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

TraceOperator op(std::string path, std::string type, double us, double percent) {
  TraceOperator made;
  made.op_path = std::move(path);
  made.name = made.op_type = std::move(type);
  made.duration_us = us;
  made.p90_us = us + 1;
  made.percent_of_total = percent;
  return made;
}

OpTrace example() {
  OpTrace trace;
  trace.status = TraceStatus::ok;
  trace.metadata.ep = "CPUExecutionProvider";
  trace.metadata.num_samples = 8;
  trace.metadata.warmup_excluded = 2;
  trace.summary.total_us = 1500;
  trace.summary.accounted_us = 1200;
  trace.summary.gaps_us = 300;
  trace.summary.untraced_share = 0.2;
  trace.operators = {op("/a/Conv", "Conv", 720, 60), op("/b/Conv", "Conv", 240, 20),
                     op("/a/Relu", "Relu", 240, 20)};
  return trace;
}

TEST(TextForm, WhatRoundsToNothingHasNoSign) {
  EXPECT_EQ(text_form::fixed(-0.00001, 4), "0.0000");
  EXPECT_EQ(text_form::fixed(-0.0, 1), "0.0");
  EXPECT_EQ(text_form::fixed(-0.00006, 4), "-0.0001");
}

TEST(TraceText, SaysThatTracedTimesAreNoLatency) {
  EXPECT_EQ(describe_trace(example(), {.top = 2}),
            "op trace (basic) of CPUExecutionProvider, 8 inferences after 2 of warm-up\n"
            "  total 1.50 ms, in operators 1.20 ms, in gaps 300 us, untraced 20.0 %\n"
            "  times are the tracer's: they hold its own cost and are not a latency\n"
            "\n"
            "  node     type     us  p90 us     %  cum %\n"
            "  /a/Conv  Conv  720.0   721.0  60.0   60.0\n"
            "  /b/Conv  Conv  240.0   241.0  20.0   80.0\n"
            "  ... and 1 more with 20.0 %\n"
            "\n"
            "  type  nodes     us     %\n"
            "  Conv      2  960.0  80.0\n"
            "  Relu      1  240.0  20.0\n");
}

TEST(TraceText, SaysHowMuchWasCorrected) {
  OpTrace trace = example();
  trace.summary.correction = TraceCorrection{.untraced_us = 1500,
                                             .floor_us = 2.5,
                                             .floor_source = "trace",
                                             .scale = 0.854,
                                             .removed_us = 618,
                                             .removed_share = 0.34};
  trace.operators[0].traced_us = 900;
  const std::string text = describe_trace(trace);
  EXPECT_NE(
      text.find("  reconciled with the untraced median of 1.50 ms: 618 us (34.0 % of the traced "
                "time) were the tracer's; floor 2.50 us per node (trace); scaled by 0.854\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("untraced 20.0 % or more\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  node     type     us  traced us  p90 us"), std::string::npos) << text;
  EXPECT_NE(text.find("  /a/Conv  Conv  720.0      900.0   721.0"), std::string::npos) << text;
  EXPECT_EQ(text.find("not a latency"), std::string::npos);
}

TEST(TraceText, OfNoTraceIsTheReason) {
  OpTrace trace;
  trace.status = TraceStatus::no_data;
  trace.error = "the CSV is empty";
  EXPECT_EQ(describe_trace(trace), "no op trace (no_data): the CSV is empty\n");
}

TEST(TraceText, ShowsTheAcceleratorAndItsMemory) {
  OpTrace trace = example();
  trace.metadata.source = TraceSource::qhas;
  trace.metadata.partitions = 2;
  trace.summary.hvx_threads = 4;
  trace.summary.accel_execute_us = 1041;
  trace.summary.utilization_pct = 99.59;
  trace.summary.dram_read_bytes = 26634240;
  trace.operators[0].dram_read_bytes = 18432;
  trace.operators[0].vtcm_hit_ratio = 0.9986;
  const std::string text = describe_trace(trace);
  EXPECT_NE(text.find("warm-up, 2 partitions\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("  HVX threads 4, accelerator 1.04 ms, utilization 99.6 %, DRAM read 25.4 MiB\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("60.0   60.0   18.0 KiB    99.9 %\n"), std::string::npos) << text;
  EXPECT_NE(text.find("20.0   80.0          -         -\n"), std::string::npos) << text;
}

TEST(TraceText, ShowsProvidersWhereThereAreSeveral) {
  OpTrace trace = example();
  trace.summary.provider_us = {{"A", 900}, {"B", 300}};
  EXPECT_NE(describe_trace(trace).find("  A 75.0 %, B 25.0 %\n"), std::string::npos);
}

TEST(TraceText, NotesWhatSpoilsTheNumbers) {
  OpTrace trace = example();
  trace.notes = {"the profile is full"};
  trace.summary.traced_total_us = 2000;
  trace.summary.interrupted_us = 500;
  trace.metadata.unreadable = 3;
  trace.fallback_reason = "sdk_missing";
  const std::string text = describe_trace(trace);
  EXPECT_TRUE(
      text.ends_with("\nnote: the profile is full\n"
                     "note: traced runs were interrupted for 500 us typically, which is in no "
                     "operator: the machine was busy\n"
                     "note: could not be read and was skipped: 3 rows or events\n"
                     "note: this is the basic trace; detail failed: sdk_missing\n"))
      << text;
}

TEST(TraceText, KeepsTheEndOfALongPathAndMakesControlCharactersVisible) {
  OpTrace trace = example();
  trace.operators = {op("/a/very/long/path/to/a/Conv", "Conv", 1, 50),
                     op("evil\x1b[2J", "Conv", 1, 50)};
  const std::string text = describe_trace(trace, {.widest = 12});
  EXPECT_NE(text.find("  ...to/a/Conv  Conv"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(TraceNumbers, AreShort) {
  using namespace text_form;
  EXPECT_EQ(fixed(-0.00004, 4), "0.0000");
  EXPECT_EQ(fixed(-0.00005001, 4), "-0.0001");
  EXPECT_EQ(fixed(1234567.891, 1), "1,234,567.9");
  EXPECT_EQ(fixed(-1234.5, 1), "-1,234.5");
  EXPECT_EQ(fixed(999, 0), "999");
  EXPECT_EQ(fixed(std::nan(""), 1), "-");
  EXPECT_EQ(duration(0), "0 us");
  EXPECT_EQ(duration(1e-13), "0 us");
  EXPECT_EQ(duration(0.5), "0.50 us");
  EXPECT_EQ(duration(999.4), "999 us");
  EXPECT_EQ(duration(999.6), "1.00 ms");
  EXPECT_EQ(duration(45467), "45.5 ms");
  EXPECT_EQ(duration(2.5e6), "2.50 s");
  EXPECT_EQ(share(0.4942), "49.4 %");
}

TEST(TraceNumbers, AreCutByCharacterAndNotByByte) {
  EXPECT_EQ(text_form::keep_end("äöüß", 4), "äöüß");
  EXPECT_EQ(text_form::keep_end("äöüßé", 4), "...é");
}

OpTrace of_a_gpu(TraceTimes times) {
  OpTrace trace;
  trace.status = TraceStatus::ok;
  trace.metadata.times = times;
  trace.metadata.tracing_backend = "cupti";
  trace.metadata.num_samples = 20;
  trace.summary.accounted_us = 300;
  TraceOperator conv;
  conv.op_path = "/conv";
  conv.op_type = "Conv";
  trace.operators.push_back(conv);
  return trace;
}

TEST(TraceTimesText, SaysWhatTheGpuDidAndWhoKeepsWhomWaiting) {
  OpTrace trace = of_a_gpu(TraceTimes::device);
  trace.summary.gpu = TraceGpu{.kernels = 53,
                               .busy_us = 300,
                               .idle_us = 500,
                               .copies = 1,
                               .copy_us = 4,
                               .copy_bytes = 4096,
                               .busy_share = 0.25,
                               .is_launch_bound = true};
  const std::string text = describe_trace(trace);
  EXPECT_THAT(text, HasSubstr("  times are the device's own (cupti)\n"));
  EXPECT_THAT(text, HasSubstr("  GPU busy 300 us with 53 kernels; 1 copy, 4.00 us, 4.00 KiB\n"));
  EXPECT_THAT(text, HasSubstr("  launch-bound: the GPU works for 25.0 % of the untraced "
                              "inference and waits for the host else\n"));
  trace.summary.gpu->is_launch_bound = false;
  EXPECT_THAT(describe_trace(trace), HasSubstr("  not launch-bound: the GPU works for"));
}

TEST(TraceTimesText, NeverCallsTheHostsTimesThoseOfOperators) {
  const std::string text = describe_trace(of_a_gpu(TraceTimes::host));
  EXPECT_THAT(text, HasSubstr("host times: what it takes to queue an operator"));
  EXPECT_THAT(text, HasSubstr("in calls 300 us"));
  EXPECT_THAT(text, Not(HasSubstr("in operators")));
  EXPECT_THAT(text, HasSubstr("host us"));
  EXPECT_THAT(describe_trace(of_a_gpu(TraceTimes::blocking)),
              HasSubstr("the host's, which waited for each kernel"));
  EXPECT_THAT(describe_trace(of_a_gpu(TraceTimes::operators)), Not(HasSubstr("host")));
}

}  // namespace
}  // namespace hone
