// The cells of a sweep as a model package that ONNX Runtime opens.

#include "flow/sweep/export_package.h"

#include "app/command.h"
#include "report/publish/package_text.h"

namespace hone::app::commands {
namespace {

Result<ExitCode> run(const PackageOrder& order, const Call& call) {
  HONE_TRY(const ModelPackage package, hone::export_package(order));
  HONE_TRY_DO(
      call.answer(to_document(package, model_package_schema_version), describe_package(package)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto order = std::make_shared<PackageOrder>();
  options.positional("SWEEP", order->sweep, "the folder of a sweep");
  options.text("-o,--output FOLDER", order->output, "the package to make", Need::required);
  options.text("--model ID", order->model, "this model of the catalog alone; else all");
  options.text("--store FOLDER", order->store, "the content store (SWEEP/store)");
  return [order](const Call& call) { return run(*order, call); };
}

}  // namespace

Command export_package() {
  return {.name = "export-package",
          .group = "publish",
          .summary = "Make a model package for ONNX Runtime from the cells of a sweep",
          .help =
              "A component per model, a variant per target with its EP and device, and what\n"
              "variants have in common once, under shared_assets. ONNX Runtime 1.28 and newer\n"
              "open the folder and pick the variant for the machine they are on. Files are\n"
              "links to those of the store: read-only, and no bytes on the disk. The package\n"
              "is read again before the folder appears.",
          .examples =
              "hone export-package sweep -o models.ortpackage\n"
              "hone export-package sweep -o bert.ortpackage --model org/bert",
          .declare = declare};
}

}  // namespace hone::app::commands
