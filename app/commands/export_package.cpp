// The cells of a sweep as a model package that ONNX Runtime opens.

#include <algorithm>

#include "app/command.h"
#include "app/table.h"
#include "base/counted.h"
#include "base/text.h"
#include "catalog/model_package.h"
#include "catalog/new_folder.h"
#include "catalog/package_version.h"
#include "flow/version.h"
#include "pipeline/policy.h"
#include "record/sweep.h"
#include "report/build/opening.h"
#include "runtime/ep_names.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string sweep;
  std::string output;
  std::string model;
  std::string store;
};

Result<SweepResult> read_sweep(const std::string& folder) {
  const Path file = Path(folder) / "sweep.json";
  std::error_code problem;
  if (!std::filesystem::exists(file, problem))
    return fail(Fault::not_found, "'" + folder + "' holds no sweep", "there is no sweep.json",
                "the folder that `hone sweep -o FOLDER` made");
  HONE_TRY(const std::string text, read_file(file));
  HONE_TRY(const Json document, Json::parse(text));
  return from_document<SweepResult>(document, sweep_schema_version);
}

// The files of a cell's model: those of its champion where a search kept one.
struct CellModel {
  std::vector<PackageEntry> files;
  std::string recipe;  // its blob
};
CellModel model_of(const SweepCell& cell) {
  const bool has_champion =
      std::ranges::find(cell.files, "champion/model.onnx", &PackageEntry::path) != cell.files.end();
  const std::string folder = has_champion ? "champion/" : "";
  CellModel model;
  for (const PackageEntry& file : cell.files) {
    if (!file.path.starts_with(folder)) continue;
    const std::string name = file.path.substr(folder.size());
    if (name.find('/') != std::string::npos) continue;
    if (name == "recipe.json")
      model.recipe = file.sha256;
    else if (name != opening_name)  // the package has these options in a form of its own
      model.files.push_back({name, file.sha256, file.bytes});
  }
  return model;
}

// ONNX Runtime refuses packages that make it write files, and knows its own keys only.
void take_options(const Recipe& recipe, PackageVariant& variant) {
  constexpr std::string_view refused[] = {
      "session.debug_layout_transformation", "session.collect_node_memory_stats_to_file",
      "session.enable_profiling", "session.optimized_model_filepath"};
  for (const auto& [key, value] : recipe.session.options) {
    const bool is_refused = std::ranges::find(refused, key) != std::end(refused);
    if (key.find('.') != std::string::npos && !is_refused) variant.session_options[key] = value;
  }
  variant.provider_options = recipe.target.options;
}

class Export {
 public:
  Export(const Arguments& arguments, const SweepResult& sweep, const ContentStore& store)
      : arguments_(arguments), sweep_(sweep), store_(store) {}

  Result<ModelPackage> run() {
    for (const SweepCell& cell : sweep_.cells) {
      if (arguments_.model.empty() || cell.model == arguments_.model) HONE_TRY_DO(add(cell));
    }
    if (package_.components.empty()) return nothing();
    package_.name = arguments_.model.empty() ? sweep_.run_stamp : arguments_.model;
    package_.version = sweep_.run_stamp;
    return write_model_package(std::move(package_), store_, recipes_, std::string(version_number()),
                               arguments_.output);
  }

 private:
  Failure nothing() const {
    std::vector<std::string> ids;
    for (const SweepCell& cell : sweep_.cells)
      if (std::ranges::find(ids, cell.model) == ids.end()) ids.push_back(cell.model);
    const bool is_known = std::ranges::find(ids, arguments_.model) != ids.end();
    if (arguments_.model.empty() || is_known)
      return fail(Fault::bad_input, "no cell of it is done: there is nothing to export");
    const std::string meant = nearest(arguments_.model, ids);
    return fail(Fault::bad_input,
                "the sweep has no model '" + arguments_.model + "'" +
                    (meant.empty() ? "" : "; did you mean '" + meant + "'?"),
                {}, "it has " + join(ids, ", "));
  }

  Status add(const SweepCell& cell) {
    if (cell.status != CellStatus::done) {
      package_.notes.push_back(cell.version + " is not done, and left out");
      return done();
    }
    const CellModel model = model_of(cell);
    HONE_TRY_DO(check_is_here(cell, model));
    HONE_TRY(const Recipe recipe, read_recipe(model.recipe));
    PackageVariant variant;
    variant.name = slug(cell.label);
    variant.ep = ep_own_name(cell.ep);
    if (cell.device != "auto" && !cell.device.empty()) variant.device = cell.device;
    variant.cell = cell.version;
    variant.key = cell.key;
    variant.recipe_sha256 = hash_of(recipe);
    variant.files = model.files;
    take_options(recipe, variant);
    recipes_[cell.version] = model.recipe;
    return add_to(component_of(cell), std::move(variant));
  }

  PackageComponent& component_of(const SweepCell& cell) {
    const std::string name = model_slug(cell.model, cell.task);
    const auto found = std::ranges::find(package_.components, name, &PackageComponent::name);
    if (found != package_.components.end()) return *found;
    return package_.components.emplace_back(PackageComponent{name, cell.model, cell.task, {}});
  }

  static Status add_to(PackageComponent& component, PackageVariant variant) {
    const bool is_there = std::ranges::find(component.variants, variant.name,
                                            &PackageVariant::name) != component.variants.end();
    if (is_there)
      return fail(Fault::bad_input, "'" + component.name + "' has two variants '" + variant.name +
                                        "': labels or ids differ in signs only");
    component.variants.push_back(std::move(variant));
    return done();
  }

  Status check_is_here(const SweepCell& cell, const CellModel& model) const {
    const bool is_here = !model.recipe.empty() && store_.find(model.recipe) &&
                         std::ranges::all_of(model.files, [this](const PackageEntry& file) {
                           return store_.find(file.sha256).has_value();
                         });
    if (is_here) return done();
    return fail(Fault::not_found, "the files of " + cell.version + " are no longer in the store",
                cell.reference ? "published as " + *cell.reference : "",
                "`hone sweep --keep-local` keeps what it publishes");
  }

  Result<Recipe> read_recipe(const std::string& hash) const {
    HONE_TRY(const Path file, store_.find(hash));
    HONE_TRY(const std::string text, read_file(file));
    HONE_TRY(const Json document, Json::parse(text));
    return from_document<Recipe>(document, recipe_schema_version);
  }

  const Arguments& arguments_;
  const SweepResult& sweep_;
  const ContentStore& store_;
  ModelPackage package_;
  std::map<std::string, std::string> recipes_;  // cell -> blob
};

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

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check_new_folder(arguments.output));
  HONE_TRY(const SweepResult sweep, read_sweep(arguments.sweep));
  const Path store_folder =
      arguments.store.empty() ? Path(arguments.sweep) / "store" : Path(arguments.store);
  HONE_TRY(const ContentStore store, ContentStore::open_existing(store_folder));
  HONE_TRY(const ModelPackage package, Export(arguments, sweep, store).run());
  HONE_TRY_DO(call.answer(to_document(package, model_package_schema_version), text_of(package)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.positional("SWEEP", arguments->sweep, "the folder of a sweep");
  options.text("-o,--output FOLDER", arguments->output, "the package to make", Need::required);
  options.text("--model ID", arguments->model, "this model of the catalog alone; else all");
  options.text("--store FOLDER", arguments->store, "the content store (SWEEP/store)");
  return [arguments](const Call& call) { return run(*arguments, call); };
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
