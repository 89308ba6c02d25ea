#include "app/tools.h"

namespace hone::app {
namespace {

constexpr std::string_view clear_line = "\r\x1b[K";

}  // namespace

void StepProgress::step(const std::string& what) {
  if (call_.is_quiet()) return;
  if (!call_.settings().stderr_is_terminal) return call_.detail(what);
  write_to_stderr(std::string(clear_line) + what);
  is_line_open_ = true;
}

void StepProgress::end() {
  if (is_line_open_) write_to_stderr(clear_line);
  is_line_open_ = false;
}

Result<TransformTools> make_tools(const WhereArguments& where, StepProgress& progress) {
  TransformTools tools;
  HONE_TRY(tools.runtime, Runtime::load(ort_candidates(where.ort)));
  HONE_TRY(tools.probe_library, own_ep_library());
  tools.progress = [&progress](const std::string& what) { progress.step(what); };
  return tools;
}

}  // namespace hone::app
