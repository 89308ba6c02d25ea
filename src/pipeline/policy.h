#pragma once
// What to do for a target when the user leaves it to us: precision, preset, compilation. Pure
// functions over names.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/recipe_hash.h"

namespace hone {

// What a model is, as far as the policy cares.
struct ModelState {
  bool is_quantized = false;  // it has Q/DQ or integer operators
  bool is_compiled = false;   // it has EPContext nodes
};

// "w8a16" as the words of `hone quantize`; "auto" by device (npu: w8a16, else float); "fp32" and
// "auto" for EPs that quantize by themselves: none. An unknown word is refused with the list.
struct PrecisionChoice {
  std::vector<std::string> precisions;  // empty: stays float
  std::string reason;
};
Result<PrecisionChoice> choose_precision(const Target& target, std::string_view asked);

// The preset of `hone quantize` for an EP.
std::string preset_for(std::string_view ep);

// Whether the EP makes compiled models (EPContext) ahead of time.
bool compiles_ahead(std::string_view ep);

// Whether the EP quantizes by itself: it is given the float model.
bool quantizes_itself(std::string_view ep);

// Whether the EP takes no open dimension there.
bool needs_static_shapes(const Target& target);

// A device class of "auto" as the policy sees it: npu for EPs that are made for one.
std::string usual_device(const Target& target);

// The target as a recipe has it: the EP by its short name.
Target target_of_recipe(const Target& target);

// The recipe for a model on a target: what is already done to the model is not done again.
struct RecipeChoice {
  Recipe recipe;
  std::vector<std::string> reasons;  // one clause for each decision
  ModelState state{};
};
Result<RecipeChoice> choose_recipe(const Target& target, std::string_view precision,
                                   const ModelState& state);

// Capabilities that somebody asks for by name are switched on, those alone where the policy would
// leave the graph as it is. Refused for a compiled model, which has no graph left. `skips_optimize`
// is the user's word and the last one.
Status enable_as_asked(const std::vector<std::string>& names, bool skips_optimize,
                       RecipeChoice& choice);

// Refuses what no stage could do: opsets out of range, capabilities and precisions nobody knows.
Status check_recipe(const Recipe& recipe);

}  // namespace hone
