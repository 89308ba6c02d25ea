#include "app/recipe_arguments.h"

#include "app/where.h"
#include "base/no_such.h"
#include "base/text.h"
#include "kinds/precision.h"
#include "transform/quantize/method.h"

namespace hone::app {

void declare_recipe(Options& options, RecipeWishes& wishes, Where& where) {
  options.text("-c,--config FILE", wishes.file, "a recipe; other options are put over it");
  options.text("--precision WORD", wishes.precision, "auto, " + join(precision_names(), ", "));
  options.integer("--opset N", wishes.opset, "the opset of the result", {.least = 9, .most = 25});
  options.texts("--enable NAME", wishes.enabled, "an optimizer capability to switch on");
  options.texts("--disable NAME", wishes.disabled, "one to switch off");
  options.integer("--optimize-rounds N", wishes.optimize_rounds,
                  "how often to add what analyzing suggests (3); 0: never",
                  {.least = 0, .most = 3});
  options.text("--calibration-data FILE", wishes.calibration_data,
               "samples to quantize with: .npz, or a folder of them");
  options.integer("--samples N", wishes.samples, "how many of them", {.least = 1, .most = 1 << 24});
  options.choice("--method NAME", wishes.method, names_of(all_methods()),
                 "how ranges of activations are found: " + join(names_of(all_methods()), ", "));
  options.flag("--per-channel", wishes.per_channel, "a scale for each channel of a weight");
  options.text("--overrides FILE", wishes.overrides,
               "JSON: types and ranges of tensors, and nodes that stay in float");
  options.number("--min-sqnr DB", wishes.min_sqnr_db,
                 "fail when an output of the quantized model keeps less (10)");
  options.flag("--allow-loss", wishes.allows_loss, "build what is below that all the same");
  options.flag("--no-quant", wishes.skips_quantize, "stay float");
  options.flag("--no-optimize", wishes.skips_optimize, "leave the graph as it is");
  options.flag("--no-compile", wishes.skips_compile, "do not compile ahead of time");
  declare_where(options, where);
}

}  // namespace hone::app
