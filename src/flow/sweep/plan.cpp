#include "flow/sweep/plan.h"

#include <algorithm>

#include "base/folder.h"
#include "base/hash_file.h"
#include "base/misuse.h"
#include "base/text.h"
#include "catalog/package_version.h"
#include "flow/given_model.h"
#include "flow/parts/folder.h"
#include "flow/recipe_choice.h"
#include "flow/version.h"
#include "flow/where.h"
#include "pipeline/build.h"

namespace hone {
namespace {

// What decides the bytes of builds beyond the model and the recipe: this program, ONNX Runtime and
// the plugin libraries.
Result<std::string> build_environment(const Host& host) {
  Sha256 hash;
  HONE_TRY(const Digest own, hash_of_file(host.program));
  hash.add_field(version_number()).add_field(own.view());
  for (const std::string& candidate : host.ort) {
    if (!std::filesystem::exists(candidate)) continue;
    HONE_TRY(const Digest digest, hash_of_file(candidate));
    hash.add_field(digest.view());
    break;
  }
  for (const auto& [name, path] : survey_request(host).ep_libraries) {
    HONE_TRY(const Digest digest, hash_of_file(path));
    hash.add_field(name).add_field(digest.view());
  }
  return hash.finish().hex();
}

// A file's bytes, or all of a folder: samples are what they are wherever they lie.
std::string content_of(const std::string& path) {
  std::error_code problem;
  const bool is_file = std::filesystem::is_regular_file(path, problem);
  std::vector<Path> files =
      is_file ? std::vector<Path>{path} : files_below(path).value_or(std::vector<Path>());
  std::ranges::sort(files);
  Sha256 hash;
  const std::vector<Result<Digest>> digests = hash_of_files(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    hash.add_field(files[i].lexically_relative(path).generic_string());
    hash.add_field(digests[i] ? digests[i]->view() : "unreadable");
  }
  return hash.finish().hex();
}

class CellPlanner {
 public:
  CellPlanner(const SweepOrder& order, const std::vector<CatalogModel>& models, const Watch& watch,
              SweepPlan& plan)
      : order_(order), models_(models), watch_(watch), plan_(plan) {}

  Status plan_all() {
    HONE_TRY(plan_.environment, build_environment(order_.where.host));
    for (const CatalogModel& model : models_) {
      watch_.step("reading " + printable(model.id));
      if (Status planned = plan_entry(model); !planned) {
        Error error = std::move(planned).error();
        error.what = "'" + printable(model.id) + "' of the catalog: " + error.what;
        return fail(std::move(error));
      }
    }
    return check_names();
  }

 private:
  // Two cells under one name would be one package and one folder.
  Status check_names() const {
    std::map<std::string, std::string> ids;
    for (const CellOrder& job : plan_.jobs) {
      for (const std::string& name : {job.version, job.folder}) {
        const auto [found, is_new] = ids.emplace(name, job.model.id);
        if (is_new) continue;
        return misuse("'" + printable(found->second) + "' and '" + printable(job.model.id) +
                          "' of the catalog would be published under one name",
                      "give one of them an id that differs in letters or digits");
      }
    }
    return done();
  }

  // What this run asks of all cells, over what suits each.
  Status add_session(Recipe& recipe) const {
    Where session;
    session.session_options = order_.where.session_options;
    session.threads = order_.where.threads;
    HONE_TRY_DO(put_over(recipe, session));
    return done();
  }

  // Each part of a composite has cells of its own.
  Status plan_entry(const CatalogModel& entry) {
    const auto parts = find_parts(entry.model, order_.where.host, watch_);
    if (!parts || !*parts) return plan_model(entry);
    for (const PartModel& part : (*parts)->models) {
      CatalogModel model = entry;
      model.id += "#" + part.part;
      model.model = part.model;
      if (entry.shape_config) {
        HONE_TRY(const Path file, find_model_file(part.model, order_.where.host));
        HONE_TRY(model.shape_config, shapes_of_part(file, *entry.shape_config));
      }
      HONE_TRY_DO(plan_model(model));
    }
    return done();
  }

