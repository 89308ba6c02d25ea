// Builds raced against each other, with a verdict and an interval.

#include "app/command.h"
#include "app/model_path.h"
#include "app/tools.h"
#include "app/where.h"
#include "base/process.h"
#include "base/text.h"
#include "measure/race.h"
#include "report/compare/compare_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::vector<std::string> arms;
  double margin = 1;
  std::int64_t most_seconds = 0;
  std::int64_t rounds = 4;
  std::vector<std::string> fail_on;
  std::string input_data;
  std::string shape_config;
  std::uint64_t seed = 0;
  std::string output;
  bool overwrite = false;
  WhereArguments where;
};

Failure misuse(std::string what, std::string hint = "hone help compare") {
  return fail(Fault::bad_input, std::move(what), {}, std::move(hint));
}

// One "key=value" of an arm, put over what all arms have.
Status apply(const std::string& key, const std::string& value, WhereArguments& where,
             std::string& model) {
  if (key == "model") {
    model = value;
  } else if (key == "ep") {
    where.ep = value;
  } else if (key == "device") {
    where.device = value;
  } else if (key == "ort") {
    where.ort = value;
  } else if (key == "threads") {
    HONE_TRY(const Json number, Json::parse(value));
    HONE_TRY(where.threads, number.to_int());
  } else if (key.starts_with("session.")) {
    where.session_options.push_back(key.substr(8) + "=" + value);
  } else if (key.starts_with("option.")) {
    where.ep_options.push_back(key.substr(7) + "=" + value);
  } else {
    return misuse("an arm has no key '" + printable(key) + "'",
                  "model, ep, device, ort, threads, session.KEY, option.KEY");
  }
  return done();
}

// "fast:model=b.onnx,threads=2".
Result<RaceArm> read_arm(const std::string& word, const Arguments& arguments) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos || colon == 0)
    return misuse("'" + printable(word) + "' is no arm", "--arm NAME:model=FILE,key=value,...");
  RaceArm arm;
  arm.name = word.substr(0, colon);
  WhereArguments where = arguments.where;
  std::string model;
  for (const std::string& pair : split(word.substr(colon + 1), ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos)
      return misuse("'" + printable(pair) + "' of arm '" + printable(arm.name) +
                    "' is no key=value");
    HONE_TRY_DO(apply(pair.substr(0, equals), pair.substr(equals + 1), where, model));
  }
  if (model.empty()) return misuse("arm '" + printable(arm.name) + "' names no model");
  HONE_TRY_DO(fill_plan(where, arm.plan));
  HONE_TRY(const Path path, find_model_file(model));
  arm.plan.model = path.string();
  arm.plan.input_data = arguments.input_data;
  arm.plan.shape_config = arguments.shape_config;
  arm.plan.seed = arguments.seed;
  return arm;
}

Result<RacePlan> read_plan(const Arguments& arguments) {
  RacePlan plan;
  for (const std::string& word : arguments.arms) {
    HONE_TRY(RaceArm arm, read_arm(word, arguments));
    const auto is_same = [&](const RaceArm& other) { return other.name == arm.name; };
    if (std::ranges::any_of(plan.arms, is_same))
      return misuse("two arms are called '" + printable(arm.name) + "'");
    plan.arms.push_back(std::move(arm));
  }
  if (plan.arms.size() < 2) return misuse("a comparison needs two arms: --arm, twice");
  if (!(arguments.margin > 0 && arguments.margin < 100))
    return misuse("--margin takes percent, above 0 and below 100");
  plan.rules.margin = arguments.margin / 100;
  plan.rounds = static_cast<std::size_t>(arguments.rounds);
  plan.seed = arguments.seed;
  plan.budget = std::chrono::seconds(arguments.most_seconds);
  HONE_TRY(plan.program, own_program());
  return plan;
}

bool fails(const Arguments& arguments, const Comparison& comparison) {
  return std::ranges::any_of(comparison.arms, [&](const ComparedArm& arm) {
    const std::string verdict(name_of(arm.verdict));
    return std::ranges::count(arguments.fail_on, verdict) > 0;
  });
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  for (const std::string& word : arguments.fail_on) {
    if (word != "slower" && word != "inconclusive" && word != "equivalent")
      return misuse("--fail-on takes slower, equivalent or inconclusive");
  }
  HONE_TRY(RacePlan plan, read_plan(arguments));
  if (!arguments.output.empty())
    HONE_TRY_DO(refuse_existing(arguments.output, arguments.overwrite));
  StepProgress progress(call);
  plan.progress = [&](const RaceProgress& seen) {
    progress.step("session " + std::to_string(seen.sessions) + " of at most " +
                  std::to_string(seen.most_sessions) + ", " +
                  std::to_string(static_cast<int>(to_milliseconds(seen.remaining) / 1000)) +
                  " s at the most to go");
  };
  HONE_TRY(Comparison comparison, race(plan));
  progress.end();
  comparison.repeat = call.settings().command_line;
  const Json document = to_document(comparison, comparison_schema_version);
  if (!arguments.output.empty()) HONE_TRY_DO(write_file(arguments.output, document.dump() + "\n"));
  HONE_TRY_DO(call.answer(document, describe_comparison(comparison)));
  return fails(arguments, comparison) ? ExitCode::not_held : ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.texts("--arm NAME:KEY=VALUE,...", arguments->arms,
                "the first is the baseline; model, ep, device, ort, threads, session.K, option.K");
  options.number("--margin PERCENT", arguments->margin,
                 "what is worth keeping; a smaller difference is equivalent (1)");
  options.integer("--max-time SECONDS", arguments->most_seconds,
                  "stop after this long with what is known", Need::optional,
                  {.least = 1, .most = 86'400});
  options.integer("--rounds N", arguments->rounds, "turns of each arm in a session (4)",
                  Need::optional, {.least = 1, .most = 64});
  options.texts("--fail-on VERDICT", arguments->fail_on,
                "exit 3 when an arm is slower, equivalent or inconclusive");
  options.text("--input-data FILE", arguments->input_data, "inputs as .npz, or a folder of them");
  options.text("--shape-config TEXT", arguments->shape_config,
               "sizes for open dimensions: seq=128,x=1x3x48x320 or a JSON file");
  options.seed(arguments->seed, "of inputs and of the order of arms");
  options.text("-o,--output FILE", arguments->output, "every sample, as JSON");
  options.flag("--overwrite", arguments->overwrite, "replace an output that exists");
  declare_where(options, arguments->where);
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
              "hone compare --arm old:model=a.onnx,ort=old.so --arm new:model=a.onnx",
          .declare = declare};
}

}  // namespace hone::app::commands
