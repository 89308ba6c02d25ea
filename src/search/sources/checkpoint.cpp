// How a checkpoint is written as ONNX: its operators, where its weights lie, its sizes. The opset
// is another source's.

#include <array>

#include "search/proposing.h"

namespace hone::sources {
namespace {

struct Form {
  std::string_view name;  // as `hone export --form` takes it
  std::string_view title;
  std::string_view reason;
  std::string_view predicted;
  std::int64_t opset;  // what it needs
  Odds odds;
};

constexpr std::int64_t usual_opset = 17;

constexpr std::array forms = {
    Form{"standard",
         "basic operators",
         "each EP fuses them as it likes best",
         "attention as MatMul, Softmax, MatMul",
         usual_opset,
         {.gain = 0.05, .chance = 0.2, .cost = 1.5}},
    Form{"contrib",
         "ONNX Runtime's fused operators",
         "one kernel in the place of several",
         "MultiHeadAttention, SkipLayerNormalization, Gelu of com.microsoft",
         usual_opset,
         {.gain = 0.15, .chance = 0.4, .cost = 1.5}},
    Form{"onnx-attention",
         "ONNX's own Attention",
         "one kernel in the place of several, where the EP has it",
         "Attention, RMSNormalization, RotaryEmbedding",
         23,
         {.gain = 0.15, .chance = 0.2, .cost = 1.5}},
};

bool has_any(const Insight& insight, std::initializer_list<std::string_view> types) {
  const auto& counts = insight.features.op_counts;
  return counts.empty() || std::ranges::any_of(types, [&](std::string_view type) {
           return counts.contains(std::string(type));
         });
}

// Why a form is no use here; empty when it may be.
std::string objection_to(const Form& form, const Insight& insight) {
  if (form.name == "contrib" && insight.device == "npu")
    return "NPUs take ONNX's operators, and leave com.microsoft's to the CPU";
  const bool is_said_otherwise = has_any(
      insight, {"Softmax", "LayerNormalization", "Gelu", "Erf", "MultiHeadAttention", "Attention"});
  return is_said_otherwise ? "" : "the network has no attention, normalization or gelu to fuse";
}

void propose_forms(const Insight& insight, HypothesisSet& into) {
  for (const Form& form : forms) {
    const std::string id = "form-" + std::string(form.name);
    const std::string title(form.title);
    if (const std::string objection = objection_to(form, insight); !objection.empty()) {
      skip(into, "export", id, title, objection);
      continue;
    }
    propose(into, insight, "export",
            {.id = id,
             .title = title,
             .reason = std::string(form.reason),
             .predicted = std::string(form.predicted),
             .odds = form.odds},
            [&](Recipe& recipe) {
              recipe.exporting->form = form.name;
              recipe.exporting->opset =
                  std::max(form.opset, recipe.exporting->opset.value_or(form.opset));
            });
  }
}

void propose_weights(const Insight& insight, HypothesisSet& into) {
  propose(into, insight, "export",
          {.id = "weights-copy",
           .title = "weights turned ahead",
           .reason = "products read a weight as it lies in memory",
           .predicted = "no Transpose between a weight and its MatMul",
           .odds = {.gain = 0.02, .chance = 0.1, .cost = 2}},
          [](Recipe& recipe) { recipe.exporting->weights = "copy"; });
}

void propose_sizes(const Insight& insight, HypothesisSet& into) {
  const std::string id = "static-shapes";
  const std::string title = "sizes fixed to those that were said; it runs on no others";
  if (!insight.said_sizes) {
    skip(into, "shapes", id, title, "not all sizes were said: --shape-config");
    return;
  }
  propose(into, insight, "shapes",
          {.id = id,
           .title = title,
           .reason = "what depends on sizes alone is computed ahead",
           .predicted = "no Shape, and what follows from it is a constant",
           .odds = {.gain = 0.05, .chance = 0.3, .cost = 1.5}},
          [&](Recipe& recipe) { recipe.shapes = insight.said_sizes; });
}

void propose_exports(const Insight& insight, HypothesisSet& into) {
  if (!insight.baseline.exporting) return;
  propose_forms(insight, into);
  propose_weights(insight, into);
  propose_sizes(insight, into);
  // The precision fp16 does it where it can be faster, and keeps the types of inputs and outputs.
  skip(into, "export", "dtype-float16", "float16 from the checkpoint on",
       "fp16 is the same in computing, and keeps what goes in and comes out");
}

}  // namespace

HypothesisSource checkpoint() {
  return {.name = "checkpoint",
          .summary = "How a checkpoint is written: operators, weights, sizes",
          .propose = propose_exports};
}

}  // namespace hone::sources
