// Builds raced against each other, with a verdict and an interval.

#include <algorithm>

#include "app/arm_words.h"
#include "app/checkpoints.h"
#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/misuse.h"
#include "base/text.h"
#include "report/compare/compare_text.h"

namespace hone::app::commands {
namespace {

constexpr auto help = "hone help compare";

struct Arguments {
  CompareOrder order;
  std::vector<std::string> arms;
  std::vector<std::string> models;
  bool all_eps = false;
  std::vector<std::string> fail_on;
  std::string output;
  bool overwrite = false;
};

Result<std::vector<CompareArm>> read_arms(const Arguments& arguments, const Call& call) {
  std::vector<CompareArm> arms;
  for (const std::string& word : arguments.arms) {
    HONE_TRY(CompareArm arm, arm_of_word(word));
    HONE_TRY_DO(settle_model(arm.model, call));
    arms.push_back(std::move(arm));
  }
  if (arguments.all_eps) {
    if (arguments.models.size() != 1)
      return misuse("--all-eps takes one model: hone compare MODEL --all-eps", help);
    return arms_of_all_eps(arguments.models.front(), arguments.order.where.host);
  }
  for (const std::string& model : arguments.models) arms.push_back(arm_of_build(model));
  return arms;
}

Result<CompareOrder> read_order(const Arguments& arguments, const Call& call) {
  CompareOrder order = arguments.order;
  HONE_TRY(order.arms, read_arms(arguments, call));
  for (const CompareArm& arm : order.arms) {
    if (std::ranges::count(order.arms, arm.name, &CompareArm::name) > 1)
      return misuse("two arms are called '" + printable(arm.name) + "'", help);
  }
  if (order.arms.size() < 2)
    return misuse("a comparison needs two arms: --arm twice, or two builds", help);
  order.repeat = call.settings().command_line;
  return order;
}

bool fails(const Arguments& arguments, const Comparison& comparison) {
  return std::ranges::any_of(comparison.arms, [&](const ComparedArm& arm) {
    const std::string verdict(name_of(arm.verdict));
    return std::ranges::count(arguments.fail_on, verdict) > 0;
  });
}

Status check(const Arguments& arguments) {
  for (const std::string& word : arguments.fail_on) {
    if (word != "slower" && word != "inconclusive" && word != "equivalent")
      return misuse("--fail-on takes slower, equivalent or inconclusive", help);
  }
  return check_outputs({arguments.output}, arguments.overwrite, {arguments.order.input_data});
}

Result<ExitCode> answer(const Arguments& arguments, const Comparison& comparison,
                        const Call& call) {
  const Json document = to_document(comparison, comparison_schema_version);
  HONE_TRY_DO(write_report(arguments.output, document));
  HONE_TRY_DO(call.answer(document, describe_comparison(comparison)));
  return fails(arguments, comparison) ? ExitCode::not_held : ExitCode::done;
}

// An arm without a verdict is no pass: who asked for one is told.
void note_undecided(const Arguments& arguments, Comparison& comparison) {
  const auto asks_for = [&](std::string_view word) {
    return std::ranges::count(arguments.fail_on, word) > 0;
  };
  if (arguments.fail_on.empty() || asks_for("inconclusive")) return;
  for (const ComparedArm& arm : comparison.arms) {
    if (arm.verdict != Verdict::inconclusive) continue;
    comparison.notes.push_back("--fail-on " + join(arguments.fail_on, ", ") + ": '" + arm.name +
                               "' has no verdict, which is not the same as passing; with "
                               "--fail-on inconclusive it would be exit 3");
  }
}

std::string describe_race(const RaceProgress& seen) {
  return "session " + std::to_string(seen.sessions) + " of at most " +
         std::to_string(seen.most_sessions) + ", " +
         std::to_string(static_cast<int>(to_milliseconds(seen.remaining) / 1000)) +
         " s at the most to go";
}

Result<ExitCode> race_arms(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check(arguments));
  HONE_TRY(const CompareOrder order, read_order(arguments, call));
  StepProgress progress(call);
  const Watch watch = progress.watch(&stop_when_interrupted());
  Result<Comparison> comparison = compare_arms(
      order, {.watch = watch,
              .progress = [&](const RaceProgress& seen) { progress.step(describe_race(seen)); }});
  progress.end();
  if (!comparison && watch.stop->load()) {
    call.note(comparison.error().what);
    return ExitCode::failed;
  }
  if (!comparison) return fail(std::move(comparison).error());
  note_undecided(arguments, *comparison);
  return answer(arguments, *comparison, call);
}

// What was stopped ends by the signal that stopped it, once it has answered and cleaned up.
Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  Result<ExitCode> end = race_arms(arguments, call);
  if (end) end_if_interrupted();
  return end;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  CompareOrder& order = arguments->order;
  options.texts("BUILD", arguments->models,
                "models or build folders to race; the first is the baseline");
  options.takes_models(arguments->models);
  options.texts("--arm NAME:KEY=VALUE,...", arguments->arms,
                "model, recipe, ep, device, ort, threads, io, session.K, option.K");
  options.flag("--all-eps", arguments->all_eps, "one model on every EP of this machine");
  options.percent("--margin PERCENT", order.margin,
                  "what is worth keeping; a smaller difference is equivalent (1)");
  options.integer("--max-time SECONDS", order.most_seconds,
                  "be done after this long, opening included, with what is known", Need::optional,
                  {.least = 1, .most = 86'400});
  options.integer("--rounds N", order.rounds, "turns of each arm in a session (8)", Need::optional,
                  {.least = 1, .most = 64});
  options.texts("--fail-on VERDICT", arguments->fail_on,
                "exit 3 when an arm is slower, equivalent or inconclusive");
  options.text("--input-data FILE", order.input_data, "inputs as .npz, or a folder of them");
  options.shape_config(order.shape_config);
  options.seed(order.seed, "of inputs and of the order of arms");
  options.word("--io-binding HOW", order.where.io_binding,
               "outputs come back to the host (auto), stay on the device, or nothing is bound");
  options.text("-o,--output FILE", arguments->output, "every sample, as JSON");
  options.flag("--overwrite", arguments->overwrite, "replace an output that exists");
  declare_where(options, order.where);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command compare() {
  return {.name = "compare",
          .group = "measure",
          .summary = "Race builds against each other until there is a verdict",
          .help =
              "Each arm runs in a fresh process, session after session; inside a session arms\n"
              "take turns in an order that no drift favours, and a clone of the baseline runs\n"
              "along to show what identical arms come to. Sessions are the sample: there are\n"
              "looks after 6, 9, 12, 16 and 20 of them, and the verdict (faster, slower,\n"
              "equivalent, inconclusive) holds at 5 % over all looks together.",
          .examples =
              "hone compare --arm float:model=a.onnx --arm int8:model=b.onnx --fail-on slower\n"
              "hone compare --arm one:model=a.onnx,threads=1 --arm two:model=a.onnx,threads=2\n"
              "hone compare --arm old:model=a.onnx,ort=old.so --arm new:model=a.onnx\n"
              "hone compare build-float build-int8\n"
              "hone compare model.onnx --all-eps",
          .declare = declare};
}

}  // namespace hone::app::commands
