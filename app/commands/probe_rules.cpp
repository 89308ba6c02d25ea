// Makes a rule file of an EP that is here, by running every op it may take.

#include "flow/probe_rules.h"

#include "app/command.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/text.h"
#include "inspect/coverage/rules.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  ProbeRulesOrder order;
  std::string types;
  std::string output;
};

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  ProbeRulesOrder order = arguments.order;
  if (!arguments.types.empty()) order.types = split(arguments.types, ',');
  StepProgress progress(call);
  HONE_TRY(const RuleFile rules, hone::probe_rules(order, progress.watch()));
  progress.end();
  const std::string text = write_rules(rules);
  HONE_TRY_DO(arguments.output.empty() ? write_to_stdout(text)
                                       : write_file(arguments.output, text));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.text("-o,--output FILE", arguments->output, "where the rules go (standard output)");
  options.text("--types LIST", arguments->types, "element types to try: float,int32 (all)");
  options.integer("--oldest-opset N", arguments->order.oldest_opset, "where to begin (13)",
                  Need::optional, {.least = 1, .most = 25});
  options.integer("--timeout SECONDS", arguments->order.timeout_s, "for one op (60)",
                  Need::optional, {.least = 1, .most = 3600});
  declare_where(options, arguments->order.where);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command probe_rules() {
  return {.name = "probe-rules",
          .group = "",  // not listed: for those who keep the files in rules/
          .summary = "Make a rule file by running every op on an EP",
          .help =
              "Runs a one-op model for each op, element type and opset on the EP, in a\n"
              "process of its own with nothing to fall back to, and writes what came of it\n"
              "in the format of docs/rules.md.",
          .examples = "",
          .declare = declare};
}

}  // namespace hone::app::commands
