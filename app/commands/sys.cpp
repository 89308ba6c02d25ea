// What this machine offers to run models on.

#include "app/command.h"
#include "app/progress.h"
#include "app/where.h"
#include "flow/where.h"
#include "report/system/sys_text.h"
#include "runtime/session_options.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  Host host;
  bool session_options = false;
};

Result<ExitCode> list_session_options(const Call& call) {
  const SessionOptionList list{known_session_options()};
  HONE_TRY_DO(
      call.answer(to_document(list, system_schema_version), describe_session_options(list)));
  return ExitCode::done;
}

Result<System> survey(const Host& host, const Call& call) {
  const SurveyRequest request = survey_request(host);
  Progress progress(call, "looking at this machine");
  return survey_system(request, {}, [&](const std::string& doing) { progress.step(doing); });
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  if (arguments.session_options) return list_session_options(call);
  HONE_TRY(const System system, survey(arguments.host, call));
  HONE_TRY_DO(call.answer(to_document(system, system_schema_version), describe_system(system)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  declare_runtime(options, arguments->host);
  options.flag("--session-options", arguments->session_options,
               "list every session option that hone takes, and nothing else");
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command sys() {
  return {.name = "sys",
          .group = "this machine",
          .summary = "Show the machine, ONNX Runtime, EPs with their status, and devices",
          .help =
              "An EP is primary when a model of one node opened and ran on it here, failed\n"
              "when it is there and that did not work, absent when this ONNX Runtime has\n"
              "none. Every library and EP is tried in a process of its own: one that crashes\n"
              "or hangs is a line of the answer.",
          .examples =
              "hone sys\n"
              "hone sys --ep-library qnn=/opt/qnn/libonnxruntime_providers_qnn.so\n"
              "hone sys --session-options",
          .declare = declare};
}

}  // namespace hone::app::commands
