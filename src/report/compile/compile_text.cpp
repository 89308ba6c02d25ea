#include "report/compile/compile_text.h"

#include "base/counted.h"
#include "base/text.h"
#include "report/optimize/optimize_text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

std::string contexts_text(const std::vector<ContextNode>& contexts) {
  std::uint64_t bytes = 0;
  for (const ContextNode& context : contexts) bytes += context.bytes;
  return counted(contexts.size(), "context") + ", " + format_bytes(bytes);
}

}  // namespace

std::string describe_compile(const CompileReport& report) {
  std::string text = printable(report.model) + " for " + report.identity.ep + "/" +
                     report.identity.device + ": " + contexts_text(report.contexts);
  if (report.nodes_left > 0) text += ", " + counted(report.nodes_left, "node") + " not compiled";
  text += report.was_cached
              ? ", from the cache\n"
              : ", " + text_form::duration(report.compile_ms.value_or(0) * 1000) + "\n";
  if (report.placement) text += describe(*report.placement) + "\n";
  if (report.verified) text += describe_verification(*report.verified);
  for (const std::string& blob : report.blobs) text += "blob: " + printable(blob) + "\n";
  for (const std::string& note : report.notes) text += "note: " + printable(note) + "\n";
  return text;
}

std::string describe_shared(const SharedCompileReport& shared) {
  std::string text;
  for (const CompileReport& report : shared.models) text += describe_compile(report);
  return text;
}

std::string describe_context_check(const ContextCheck& check) {
  std::string text = printable(check.model) + ": " + contexts_text(check.contexts) + ", ";
  switch (check.state) {
    case ContextState::fits:
      return text + "made with what is here\n";
    case ContextState::stale:
      text += "stale: made with something else than is here\n";
      break;
    case ContextState::foreign:
      text += "foreign: made for another device\n";
      break;
    case ContextState::unknown:
      text += "unknown whether it fits\n";
      break;
  }
  for (const std::string& reason : check.reasons) text += "  " + printable(reason) + "\n";
  return text;
}

}  // namespace hone
