// The cells of a sweep as a model package that ONNX Runtime opens.

#include "flow/sweep/export_package.h"

#include "app/command.h"
#include "app/table.h"
#include "base/counted.h"
#include "base/text.h"

namespace hone::app::commands {
namespace {

std::string text_of(const ModelPackage& package) {
  std::string text = printable(package.folder) + ": " +
                     counted(package.components.size(), "component") + ", " +
                     format_bytes(package.bytes);
  if (package.bytes < package.variant_bytes)
    text += " for variants of " + format_bytes(package.variant_bytes);
  text += "\n";
  Rows rows;
  for (const PackageComponent& component : package.components) {
    for (const PackageVariant& variant : component.variants) {
      const bool is_shared = variant.model_file.starts_with("sha256:");
      rows.push_back({component.name, variant.name, variant.ep, variant.device.value_or("any"),
                      is_shared ? "shared " + variant.model_file.substr(7, 12) : "its own"});
    }
  }
  text += table(rows);
  for (const std::string& note : package.notes) text += printable(note) + "\n";
  return text;
}

Result<ExitCode> run(const PackageOrder& order, const Call& call) {
  HONE_TRY(const ModelPackage package, hone::export_package(order));
  HONE_TRY_DO(call.answer(to_document(package, model_package_schema_version), text_of(package)));
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
