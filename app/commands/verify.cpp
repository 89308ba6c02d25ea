// A published cell, checked again on this machine.

#include "flow/proof/verify.h"

#include "app/command.h"
#include "app/errors.h"
#include "app/progress.h"
#include "app/publishing.h"
#include "app/where.h"
#include "report/publish/verify_text.h"

namespace hone::app::commands {
namespace {

// Bytes are counted while they come; how long models run nobody knows.
Result<Verified> verify_aloud(const VerifyOrder& order, const Call& call) {
  std::optional<Progress> line(std::in_place, call, "fetching");
  bool is_fetching = true;
  return verify_cell(order, {.tell = [&](const FlowProgress& seen) {
                       if (seen.done + seen.total > 0) return line->update(seen.done, seen.total);
                       if (std::exchange(is_fetching, false)) line.emplace(call, "verifying");
                       line->step(seen.doing);
                     }});
}

Result<ExitCode> run(VerifyOrder order, const Call& call) {
  order.publishing = publisher_settings();
  HONE_TRY(const Verified verified, verify_aloud(order, call));
  if (verified.refusal) {
    report(*verified.refusal, call.settings());
    return ExitCode::refused;
  }
  HONE_TRY_DO(call.answer(to_document(verified.report, verify_schema_version),
                          describe_verification(verified.report, order.is_strict)));
  return verified.report.holds ? ExitCode::done : ExitCode::not_held;
}

Run declare(Options& options) {
  auto order = std::make_shared<VerifyOrder>();
  options.positional("REF", order->reference, publisher_forms(":VERSION"));
  options.integer("--samples N", order->samples,
                  "random inputs to compare the model with its first stage on (8)", Need::optional,
                  {.least = 1, .most = 1 << 24});
  options.flag("--strict", order->is_strict,
               "what this machine cannot check does not hold: exit 3");
  options.text("--keep FOLDER", order->keep, "keep the package in this new folder");
  options.integer("--timeout SECONDS", order->timeout_s, "of fetching, and of each run (3600)",
                  Need::optional, {.least = 1, .most = 604'800});
  declare_where(options, order->where);
  return [order](const Call& call) { return run(*order, call); };
}

}  // namespace

Command verify() {
  return {.name = "verify",
          .group = "publish",
          .summary = "Check a published cell again: bytes, evidence, runs and numerics",
          .help =
              "Fetches the package with every digest, reads the evidence attached to it, and\n"
              "holds the one to the other: files, recipe, the receipt of each stage. Then runs\n"
              "the model where it was built for and compares its answers with those of the\n"
              "stage it began with. A line per check: pass, fail, blocked or timeout. What this\n"
              "machine cannot do, such as an EP it does not have, is blocked and never a pass;\n"
              "such a model is run on the CPU. Options in the recipe are a stranger's and are\n"
              "not used: give --ep-options. Exit 3 when a check does not hold, and when there\n"
              "is no evidence.",
          .examples =
              "hone verify oci://registry.example/models:0.0.0-20260609-cpu-gpt2\n"
              "hone verify file:///srv/models:0.0.0-20260609-qnn-npu-gpt2 --strict",
          .declare = declare};
}

}  // namespace hone::app::commands
