#include "transform/ort_graph.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "runtime/session.h"
#include "transform/half_casts.h"

namespace hone {
namespace {

constexpr auto weights_name = "weights.bin";

std::string level_word(int level) {
  constexpr std::array<const char*, 4> words = {"disable", "basic", "extended", "layout"};
  return words[static_cast<std::size_t>(level)];
}

std::string disabled_optimizers(const CapabilitySet& capabilities, bool has_half) {
  std::vector<std::string> names(optimizers_kept_off().begin(), optimizers_kept_off().end());
  if (has_half) names.emplace_back(identity_eliminator);
  for (const Capability& capability : all_capabilities()) {
    if (capabilities.contains(&capability)) continue;
    names.insert(names.end(), capability.optimizers.begin(), capability.optimizers.end());
  }
  return join(names, ";");
}

SessionSettings settings_to_save(int level, const Path& output) {
  SessionSettings settings;
  settings.options.emplace("graph_optimization_level", level_word(level));
  settings.options.emplace("session.optimized_model_external_initializers_file_name", weights_name);
  settings.options.emplace("session.optimized_model_external_initializers_min_size_in_bytes",
                           "1024");
  settings.optimized_model = output.string();
  return settings;
}

SessionSettings settings_for(const CapabilitySet& capabilities, int level, bool has_half,
                             const Path& output) {
  SessionSettings settings = settings_to_save(level, output);
  for (const Capability* capability : capabilities) {
    if (!capability->session_option.empty()) {
      settings.options.emplace(capability->session_option, "1");
    }
  }
  settings.options.emplace("optimization.disable_specified_optimizers",
                           disabled_optimizers(capabilities, has_half));
  // Quantized models keep their QDQ pairs: QLinear operators are the CPU EP's own business. Then
  // ONNX Runtime would make floats of quantized weights, which is constant-dequantize-folding's.
  settings.options.emplace("session.disable_quant_qdq", "1");
  settings.options.emplace("session.disable_qdq_constant_folding", "1");
  return settings;
}

// ONNX Runtime imports every domain it knows and forgets who made the model.
void keep_identity(const Model& original, Model& optimized) {
  std::set<std::string> used;
  for_each_graph(optimized, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) used.insert(node.is_default_domain() ? "" : node.domain);
  });
  std::erase_if(optimized.opsets, [&](const OpsetImport& import) {
    const std::string domain = import.domain == "ai.onnx" ? "" : import.domain;
    return !domain.empty() && !used.contains(domain) && original.opset(domain) == 0;
  });
  optimized.producer_name = original.producer_name;
  optimized.producer_version = original.producer_version;
  optimized.domain = original.domain;
  optimized.model_version = original.model_version;
  optimized.doc = original.doc;
  optimized.metadata = original.metadata;
}

// Opens a session on the model and reads back what ONNX Runtime made of it.
template <class SettingsFor>
Result<OptimizedModel> saved_by_ort(const std::shared_ptr<Runtime>& runtime, const Model& model,
                                    const SettingsFor& settings_for_output) {
  HONE_TRY(TemporaryFolder made, TemporaryFolder::create("optimize"));
  const auto folder = std::make_shared<TemporaryFolder>(std::move(made));
  const Path input = folder->path() / "input.onnx";
  const Path output = folder->path() / "output.onnx";
  HONE_TRY_DO(save_model(model, input));
  HONE_TRY_DO(Session::open(runtime, input, settings_for_output(output)));
  HONE_TRY(Model optimized, load_model(output));
  keep_identity(model, optimized);
  optimized.source = model.source;
  return OptimizedModel{std::move(optimized), folder};
}

}  // namespace

int level_of(const CapabilitySet& capabilities) {
  int level = 0;
  for (const Capability* capability : capabilities) level = std::max(level, capability->level);
  return level;
}

Result<OptimizedModel> optimize_with_ort(const std::shared_ptr<Runtime>& runtime,
                                         const Model& model, const CapabilitySet& capabilities,
                                         int level) {
  if (level == 0) return OptimizedModel{clone(model)};
  const bool has_half = uses_half(model);
  const auto settings = [&](const Path& output) {
    return settings_for(capabilities, level, has_half, output);
  };
  if (!has_half) return saved_by_ort(runtime, model, settings);
  Model apart = clone(model);
  keep_casts_apart(apart);
  HONE_TRY(OptimizedModel optimized, saved_by_ort(runtime, apart, settings));
  remove_inserted_casts(optimized.model);
  return optimized;
}

Result<OptimizedModel> lower_for_cpu(const std::shared_ptr<Runtime>& runtime, const Model& model) {
  constexpr int extended = 2;
  return saved_by_ort(runtime, model,
                      [&](const Path& output) { return settings_to_save(extended, output); });
}

}  // namespace hone
