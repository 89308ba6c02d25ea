// A published cell, checked again on this machine.

#include "app/verify.h"
#include "catalog/publisher.h"

namespace hone::app::commands {
namespace {

Run declare(Options& options) {
  auto arguments = std::make_shared<VerifyArguments>();
  options.positional("REF", arguments->reference, publisher_forms(":VERSION"));
  options.integer("--samples N", arguments->samples,
                  "random inputs to compare the model with its first stage on (8)", Need::optional,
                  {.least = 1, .most = 1 << 24});
  options.flag("--strict", arguments->is_strict,
               "what this machine cannot check does not hold: exit 3");
  options.text("--keep FOLDER", arguments->keep, "keep the package in this new folder");
  options.integer("--timeout SECONDS", arguments->timeout_s, "of fetching, and of each run (3600)",
                  Need::optional, {.least = 1, .most = 604'800});
  declare_where(options, arguments->where);
  return [arguments](const Call& call) { return run_verify(*arguments, call); };
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
