#include "flow/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system_files.h"

namespace hone {
namespace {

using testing::HasSubstr;

std::string fixture(const std::string& name) { return "tests/fixtures/trace/" + name; }

class TraceReports : public testing::Test {
 protected:
  std::string keep(const Json& document) const {
    const Path path = folder_.path() / "trace.json";
    EXPECT_TRUE(write_file(path, document.dump() + "\n"));
    return path.string();
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("trace").value();
};

OpTrace qnn_trace() { return trace_from_files({.qnn_csv = fixture("qnn.csv")}).value(); }

TEST_F(TraceReports, AreReadBackAsTheyWereWritten) {
  const OpTrace trace = qnn_trace();
  const auto read = trace_from_report(keep(to_document(trace, trace_schema_version)));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(to_json(*read), to_json(trace));
}

TEST_F(TraceReports, MayStandInsideTheReportOfAMeasurement) {
  Json report = Json::object();
  report.set("schema_version", 1);
  report.set("op_trace", to_json(qnn_trace()));
  const auto read = trace_from_report(keep(report));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_TRUE(read->has_operators());
}

TEST_F(TraceReports, ThatAreNoneAreBadInputAndSayHowToMakeOne) {
  Json other = Json::object();
  other.set("schema_version", 1);
  other.set("champion", "fast");
  const auto read = trace_from_report(keep(other));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().fault, Fault::bad_input);
  EXPECT_THAT(read.error().what, HasSubstr("is no op trace of hone"));
  EXPECT_THAT(read.error().hint, HasSubstr("hone trace parse"));
}

TEST(TraceFilesOfATracer, ThatCannotBeReadAreTheCallersToMend) {
  const auto trace = trace_from_files({.qnn_csv = "/no/such/profile.csv"});
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().fault, Fault::io);
}

TEST(TraceFilesOfATracer, StandInForADetailedOneThatIsBroken) {
  const auto trace = trace_from_files({.qnn_csv = fixture("qnn.csv"), .qhas = fixture("qnn.csv")});
  ASSERT_TRUE(trace) << trace.error().what;
  EXPECT_TRUE(trace->has_operators());
  EXPECT_THAT(trace->fallback_reason.value_or(""), HasSubstr("qhas_parse_failed"));
}

TEST(TraceFilesOfATracer, AreReconciledWithTheTimeWithoutOne) {
  const OpTrace traced = qnn_trace();
  const auto trace = trace_from_files({.qnn_csv = fixture("qnn.csv"), .latency_us = 1});
  ASSERT_TRUE(trace) << trace.error().what;
  EXPECT_DOUBLE_EQ(trace->summary.total_us.value_or(0), 1);
  EXPECT_NE(traced.summary.total_us.value_or(0), 1);
}

}  // namespace
}  // namespace hone
