#include "catalog/failure.h"

#include "base/one_line.h"
#include "base/system_files.h"
#include "base/text.h"

namespace hone {
namespace {

std::string last_lines_of(std::string_view text) {
  constexpr std::size_t most = 12;
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n'))
    if (!trimmed(line).empty()) lines.push_back(printable(line));
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - most);
  return join(lines, "\n");
}

FailureClass class_of(Fault fault) {
  switch (fault) {
    case Fault::unsupported:
      return FailureClass::unsupported_op;
    case Fault::timeout:
      return FailureClass::timeout;
    case Fault::io:
      return FailureClass::infra;
    case Fault::not_held:
      return FailureClass::numerics;
    case Fault::bad_input:
    case Fault::not_found:
    case Fault::runtime:
      break;
  }
  return FailureClass::load;
}

FailureClass class_of(const Error& error) {
  // Whatever else it lacked, time is what ended it.
  if (error.fault == Fault::timeout) return FailureClass::timeout;
  switch (error.trouble) {
    case Trouble::disk_full:
      return FailureClass::disk_full;
    case Trouble::no_memory:
      return FailureClass::oom;
    case Trouble::crashed:
      return FailureClass::build_crash;
    case Trouble::absent:
      return FailureClass::infra;
    case Trouble::misplaced:
      return FailureClass::placement;
    case Trouble::no_kernel:
      return FailureClass::unsupported_op;
    case Trouble::other:
      break;
  }
  return class_of(error.fault);
}

}  // namespace

CellFailure failure_of(std::string_view stage, const Error& error) {
  CellFailure failure;
  failure.kind = class_of(error);
  failure.stage = stage;
  failure.what = error.what;
  // What a process said before it ended is a log; what a layer below answered is a part of the
  // sentence.
  if (!error.cause.empty() && error.trouble != Trouble::crashed) failure.what += ": " + error.cause;
  failure.what = printable(one_line(failure.what));
  failure.log_tail = last_lines_of(error.what + "\n" + error.cause +
                                   (error.hint.empty() ? "" : "\ntry: " + error.hint));
  return failure;
}

}  // namespace hone
