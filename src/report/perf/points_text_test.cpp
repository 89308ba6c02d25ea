#include "report/perf/points_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

PerfPoint point(std::int64_t batch, std::int64_t streams, double p50_ms, double rate) {
  PerfPoint made;
  made.batch_size = batch;
  made.streams = streams;
  made.latency_ms.p50 = p50_ms;
  made.latency_ms.p90 = p50_ms * 1.1;
  made.throughput.samples_per_sec = rate;
  return made;
}

TEST(PointsText, IsATableWithABarForEachRow) {
  EXPECT_EQ(describe_points({point(1, 1, 1, 1000), point(8, 1, 2, 4000), point(8, 2, 4, 3500)}),
            "\n"
            "  batch  streams      p50      p90  samples/s\n"
            "  1            1  1.00 ms  1.10 ms      1,000  ██████\n"
            "  8            1  2.00 ms  2.20 ms      4,000  ████████████████████████\n"
            "  8            2  4.00 ms  4.40 ms      3,500  █████████████████████\n"
            "  most: batch 8, 1 stream, 4.00 times the first row's throughput at 2.00 times its "
            "latency\n");
}

TEST(PointsText, ComparesNoRowsWhoseTimeWasSomebodyElses) {
  PerfPoint interrupted = point(1, 1, 0.058, 938);
  interrupted.latency_ms.mean = 1.07;
  const std::string text = describe_points({interrupted, point(1, 2, 0.057, 16937)});
  EXPECT_THAT(text, HasSubstr("most: batch 1, 2 streams, as far as can be told: other work"));
  EXPECT_THAT(text, Not(HasSubstr("times the first row")));
}

TEST(PointsText, SaysWhatCouldNotBeMeasured) {
  PerfPoint failed;
  failed.batch_size = 64;
  failed.error = "the worker was killed: out of memory";
  const std::string text = describe_points({point(1, 1, 1, 1000), failed});
  EXPECT_THAT(text, HasSubstr("  64           1        -        -          -\n"));
  EXPECT_THAT(text, HasSubstr("note: batch 64 with 1 stream was not measured: the worker was "
                              "killed: out of memory\n"));
}

TEST(PointsText, TellsEnergyWhereADeviceDoes) {
  PerfPoint with = point(4, 1, 2, 2000);
  with.energy = PerfEnergy{.source = "H200",
                           .mean_watts = 300,
                           .joules_per_inference = 0.6,
                           .joules_per_sample = 0.15,
                           .seconds = 2};
  EXPECT_THAT(describe_points({with}), HasSubstr("0.15 J"));
  EXPECT_EQ(describe_energy(*with.energy),
            "0.60 J per inference, 0.15 J per sample (300.0 W over 2.0 s; H200, idle power "
            "included)");
}

TEST(PointsText, GivesTheLatencyOfSessionsAnInterval) {
  PerfSessions sessions;
  sessions.sessions = {{.p50_ms = 1.2}, {.p50_ms = 1.25}};
  sessions.latency_ms = 1.2247;
  sessions.interval_ms = {1.1, 1.36};
  sessions.spread = 0.0417;
  EXPECT_EQ(describe_sessions(sessions),
            "2 fresh processes: 1.22 ms [1.10 ms, 1.36 ms] at 95 %, medians 1.20 ms, 1.25 ms (4.2 "
            "% apart)");
}

TEST(PointsText, CallsTransfersATimeOnlyBeyondTheNoise) {
  EXPECT_THAT(describe_transfers({1.0, 1.2, 0.2, true}), HasSubstr("transfers take 200 us"));
  EXPECT_THAT(describe_transfers({1.0, 1.01, 0.01, false}),
              HasSubstr("no difference beyond the noise"));
  EXPECT_THAT(describe_transfers({1.0, 1.01, 0.01, false}), Not(HasSubstr("transfers take")));
}

}  // namespace
}  // namespace hone
