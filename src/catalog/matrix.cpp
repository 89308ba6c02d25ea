#include "catalog/matrix.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/misuse.h"
#include "base/text.h"
#include "kinds/ep.h"

namespace hone {
namespace {

Failure bad_catalog(const Path& file, std::string why) {
  return fail(Fault::bad_input, "'" + file.string() + "' cannot be swept", std::move(why),
              "docs/sweep.md has the fields");
}

template <class Record>
Result<Record> read_document(const Path& file, std::int64_t version) {
  HONE_TRY(const std::string text, read_file(file));
  const auto document = Json::parse(text);
  if (!document) return bad_catalog(file, document.error().what);
  auto record = from_document<Record>(*document, version);
  if (!record) return bad_catalog(file, record.error().what);
  return record;
}

SweepTarget target_of(std::string label, std::string ep, std::string device) {
  return {.label = std::move(label),
          .target = {.ep = std::move(ep), .device = std::move(device), .options = {}},
          .precision = {},
          .slurm = {}};
}

bool is_label(std::string_view label) {
  return !label.empty() && std::ranges::all_of(label, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
}

bool is_priority(std::string_view word) {
  return word.size() == 2 && word[0] == 'P' && word[1] >= '0' && word[1] <= '3';
}

bool is_address(std::string_view text) { return text.find("://") != std::string_view::npos; }

void settle(std::string& path, const Path& folder) {
  path = std::filesystem::absolute(folder / path).lexically_normal().string();
}

Status settle_paths(CatalogModel& model, const Path& file) {
  const Path folder = file.parent_path();
  if (is_address(model.model)) {
    return bad_catalog(file,
                       "the model of '" + printable(model.id) +
                           "' is an address, and nothing is fetched from one: name a file, or "
                           "ORGANIZATION/MODEL of a hub");
  }
  settle(model.model, folder);
  for (std::optional<std::string>* path :
       {&model.data, &model.input_data, &model.calibration_data}) {
    if (*path) settle(**path, folder);
  }
  return done();
}

Status check(const CatalogModel& model, const Path& file) {
  if (model.id.empty()) return bad_catalog(file, "a model has no id");
  if (!is_priority(model.priority)) {
    return bad_catalog(file, "the priority of '" + printable(model.id) + "' is '" +
                                 printable(model.priority) + "', and P0 to P3 are known");
  }
  if (!model.overrides.is_null() && model.overrides.as_object() == nullptr)
    return bad_catalog(file, "the overrides of '" + printable(model.id) + "' are no object");
  // A cell is what its label says.
  if (model.overrides.as_object() != nullptr && model.overrides.find("target") != nullptr) {
    return bad_catalog(file, "the overrides of '" + printable(model.id) +
                                 "' change the target: --targets names targets");
  }
  return done();
}

bool is_among(const std::vector<std::string>& list, const std::string& word) {
  return list.empty() || std::ranges::find(list, word) != list.end();
}

// Field by field: an object goes on inside, anything else replaces.
Json merged(const Json& base, const Json& over) {
  if (base.as_object() == nullptr || over.as_object() == nullptr) return over;
  Json made = Json::object();
  for (const auto& [name, value] : *base.as_object()) {
    const Json* other = over.find(name);
    made.set(name, other != nullptr ? merged(value, *other) : value);
  }
  for (const auto& [name, value] : *over.as_object())
    if (base.find(name) == nullptr) made.set(name, value);
  return made;
}

}  // namespace

std::vector<SweepTarget> default_targets() {
  struct Placed {
    int place;
    SweepTarget target;
  };
  std::vector<Placed> placed;
  for (const Ep& ep : all_eps()) {
    for (const EpSweepTarget& swept : ep.sweep) {
      placed.push_back({swept.place, target_of(std::string(swept.label), std::string(ep.name),
                                               std::string(swept.device))});
    }
  }
  std::ranges::stable_sort(placed, {}, &Placed::place);
  std::vector<SweepTarget> targets;
  for (Placed& one : placed) targets.push_back(std::move(one.target));
  return targets;
}

SweepTarget pinned_target(const Target& target) {
  SweepTarget made = target_of(target.ep + "_" + target.device, target.ep, target.device);
  made.target = target;
  return made;
}

Status check_label(const SweepTarget& target) {
  const std::vector<SweepTarget> known = default_targets();
  const auto meant = std::ranges::find(known, target.label, &SweepTarget::label);
  if (meant == known.end()) return done();
  const Target given = target_of_recipe(target.target);
  const bool is_it = given.ep == meant->target.ep &&
                     (given.device == meant->target.device || given.device == "auto");
  if (is_it) return done();
  return fail(Fault::bad_input, "the label '" + target.label + "' is that of " + meant->target.ep +
                                    "/" + meant->target.device + ", not of " +
                                    printable(given.ep + "/" + given.device));
}

Result<std::vector<SweepTarget>> read_targets(const Path& file) {
  HONE_TRY(SweepTargets read, read_document<SweepTargets>(file, sweep_schema_version));
  if (read.targets.empty()) return bad_catalog(file, "it has no target");
  std::set<std::string> labels;
  for (const SweepTarget& target : read.targets) {
    if (!is_label(target.label)) {
      return bad_catalog(file, "the label '" + printable(target.label) +
                                   "' is not made of small letters, digits and '_'");
    }
    if (!labels.insert(target.label).second)
      return bad_catalog(file, "the label '" + target.label + "' is in it twice");
    if (const Status label = check_label(target); !label)
      return bad_catalog(file, label.error().what);
  }
  return std::move(read.targets);
}

Result<Catalog> read_catalog(const Path& file) {
  HONE_TRY(Catalog catalog, read_document<Catalog>(file, catalog_schema_version));
  std::set<std::pair<std::string, std::string>> seen;
  for (CatalogModel& model : catalog.models) {
    HONE_TRY_DO(check(model, file));
    HONE_TRY_DO(settle_paths(model, file));
    if (!seen.insert({model.id, model.task}).second)
      return bad_catalog(file, "'" + printable(model.id) + "' is in it twice for one task");
  }
  return catalog;
}

std::vector<CatalogModel> models_that_match(const Catalog& catalog, const CatalogFilter& filter) {
  std::vector<CatalogModel> found;
  for (const CatalogModel& model : catalog.models) {
    if (is_among(filter.ids, model.id) && is_among(filter.tasks, model.task) &&
        is_among(filter.groups, model.group) && is_among(filter.priorities, model.priority))
      found.push_back(model);
  }
  return found;
}

Result<CellRecipe> recipe_of_cell(const CatalogModel& model, const SweepTarget& target,
                                  const ModelState& state) {
  const std::optional<std::string>& asked = model.precision ? model.precision : target.precision;
  CellRecipe made;
  std::string precision = asked.value_or("auto");
  if (asked && quantizes_itself(target.target.ep)) {
    made.notes.push_back("'" + *asked + "' is left out: " + target.target.ep +
                         " quantizes by itself");
    precision = "auto";
  }
  HONE_TRY(RecipeChoice choice, choose_recipe(target.target, precision, state));
  made.notes.insert(made.notes.end(), choice.reasons.begin(), choice.reasons.end());
  made.recipe = choice.recipe;
  made.recipe.compile.reset();  // a sweep builds for machines that are elsewhere
  if (made.recipe.quantize && model.calibration_data)
    made.recipe.quantize->calibration_data = model.calibration_data;
  if (model.overrides.as_object() != nullptr) {
    const Json whole = merged(to_json(made.recipe), model.overrides);
    HONE_TRY(made.recipe, from_json<Recipe>(whole));
  }
  const Target& built_for = made.recipe.target;
  if (built_for.ep != choice.recipe.target.ep || built_for.device != choice.recipe.target.device) {
    return misuse("the overrides of '" + printable(model.id) + "' change its target",
                  "--targets has the targets of a sweep");
  }
  HONE_TRY_DO(check_recipe(made.recipe));
  return made;
}

}  // namespace hone
