// Qualcomm's QNN: cycles per operator in a CSV; with detail an optrace as well, of which the SDK's
// viewer makes QHAS. Where that cannot be made the CSV stands in, and the trace says why.

#include <sys/utsname.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "measure/capture.h"
#include "measure/qnn_viewer.h"
#include "measure/trace/files.h"

namespace hone::monitors {
namespace {

std::string arch_of_this_machine() {
  utsname system{};
  ::uname(&system);
  return system.machine;
}

class QnnMonitor : public OpenMonitor {
 public:
  explicit QnnMonitor(const MonitorSettings& settings)
      : settings_(settings),
        capture_(settings, settings.level == TraceLevel::detail ? "optrace" : "detailed",
                 "QNNExecutionProvider"),
        log_(log_beside(capture_.csv())) {}

  MonitorOptions provider_options() const override { return capture_.provider_options(); }
  bool needs_closed_session() const override { return true; }

  Status before_open() override {
    capture_.before_open();
    log_before_ = take_snapshot(log_);
    schematics_.emplace(settings_.folder, settings_.model, settings_.work_folder);
    return done();
  }

  Result<MonitorFinding> parse(const ClosedWindow& window) override {
    OpTrace basic = capture_.read(window);
    if (settings_.level == TraceLevel::basic || !basic.has_operators()) {
      return MonitorFinding{.op_trace = std::move(basic)};
    }
    const std::variant<Path, NoQhas> qhas = qhas_of_this_run();
    if (const NoQhas* none = std::get_if<NoQhas>(&qhas)) {
      return MonitorFinding{.op_trace = fall_back_to(std::move(basic), none->reason, none->detail)};
    }
    return MonitorFinding{.op_trace = detailed(std::get<Path>(qhas), std::move(basic), window)};
  }

 private:
  // "<stem>_qnn.log" is where QNN puts the binary trace of the CSV "<stem>.csv".
  static Path log_beside(const Path& csv) {
    return csv.parent_path() / (csv.stem().string() + "_qnn.log");
  }

  std::variant<Path, NoQhas> qhas_of_this_run() const {
    const FileSnapshot log = take_snapshot(log_);
    if (!log.exists || log == log_before_) {
      return NoQhas{"qnn_log_missing",
                    "QNN wrote no optrace '" + log_.string() + "' (it takes QAIRT 2.39 or newer)"};
    }
    const Result<Path> schematic = schematics_->find();
    if (!schematic) return NoQhas{"schematic_missing", explained(schematic.error())};
    const Result<QnnViewer> viewer = find_qnn_viewer(settings_.qnn_sdk, arch_of_this_machine());
    if (!viewer) return NoQhas{"sdk_missing", explained(viewer.error())};
    return make_qhas({.viewer = *viewer,
                      .log = log_,
                      .schematic = *schematic,
                      .folder = settings_.folder,
                      .limit = settings_.tool_limit});
  }

  OpTrace detailed(const Path& qhas, OpTrace basic, const ClosedWindow& window) const {
    Result<OpTrace> trace = read_qhas(qhas, trace_options(window, settings_.node_types));
    if (!trace || !trace->has_operators()) {
      const std::string why = trace ? trace->error.value_or("") : trace.error().what;
      return fall_back_to(std::move(basic), "qhas_parse_failed", why);
    }
    trace->metadata.model = settings_.model.string();
    trace->artifacts.merge(basic.artifacts);
    return std::move(*trace);
  }

  static std::string explained(const Error& error) {
    return error.hint.empty() ? error.what : error.what + "; " + error.hint;
  }

  MonitorSettings settings_;
  QnnCsvCapture capture_;
  Path log_;
  FileSnapshot log_before_;
  std::optional<SchematicFinder> schematics_;
};

}  // namespace

Monitor qnn() {
  return {.name = "qnn",
          .summary = "Operators of Qualcomm's NPU: cycles, and QHAS with detail",
          .traces = true,
          .open = open_monitor<QnnMonitor>};
}

}  // namespace hone::monitors
