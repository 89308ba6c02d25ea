#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/monitors_for_tests.h"

namespace hone {
namespace {

using testing::HasSubstr;

// Detail of QNN: what the EP leaves behind, one thing after the other.
class QnnDetail : public Monitors {
 protected:
  void SetUp() override {
    settings = settings_for("qnn");
    settings.level = TraceLevel::detail;
    settings.qnn_sdk = folder.path() / "sdk";
    monitor = open("qnn", settings);
  }
  void session_writes(bool log, bool schematic) {
    write(settings.folder / "qnn_profile.csv", std::string(csv_header) + one_inference);
    if (log) write(settings.folder / "qnn_profile_qnn.log", "binary");
    if (schematic) write(settings.model.parent_path() / "p_1_schematic.bin", "binary");
  }
  void install_viewer(const std::string& body) {
    write_script(settings.qnn_sdk / "bin" / arch_folder() / "qnn-profile-viewer", body);
    write(settings.qnn_sdk / "lib" / arch_folder() / "libQnnHtpOptraceProfilingReader.so", "");
  }
  static std::string arch_folder() {
#if defined(__aarch64__)
    return "aarch64-oe-linux-gcc11.2";
#else
    return "x86_64-linux-clang";
#endif
  }
  OpTrace trace() { return monitor->parse(window(0, 1))->op_trace.value(); }

  MonitorSettings settings;
  std::unique_ptr<OpenMonitor> monitor;
};

TEST_F(QnnDetail, FallsBackWithoutALog) {
  ASSERT_TRUE(monitor->before_open());
  session_writes(false, true);
  const OpTrace result = trace();
  EXPECT_EQ(result.status, TraceStatus::basic_fallback);
  EXPECT_EQ(result.fallback_reason, "qnn_log_missing");
  EXPECT_EQ(result.operators.size(), 1u);
}

TEST_F(QnnDetail, FallsBackWhenTheLogIsOlderThanTheSession) {
  write(settings.folder / "qnn_profile_qnn.log", "binary");
  ASSERT_TRUE(monitor->before_open());
  session_writes(false, true);
  EXPECT_EQ(trace().fallback_reason, "qnn_log_missing");
}

TEST_F(QnnDetail, FallsBackWithoutASchematic) {
  ASSERT_TRUE(monitor->before_open());
  session_writes(true, false);
  EXPECT_EQ(trace().fallback_reason, "schematic_missing");
}

TEST_F(QnnDetail, TakesASchematicFromTheWorkFolderOnlyWhenItIsFresh) {
  install_viewer("exit 3");
  write(settings.work_folder / "old_schematic.bin", "old");
  ASSERT_TRUE(monitor->before_open());
  session_writes(true, false);
  EXPECT_EQ(trace().fallback_reason, "schematic_missing");
  write(settings.work_folder / "new_schematic.bin", "new");
  EXPECT_EQ(trace().fallback_reason, "viewer_failed");
}

TEST_F(QnnDetail, FallsBackWhenItCannotTellWhichSchematicIsRight) {
  ASSERT_TRUE(monitor->before_open());
  session_writes(true, true);
  write(settings.model.parent_path() / "p_2_schematic.bin", "binary");
  const OpTrace result = trace();
  EXPECT_EQ(result.fallback_reason, "schematic_missing");
  EXPECT_THAT(result.notes, testing::Contains(HasSubstr("2 schematics are in")));
}

TEST_F(QnnDetail, FallsBackWithoutAnSdk) {
  ASSERT_TRUE(monitor->before_open());
  session_writes(true, true);
  const OpTrace result = trace();
  EXPECT_EQ(result.fallback_reason, "sdk_missing");
  EXPECT_THAT(result.notes, testing::Contains(HasSubstr("set QNN_SDK_ROOT")));
}

TEST_F(QnnDetail, FallsBackWhenTheViewerFailsAndQuotesIt) {
  install_viewer("echo first >&2; echo 'cannot read log' >&2; exit 3");
  ASSERT_TRUE(monitor->before_open());
  session_writes(true, true);
  const OpTrace result = trace();
  EXPECT_EQ(result.fallback_reason, "viewer_failed");
  EXPECT_THAT(result.notes, testing::Contains("qnn-profile-viewer exited with 3: cannot read log"));
}

TEST_F(QnnDetail, FallsBackWhenTheViewerHangs) {
  install_viewer("sleep 60");
  settings.tool_limit = std::chrono::milliseconds(100);
  monitor = open("qnn", settings);
  ASSERT_TRUE(monitor->before_open());
  session_writes(true, true);
  const OpTrace result = trace();
  EXPECT_EQ(result.fallback_reason, "viewer_failed");
  EXPECT_THAT(result.notes, testing::Contains(HasSubstr("time limit")));
}

TEST_F(QnnDetail, FallsBackWhenTheViewerMakesNothing) {
  install_viewer("exit 0");
  ASSERT_TRUE(monitor->before_open());
  session_writes(true, true);
  EXPECT_EQ(trace().fallback_reason, "qhas_output_missing");
}

TEST_F(QnnDetail, FallsBackWhenTheViewersFileCannotBeRead) {
  install_viewer("echo '{}' > qnn_viewer_qnn_htp_analysis_summary.json");
  ASSERT_TRUE(monitor->before_open());
  session_writes(true, true);
  EXPECT_EQ(trace().fallback_reason, "qhas_parse_failed");
}

TEST_F(QnnDetail, ReadsWhatTheViewerMadeAndHandsItTheRightFiles) {
  install_viewer(
      "echo \"$@\" > arguments\n"
      "cat > qnn_viewer_qnn_htp_analysis_summary.json <<'END'\n"
      R"({"header":{"artifact_type":"QHAS"},"data":{)"
      R"("htp_overall_summary":{"data":[{"time_us":1343,"timeline_cycles":1582526}]},)"
      R"("qnn_op_instances_nodes":{"data":[{"qnn_op":"/conv/Conv","qnn_op_type":"Conv2d",)"
      R"("cycles":671293,"percent_active_cycles":17.87}]}}})"
      "\nEND");
  ASSERT_TRUE(monitor->before_open());
  session_writes(true, true);
  const OpTrace result = trace();
  EXPECT_EQ(result.status, TraceStatus::ok) << result.error.value_or("");
  EXPECT_EQ(result.fallback_reason, std::nullopt);
  EXPECT_EQ(result.artifacts.count("qhas"), 1u);
  EXPECT_EQ(result.artifacts.count("csv"), 1u);
  const std::string arguments = read_file(settings.folder / "arguments").value();
  EXPECT_THAT(arguments,
              HasSubstr("--input_log " + (settings.folder / "qnn_profile_qnn.log").string()));
  EXPECT_THAT(arguments, HasSubstr("--schematic " +
                                   (settings.model.parent_path() / "p_1_schematic.bin").string()));
  EXPECT_THAT(arguments, HasSubstr("libQnnHtpOptraceProfilingReader.so"));
}

TEST_F(QnnDetail, KeepsNoDataWhenThereIsNoCsvEither) {
  ASSERT_TRUE(monitor->before_open());
  EXPECT_EQ(trace().status, TraceStatus::no_data);
}

}  // namespace
}  // namespace hone