  // A model that cannot be read is a failure of its cells, not of the sweep: they are told to try.
  Status plan_model(const CatalogModel& entry) {
    CatalogModel model = entry;
    std::string content = "unreadable";
    ModelState state;
    if (const auto file = find_model_file(model.model, order_.where.host)) {
      model.model = file->string();
      if (const auto hash = hash_of_model_files(*file)) content = *hash;
      if (const auto found = state_of_model(*file)) state = *found;
    }
    for (const SweepTarget& target : plan_.targets) {
      HONE_TRY(CellRecipe chosen, recipe_of_cell(model, target, state));
      HONE_TRY_DO(add_session(chosen.recipe));
      CellOrder job;
      job.version = version_of({.run_stamp = plan_.run_stamp,
                                .label = target.label,
                                .model = model.id,
                                .task = model.task});
      job.model = model;
      job.target = target;
      job.recipe = std::move(chosen.recipe);
      job.mode = target.is_build_only ? SweepMode::build : plan_.mode;
      const Path output = std::filesystem::absolute(Path(order_.output)).lexically_normal();
      job.owner = job.version + " of " + output.string();
      job.folder = (output / "cells" / model_slug(model.id, model.task) / target.label).string();
      job.store = std::filesystem::absolute(store_of(order_)).string();
      job.time_limit_s = order_.timeout_s;
      job.memory_limit_bytes = order_.memory_limit_bytes;
      job.allows_unsupported = order_.allows_unsupported;
      job.max_drop = order_.max_drop;
      job.knowledge = order_.knowledge;
      job.where.host = order_.where.host;
      job.where.host.cache = (output / "cache").string();
      job.where.least_placement = order_.where.least_placement;
      job.key = key_of(job, content);
      plan_.notes[job.version] = std::move(chosen.notes);
      plan_.jobs.push_back(std::move(job));
    }
    return done();
  }

  // Targets share their samples: each is read once.
  void put_content(std::optional<std::string>& path) {
    if (!path) return;
    std::string& known = contents_[*path];
    if (known.empty()) known = content_of(*path);
    path = known;
  }

  // Sizes for open dimensions are written out, or in a file.
  void put_sizes(std::optional<std::string>& sizes) {
    std::error_code problem;
    if (sizes && std::filesystem::is_regular_file(*sizes, problem)) put_content(sizes);
  }

  // All that decides what a cell comes to, wherever its files lie.
  std::string key_of(const CellOrder& job, const std::string& content) {
    CatalogModel model = job.model;
    model.model = content;
    model.group.clear();
    model.priority.clear();
    put_content(model.data);
    put_content(model.input_data);
    put_content(model.calibration_data);
    put_sizes(model.shape_config);
    Recipe recipe = job.recipe;
    if (recipe.quantize) {
      put_content(recipe.quantize->calibration_data);
      put_content(recipe.quantize->overrides);
    }
    Sha256 hash;
    hash.add_field(to_json(model).canonical()).add_field(hash_of(recipe));
    hash.add_field(plan_.environment).add_field(name_of(job.mode)).add_field(job.version);
    const std::optional<double>& placement = job.where.least_placement;
    hash.add_field(placement ? Json(*placement).dump() : "").add_field(Json(job.max_drop).dump());
    if (job.allows_unsupported) hash.add_field("allows unsupported");
    return hash.finish().hex();
  }

  const SweepOrder& order_;
  const std::vector<CatalogModel>& models_;
  const Watch& watch_;
  SweepPlan& plan_;
  std::map<std::string, std::string> contents_;  // path -> hash of what is there
};

}  // namespace

Path store_of(const SweepOrder& order) {
  return order.store.empty() ? Path(order.output) / "store" : Path(order.store);
}

Status plan_cells(const SweepOrder& order, const std::vector<CatalogModel>& models,
                  const Watch& watch, SweepPlan& plan) {
  return CellPlanner(order, models, watch, plan).plan_all();
}

}  // namespace hone
