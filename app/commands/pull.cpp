// A published package, or single files of it, with every digest checked.

#include "flow/pull.h"

#include "app/command.h"
#include "app/errors.h"
#include "app/progress.h"
#include "app/publishing.h"
#include "catalog/choose.h"
#include "report/publish/package_text.h"

namespace hone::app::commands {
namespace {

Result<Pulled> pull(const PullOrder& order, const Call& call) {
  Progress progress(call, "fetching");
  return pull_package(order, publisher_settings(), progress.watch());
}

Result<ExitCode> run(const PullOrder& order, const Call& call) {
  HONE_TRY(const Pulled pulled, pull(order, call));
  if (pulled.refusal) {
    report(*pulled.refusal, call.settings());
    return ExitCode::refused;
  }
  const Fetched& fetched = pulled.fetched;
  HONE_TRY_DO(call.answer(to_document(fetched, fetched_schema_version), describe_fetched(fetched)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto order = std::make_shared<PullOrder>();
  options.positional("REF", order->reference, publisher_forms(":VERSION"));
  options.texts("FILE", order->files, "files of the package (all of them)");
  options.text("-o,--output FOLDER", order->output, "the folder to make", Need::required);
  options.integer("--timeout SECONDS", order->timeout_s, "for all of it (3600)", Need::optional,
                  {.least = 1, .most = 604'800});
  return [order](const Call& call) { return run(*order, call); };
}

}  // namespace

Command pull() {
  return {.name = "pull",
          .group = "publish",
          .summary = "Fetch a published package, or files of it, and check every digest",
          .help =
              "The folder appears once all files have the SHA-256 that the package promises;\n"
              "until then, and after any failure, there is none. oci:// also takes a digest in\n"
              "the place of the version (REPO@sha256:...). Credentials are those of `docker\n"
              "login` and `az login`, or the token in $HONE_REGISTRY_TOKEN. Registries are\n"
              "asked over TLS, by way of $https_proxy where that is set; plain HTTP is for\n"
              "this very machine.",
          .examples =
              "hone pull oci://registry.example/models:0.0.0-20260609-cpu-gpt2 -o gpt2\n"
              "hone pull file:///srv/models:0.0.0-20260609-cpu-gpt2 model.onnx -o gpt2",
          .declare = declare};
}

}  // namespace hone::app::commands
