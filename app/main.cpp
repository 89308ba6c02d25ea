// The program: read the request, find the command, run it, report what failed.

#include <exception>
#include <string>
#include <vector>

#include "app/checkpoints.h"
#include "app/command.h"
#include "app/errors.h"
#include "app/help.h"
#include "app/interrupt.h"
#include "app/request.h"
#include "app/version.h"

namespace hone::app {
namespace {

Result<ExitCode> finish(Status status) {
  HONE_TRY_DO(std::move(status));
  return ExitCode::done;
}

Status settle_models(const Options& options, const Call& call) {
  for (std::string* checkpoint : options.checkpoints())
    HONE_TRY_DO(fetch_from_hub(*checkpoint, call));
  for (std::string* model : options.models()) HONE_TRY_DO(settle_model(*model, call));
  return done();
}

Result<ExitCode> answer(const Request& request) {
  const Call call(request.settings);
  const bool asks_for_help =
      request.wants_help || request.command.empty() || request.command == "help";
  if (request.wants_version) return finish(call.answer(version_document(), version_text()));
  if (asks_for_help) return finish(help_about(request, call));
  HONE_TRY(const Command* command, command_named(request.command));
  Options options{std::string(command->name)};
  const Run run = command->declare(options);
  HONE_TRY_DO(options.read(request.words));
  HONE_TRY_DO(settle_models(options, call));
  return run(call);
}

}  // namespace
}  // namespace hone::app

int main(int argc, char** argv) {
  using namespace hone;
  using namespace hone::app;
  clean_up_when_interrupted();
  Request request;
  try {
    const Status status = read_request({argv + 1, argv + argc}, request);
    if (!status) return static_cast<int>(report(status.error(), request.settings));
    const Result<ExitCode> end = answer(request);
    return static_cast<int>(end ? *end : report(end.error(), request.settings));
  } catch (const std::exception& error) {
    const Error unexpected{Fault::runtime, "hone came to an unexpected end", error.what(),
                           "report the command line with this message"};
    return static_cast<int>(report(unexpected, request.settings));
  }
}
