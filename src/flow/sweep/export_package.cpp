#include "flow/sweep/export_package.h"

#include <algorithm>

#include "base/text.h"
#include "catalog/model_package.h"
#include "catalog/new_folder.h"
#include "catalog/package_version.h"
#include "flow/version.h"
#include "pipeline/policy.h"
#include "record/sweep.h"
#include "report/build/opening.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

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
  Export(const PackageOrder& order, const SweepResult& sweep, const ContentStore& store)
      : order_(order), sweep_(sweep), store_(store) {}

  Result<ModelPackage> run() {
    for (const SweepCell& cell : sweep_.cells) {
      if (order_.model.empty() || cell.model == order_.model) HONE_TRY_DO(add(cell));
    }
    if (package_.components.empty()) return nothing();
    package_.name = order_.model.empty() ? sweep_.run_stamp : order_.model;
    package_.version = sweep_.run_stamp;
    return write_model_package(std::move(package_), store_, recipes_, std::string(version_number()),
                               order_.output);
  }

 private:
  Failure nothing() const {
    std::vector<std::string> ids;
    for (const SweepCell& cell : sweep_.cells)
      if (std::ranges::find(ids, cell.model) == ids.end()) ids.push_back(cell.model);
    const bool is_known = std::ranges::find(ids, order_.model) != ids.end();
    if (order_.model.empty() || is_known)
      return fail(Fault::bad_input, "no cell of it is done: there is nothing to export");
    const std::string meant = nearest(order_.model, ids);
    return fail(Fault::bad_input,
                "the sweep has no model '" + order_.model + "'" +
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

  const PackageOrder& order_;
  const SweepResult& sweep_;
  const ContentStore& store_;
  ModelPackage package_;
  std::map<std::string, std::string> recipes_;  // cell -> blob
};

}  // namespace

Result<ModelPackage> export_package(const PackageOrder& order) {
  HONE_TRY_DO(check_new_folder(order.output));
  HONE_TRY(const SweepResult sweep, read_sweep(order.sweep));
  const Path folder = order.store.empty() ? Path(order.sweep) / "store" : Path(order.store);
  HONE_TRY(const ContentStore store, ContentStore::open_existing(folder));
  return Export(order, sweep, store).run();
}

}  // namespace hone
