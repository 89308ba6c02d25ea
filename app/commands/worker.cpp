// The other end of runtime/worker.h: what hone starts when something may crash, hang or print.

#include "runtime/worker.h"

#include <unistd.h>

#include "app/command.h"
#include "flow/job.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string request;
  std::string answer;
};

Result<ExitCode> serve() {
  // Answers go out through a descriptor of our own; what an EP prints to standard output joins
  // standard error.
  const int answers = ::dup(STDOUT_FILENO);
  if (answers < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return fail(Fault::runtime, "a worker cannot set its standard output aside");
  }
  return serve_worker(STDIN_FILENO, answers, answer_job) == 0 ? ExitCode::done : ExitCode::failed;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.text("REQUEST", arguments->request, "a file with one job");
  options.text("ANSWER", arguments->answer, "the file its answer goes to");
  return [arguments](const Call&) -> Result<ExitCode> {
    if (arguments->request.empty()) return serve();
    HONE_TRY_DO(answer_file(arguments->request, arguments->answer));
    return ExitCode::done;
  };
}

}  // namespace

Command worker() {
  return {.name = "worker",
          .group = "",  // not listed: it is started by hone itself
          .summary = "Open one session and run blocks on command",
          .help =
              "Reads requests from standard input, one JSON object per line, and answers each\n"
              "with one line. Started by the commands that measure. On another machine, which\n"
              "sees the same files, one request comes as a file and is answered by one.",
          .examples = "",
          .declare = declare};
}

}  // namespace hone::app::commands
