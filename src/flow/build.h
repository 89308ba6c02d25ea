#pragma once
// A model built by a recipe, from what a user says to the receipt.

#include "flow/watch.h"
#include "pipeline/build.h"
#include "record/where.h"

namespace hone {

struct BuildOrder {
  static constexpr std::string_view job = "build";
  using Answer = BuildReceipt;

  std::string model;  // a file, or a folder with one
  Recipe recipe;
  std::string output;
  bool overwrite = false;     // an output of another build may be replaced
  bool rebuilds = false;      // does not look into the cache
  bool keeps_cache = true;    // uses the host's cache, and fills it
  bool must_compile = false;  // fails at once where the recipe compiles and the EP cannot
  // Makes the model for a target that may not be here, without compiling or trying it.
  bool is_build_only = false;
  bool holds_coverage = false;  // fails where the EP is known not to take a node
  bool tries_remedies = true;   // finds out what would help where quantizing leaves too little
  std::string input_data;       // to check stages on; empty: seeded
  std::string shape_config;
  std::uint64_t seed = 0;
  std::int64_t timeout_s = 300;    // of compiling
  std::vector<std::string> notes;  // why the recipe is as it is
  Where where;                     // the host; the target is the recipe's
};
template <RecordOf<BuildOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("recipe", order.recipe, Presence::required);
  field("output", order.output, Presence::required);
  field("overwrite", order.overwrite);
  field("rebuilds", order.rebuilds);
  field("keeps_cache", order.keeps_cache);
  field("must_compile", order.must_compile);
  field("is_build_only", order.is_build_only);
  field("holds_coverage", order.holds_coverage);
  field("tries_remedies", order.tries_remedies);
  field("input_data", order.input_data);
  field("shape_config", order.shape_config);
  field("seed", order.seed);
  field("timeout_s", order.timeout_s);
  field("notes", order.notes);
  field("where", order.where);
}

Result<BuildReceipt> build_model(const BuildOrder& order, const Watch& watch);

// Which ONNX Runtime and which plugin libraries, by their bytes.
Result<std::string> hash_of_libraries(const std::vector<Path>& libraries);

}  // namespace hone
