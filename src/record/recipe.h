#pragma once
// A recipe: everything that decides how a model is built and run for one target. Two recipes with
// the same hash build the same bytes of the same model.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/io_binding.h"
#include "record/target.h"

namespace hone {

inline constexpr std::int64_t recipe_schema_version = 1;

struct QuantizeRecipe {
  std::vector<std::string> precisions;  // in the order in which they are applied
  std::string preset = "ort";           // ort, cpu, qnn, openvino
  std::string method = "minmax";        // minmax, entropy, percentile
  double percentile = 99.999;           // the share of magnitudes that percentile keeps
  bool per_channel = false;
  bool symmetric = false;
  std::int64_t block_size = 128;                // int4: elements that share a scale
  std::optional<std::string> weight_type;       // null: what the precision says
  std::optional<std::string> activation_type;   // likewise
  std::optional<std::int64_t> samples;          // null: all of the data, or 10 seeded ones
  std::optional<std::string> calibration_data;  // .npz or folder; null: seeded samples
  std::uint64_t seed = 0;
  std::vector<std::string> include;  // names, globs, op types; empty: all
  std::vector<std::string> exclude;
  std::optional<std::string> overrides;  // a file
  // Judge what is left; they change no byte of what is built, and are not in the hash unless given.
  std::optional<double> min_sqnr_db;  // of every output; null: 10
  std::optional<bool> allow_loss;     // builds what is below that all the same
};
template <RecordOf<QuantizeRecipe> Self>
void for_each_field(Self& quantize, auto&& field) {
  field("precisions", quantize.precisions, Presence::required);
  field("preset", quantize.preset);
  field("method", quantize.method);
  field("percentile", quantize.percentile);
  field("per_channel", quantize.per_channel);
  field("symmetric", quantize.symmetric);
  field("block_size", quantize.block_size);
  field("weight_type", quantize.weight_type);
  field("activation_type", quantize.activation_type);
  field("samples", quantize.samples);
  field("calibration_data", quantize.calibration_data);
  field("seed", quantize.seed);
  field("include", quantize.include);
  field("exclude", quantize.exclude);
  field("overrides", quantize.overrides);
  field("min_sqnr_db", quantize.min_sqnr_db, Presence::when_given);
  field("allow_loss", quantize.allow_loss, Presence::when_given);
}

// How a checkpoint is written as ONNX, before all else. A model that is ONNX has nothing of it.
struct ExportRecipe {
  std::string form = "standard";      // standard, contrib, onnx-attention
  std::optional<std::int64_t> opset;  // null: 17, or what the form needs
  std::string dtype = "float32";      // float32, float16, bfloat16, auto
  std::string weights = "in-place";   // in-place, copy
};
template <RecordOf<ExportRecipe> Self>
void for_each_field(Self& exporting, auto&& field) {
  field("form", exporting.form);
  field("opset", exporting.opset);
  field("dtype", exporting.dtype);
  field("weights", exporting.weights);
}

struct CompileRecipe {
  bool embeds = false;
  std::map<std::string, std::string> provider_options;  // over those of the target
};
template <RecordOf<CompileRecipe> Self>
void for_each_field(Self& compile, auto&& field) {
  field("embed", compile.embeds);
  field("provider_options", compile.provider_options);
}

// How the result is run; it does not change a byte of the model.
struct SessionRecipe {
  std::int64_t threads = 0;
  std::map<std::string, std::string> options;
  std::optional<IoBinding> io_binding{};  // null: auto; not in the hash unless given
};
template <RecordOf<SessionRecipe> Self>
void for_each_field(Self& session, auto&& field) {
  field("threads", session.threads);
  field("options", session.options);
  field("io_binding", session.io_binding, Presence::when_given);
}

// The whole shape of each input by its name.
using InputShapes = std::map<std::string, std::vector<std::int64_t>>;

struct Recipe {
  Target target;
  std::optional<ExportRecipe> exporting;  // null: a model that is ONNX, or the usual export
  std::optional<std::int64_t> opset;      // null: as it is, but at least 17
  std::optional<InputShapes> shapes;      // what inputs are fixed to; null: they stay as they are
  std::map<std::string, bool> optimize;   // capability (snake_case) -> on; others as by default
  // How often the optimized model is analyzed, and what that suggests added; 0: only what
  // `optimize` says.
  std::int64_t optimize_rounds = 3;
  bool skips_optimize = false;
  std::optional<QuantizeRecipe> quantize;  // null: not quantized
  std::optional<CompileRecipe> compile;    // null: not compiled
  SessionRecipe session;
};
template <RecordOf<Recipe> Self>
void for_each_field(Self& recipe, auto&& field) {
  field("target", recipe.target, Presence::required);
  field("export", recipe.exporting, Presence::when_given);
  field("opset", recipe.opset);
  field("shapes", recipe.shapes, Presence::when_given);
  field("optimize", recipe.optimize);
  field("optimize_rounds", recipe.optimize_rounds);
  field("skip_optimize", recipe.skips_optimize);
  field("quantize", recipe.quantize);
  field("compile", recipe.compile);
  field("session", recipe.session);
}

}  // namespace hone
