#include "report/perf/perf_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

PerfResult example() {
  PerfResult result;
  result.benchmark_info.model_id = "models/resnet50.onnx";
  result.benchmark_info.runtime_version = "1.30.0";
  result.benchmark_info.device = "npu";
  result.benchmark_info.ep = "qnn";
  result.benchmark_info.iterations = 300;
  result.benchmark_info.warmup = 12;
  result.benchmark_info.effective_batch_size = 4;
  result.machine.cores = 8;
  result.latency_ms.p50 = 3.13;
  result.latency_ms.p90 = 3.31;
  result.latency_ms.p95 = 3.35;
  result.latency_ms.mean = 3.16;
  result.latency_ms.min = 3.04;
  result.latency_ms.max = 13.45;
  result.latency_ms.deviation = 0.09;
  result.latency_ms.not_supported = {"p99 not supported (needs 662 samples, have 300)"};
  result.throughput.samples_per_sec = 1265.8;
  result.throughput.batches_per_sec = 316.4;
  result.cold_start.load_ms = 1200;
  result.cold_start.first_inference_ms = 12.4;
  result.steady_state = {Steadiness::steady, "steady after 12 iterations", 12, 64.2, 0.003};
  return result;
}

TEST(PerfText, SaysWhatRanHowFastAndWhatToKnow) {
  PerfResult result = example();
  result.repeat = "hone perf models/resnet50.onnx --ep qnn --seed 7";
  EXPECT_EQ(describe_perf(result),
            "resnet50.onnx on qnn/npu (8 CPUs), onnxruntime 1.30.0, 300 iterations after 12 of "
            "warm-up\n"
            "\n"
            "               p50      p90      p95  p99     mean      min      max      std\n"
            "  latency  3.13 ms  3.31 ms  3.35 ms    -  3.16 ms  3.04 ms  13.4 ms  90.0 us\n"
            "  p99 needs more samples: --iterations 662\n"
            "\n"
            "  throughput    1,266 samples/s (batch 4)\n"
            "  cold start    session 1.20 s, first inference 12.4 ms\n"
            "  steady state  steady after 12 iterations, 64.2 ms to get there, spikes in 0.3 %\n"
            "repeat: hone perf models/resnet50.onnx --ep qnn --seed 7\n");
}

TEST(PerfText, SaysInOneLineWhatShortRunsLack) {
  PerfResult result = example();
  result.latency_ms.p90 = result.latency_ms.p95 = std::nullopt;
  EXPECT_THAT(describe_perf(result),
              HasSubstr("\n  p90 and above need more samples: --iterations 662 for p99\n\n"));
}

TEST(PerfText, SaysHowLongASampleTakesWhereThereIsLessThanOneInASecond) {
  PerfResult result = example();
  result.throughput.samples_per_sec = 0.102;
  result.benchmark_info.effective_batch_size = 1;
  EXPECT_THAT(describe_perf(result), HasSubstr("  throughput    9.80 s per sample (batch 1)\n"));
}

TEST(PerfText, SaysWhatOtherWorkUsed) {
  PerfResult result = example();
  result.load = {.others_share = 0.02, .steal_share = 0};
  EXPECT_THAT(describe_perf(result),
              HasSubstr("  machine       other work used 2 % of the CPU while this ran\n"));
  result.load.others_share = 0.43;
  EXPECT_THAT(describe_perf(result), HasSubstr("43 % of the CPU while this ran: these times are "
                                               "longer than they need be\n"));
}

TEST(PerfText, TellsCompilingApartWhereItIsKnown) {
  PerfResult result = example();
  result.cold_start.compile_ms = 900;
  EXPECT_THAT(describe_perf(result),
              HasSubstr("session 1.20 s, of it compiling 900 ms, first inference 12.4 ms\n"));
}

TEST(PerfText, ShowsMemoryWithItsChanges) {
  PerfResult result = example();
  result.memory = PerfMemory{.rss_baseline_mb = 70.7,
                             .rss_peak_mb = 160.25,
                             .rss_model_load_delta_mb = 77.3,
                             .rss_inference_delta_mb = -1.4};
  EXPECT_THAT(
      describe_perf(result),
      HasSubstr("  memory        70.7 MB before, +77.3 session, -1.4 runs, peak 160.2 MB\n"));
}

TEST(PerfText, ShowsTheAcceleratorBeforeTheProcessor) {
  PerfResult result = example();
  HwMonitorRecord hw;
  hw.cpu = {12.5, 100, 25, 9};
  hw.adapter = HwAdapter{"npu0", 73.5, 100, 9};
  hw.channels = {{.name = "cpu/clock", .unit = "MHz"}};
  hw.channels[0].mean = 2599.7;
  result.hw_monitor = hw;
  EXPECT_THAT(describe_perf(result),
              HasSubstr("  hardware      npu0 73.5 % (peak 100.0 %), cpu 12.5 % of all CPUs (peak "
                        "25.0 %), clock 2,600 MHz\n"));
}

TEST(PerfText, WarnsThatItIsNotSteady) {
  PerfResult result = example();
  result.steady_state = {Steadiness::unsteady, "20 % slower after 100 iterations", 0, 0.0, 0.0};
  EXPECT_THAT(
      describe_perf(result),
      HasSubstr("  steady state  not steady: 20 % slower after 100 iterations, no spikes\n"));
}

TEST(PerfText, PrintsPlacementNotesAndProof) {
  PerfResult result = example();
  result.placement = Placement{};
  result.placement->reason = "this ONNX Runtime does not tell";
  result.notes = {"requested batch 8 could not be applied"};
  result.ep_proof = EpProof{.ep = "vitisai", .npu_proven = true, .command_submissions = 50};
  const std::string text = describe_perf(result);
  EXPECT_THAT(text, HasSubstr("placement: not known (this ONNX Runtime does not tell)\n"));
  EXPECT_THAT(text, HasSubstr("note: requested batch 8 could not be applied\n"));
  EXPECT_THAT(text, HasSubstr("  npu           worked: 50 commands\n"));
}

TEST(PerfText, LeavesOutWhatIsNotKnown) {
  PerfResult result;
  result.benchmark_info.model_id = "m.onnx";
  result.benchmark_info.ep = "cpu";
  result.benchmark_info.device = "cpu";
  result.steady_state.reason = "too few iterations to tell (needs 20, have 1)";
  const std::string text = describe_perf(result);
  EXPECT_THAT(text, HasSubstr("m.onnx on cpu, 0 iterations"));
  for (const char* name : {"throughput", "cold start", "memory", "hardware", "repeat"}) {
    EXPECT_THAT(text, Not(HasSubstr(name)));
  }
}

TEST(PerfText, ShowsTheTraceOfOperatorsAfterTheNumbers) {
  PerfResult result = example();
  result.op_trace = OpTrace{};
  result.op_trace->status = TraceStatus::ok;
  TraceOperator conv;
  conv.op_path = "/conv/Conv";
  result.op_trace->operators = {conv};
  EXPECT_THAT(describe_perf(result), HasSubstr("/conv/Conv"));
}

}  // namespace
}  // namespace hone
