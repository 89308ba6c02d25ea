// The best recipe of a model on a target, found by trying and confirmed on fresh sessions.

#include <algorithm>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/search_arguments.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "flow/search/replay.h"
#include "report/search/plan_text.h"
#include "report/search/replay_text.h"
#include "report/search/search_text.h"

namespace hone::app::commands {
namespace {

Result<SearchOrder> order_of(const SearchArguments& arguments, const Call& call) {
  HONE_TRY_DO(check(arguments));
  SearchOrder order = arguments.order;
  // A user without a home has no findings of his own.
  const auto own = knowledge_folder();
  if (order.knowledge.empty() && own) order.knowledge = own->string();
  order.repeat = call.settings().command_line;
  return order;
}

std::string describe_step(const SearchProgress& seen, std::int64_t budget_s) {
  std::string line = seen.phase;
  if (seen.total > 0) line += " " + std::to_string(seen.done) + " of " + std::to_string(seen.total);
  if (!seen.arm.empty()) line += ": " + seen.arm;
  line += ", " + std::to_string(static_cast<int>(seen.seconds)) + " s";
  if (budget_s > 0) {
    const auto left = budget_s - static_cast<std::int64_t>(seen.seconds);
    line += ", at the most " + std::to_string(std::max<std::int64_t>(left, 0)) + " s to go";
  } else if (seen.remaining_s) {
    line += ", about " + std::to_string(static_cast<int>(*seen.remaining_s)) + " s to go";
  }
  return line;
}

Result<ExitCode> replay(const SearchArguments& arguments, const Call& call) {
  StepProgress progress(call);
  HONE_TRY(const ReplayReport report,
           replay_searches({.files = arguments.replays,
                            .searches = static_cast<std::uint64_t>(arguments.searches),
                            .margin = arguments.order.margin,
                            .findings = arguments.findings},
                           progress.watch()));
  progress.end();
  HONE_TRY_DO(
      call.answer(to_document(report, replay_report_schema_version), describe_replay(report)));
  return ExitCode::done;
}

Result<ExitCode> show_plan(const SearchOrder& order, StepProgress& progress, const Call& call) {
  HONE_TRY(const SearchResult plan, plan_search(order, progress.watch(&stop_when_interrupted())));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(plan, search_schema_version), describe_plan(plan)));
  return ExitCode::done;
}

Result<ExitCode> record(const SearchArguments& arguments, const SearchOrder& order,
                        StepProgress& progress, const Call& call) {
  HONE_TRY(const RecordedSpace space,
           record_search(order, static_cast<std::size_t>(arguments.record_sessions),
                         progress.watch(&stop_when_interrupted())));
  const Json document = to_document(space, replay_schema_version);
  HONE_TRY_DO(write_file(arguments.record, document.dump(-1) + "\n"));
  progress.end();
  HONE_TRY_DO(call.answer(document,
                          arguments.record + ": " + std::to_string(space.arms.size()) + " arms\n"));
  return ExitCode::done;
}

Result<ExitCode> search(const SearchArguments& arguments, const Call& call) {
  HONE_TRY(const SearchOrder order, order_of(arguments, call));
  StepProgress progress(call);
  if (arguments.is_dry) return show_plan(order, progress, call);
  if (!arguments.record.empty()) return record(arguments, order, progress, call);
  const auto show = [&](const SearchProgress& seen) {
    progress.step(describe_step(seen, order.time_budget_s));
  };
  HONE_TRY(
      const SearchResult result,
      search_model(order, {.watch = progress.watch(&stop_when_interrupted()), .progress = show}));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(result, search_schema_version), describe_search(result)));
  if (result.stopped) call.note("go on with --resume");
  return ExitCode::done;
}

Result<ExitCode> run(const SearchArguments& arguments, const Call& call) {
  if (!arguments.replays.empty()) return replay(arguments, call);
  Result<ExitCode> end = search(arguments, call);
  const bool is_stopped = stop_when_interrupted().load();
  if (!end && is_stopped) call.note("stopped before anything was measured");
  // What was stopped ends by the signal that stopped it, once it has answered and let go.
  end_if_interrupted();
  return end;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<SearchArguments>();
  declare_search(options, *arguments);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command autoconfig() {
  return {.name = "autoconfig",
          .group = "search",
          .summary = "Find the best recipe of a model for a target, and confirm it",
          .help =
              "Builds a baseline, looks at it, and thinks of what could be better: opsets,\n"
              "fusions, precisions, session and provider options. Each is built, compared\n"
              "with the model as it came, and raced against the baseline; winners are\n"
              "combined. The best is confirmed on fresh sessions only, has to pass the\n"
              "accuracy gate, and is kept in FOLDER/champion with a report. What was\n"
              "measured is in a journal: a search that was killed goes on with --resume.\n"
              "--ep may name several targets (cuda,webgpu,cpu or sim/gpu,sim/npu), or all\n"
              "that this machine offers (auto): the best recipe on the best one ships.",
          .examples =
              "hone autoconfig model.onnx -o search --ep cpu --input-data samples.npz\n"
              "hone autoconfig rec.onnx -o search --task text-recognition --data lines\n"
              "hone autoconfig model.onnx -o search --ep auto --time-budget 600\n"
              "hone autoconfig model.onnx -o search --dry-run",
          .declare = declare};
}

}  // namespace hone::app::commands
