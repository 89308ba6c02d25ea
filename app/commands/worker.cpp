// The other end of runtime/worker.h: what hone starts when something may crash, hang or print.

#include "runtime/worker.h"

#include <unistd.h>

#include "app/command.h"
#include "flow/job.h"

namespace hone::app::commands {
namespace {

Run declare(Options&) {
  return [](const Call&) -> Result<ExitCode> {
    // Answers go out through a descriptor of our own; what an EP prints to standard output joins
    // standard error.
    const int answers = ::dup(STDOUT_FILENO);
    if (answers < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
      return fail(Fault::runtime, "a worker cannot set its standard output aside");
    }
    return serve_worker(STDIN_FILENO, answers, answer_job) == 0 ? ExitCode::done : ExitCode::failed;
  };
}

}  // namespace

Command worker() {
  return {.name = "worker",
          .group = "",  // not listed: it is started by hone itself
          .summary = "Open one session and run blocks on command",
          .help =
              "Reads requests from standard input, one JSON object per line, and answers each\n"
              "with one line. Started by the commands that measure.",
          .examples = "",
          .declare = declare};
}

}  // namespace hone::app::commands
