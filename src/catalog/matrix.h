#pragma once
// What a sweep is over: the models of a catalog and the targets of a matrix. Pure functions over
// files.

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "pipeline/policy.h"
#include "record/sweep.h"

namespace hone {

// The targets of every vendor (kinds/ep.h), in the order in which a sweep reports them.
std::vector<SweepTarget> default_targets();

// One target of the user's own; its label is "<ep>_<device>".
SweepTarget pinned_target(const Target& target);

// Whether the label is one of default_targets() and the target another: whoever reads the label
// would be misled.
Status check_label(const SweepTarget& target);

// A file of targets. Labels are unique, and made of letters, digits and '_'.
Result<std::vector<SweepTarget>> read_targets(const Path& file);

// A catalog; its paths lead there from anywhere. Refuses two models of one id and task, a priority
// that is none, overrides that no recipe has, and a model that is an address.
Result<Catalog> read_catalog(const Path& file);

// What of a catalog is meant; empty: everything. All of them must hold.
struct CatalogFilter {
  std::vector<std::string> ids;
  std::vector<std::string> tasks;
  std::vector<std::string> groups;
  std::vector<std::string> priorities;
};
std::vector<CatalogModel> models_that_match(const Catalog& catalog, const CatalogFilter& filter);

// The recipe of a cell: what suits the target, with the precision of the model or else of the
// target, and the model's overrides on top, which may not take it to another target. EPs that
// quantize by themselves get the float model, whatever was asked for.
struct CellRecipe {
  Recipe recipe;
  std::vector<std::string> notes;
};
Result<CellRecipe> recipe_of_cell(const CatalogModel& model, const SweepTarget& target,
                                  const ModelState& state);

}  // namespace hone
