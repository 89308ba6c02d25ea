// Normalizations, embeddings and attention.

#include <algorithm>
#include <array>

#include "runtime/dim_rules.h"

namespace hone {
namespace {

void normalize_channels(DimTracer& tracer, const Node& node) {
  const DimIds* scale = tracer.shape(node.input(1));
  const auto channels =
      scale != nullptr && scale->size() == 1 ? std::optional((*scale)[0]) : std::nullopt;
  const DimIds* in = tracer.shape(node.input(0));
  if (channels && in != nullptr && in->size() > 1) tracer.system.equate((*in)[1], *channels);
  keep_shape(tracer, node);
}

// The last dimensions are those of the scale, which is the input behind everything that is added.
void normalize_last(DimTracer& tracer, const Node& node, std::size_t scale_index) {
  const DimIds* scale = tracer.shape(node.input(scale_index));
  if (scale != nullptr) {
    const DimIds& last = *scale;
    const DimIds* in = tracer.shape(node.input(0));
    for (std::size_t i = 0; in != nullptr && last.size() <= in->size() && i < last.size(); ++i) {
      const DimSystem::Id dim = (*in)[in->size() - last.size() + i];
      if (tracer.system.size(last[i]) != 1) tracer.system.equate(dim, last[i]);
    }
  }
  keep_shape(tracer, node);
}

void layer_norm(DimTracer& tracer, const Node& node) { normalize_last(tracer, node, 1); }

void skip_layer_norm(DimTracer& tracer, const Node& node) {
  const DimIds* skip = tracer.shape(node.input(1));
  if (skip != nullptr) {
    const DimIds& other = *skip;
    if (const DimIds* in = tracer.shape(node.input(0))) broadcast(tracer, *in, other);
  }
  normalize_last(tracer, node, 2);
}

// input_ids, segment_ids, word table, position table, ...: [batch, sequence] -> [.., .., hidden].
void embed(DimTracer& tracer, const Node& node) {
  const DimIds* table = tracer.shape(node.input(2));
  const auto hidden =
      table != nullptr && table->size() == 2 ? std::optional((*table)[1]) : std::nullopt;
  const DimIds* segments = tracer.shape(node.input(1));
  const DimIds* ids = tracer.shape(node.input(0));
  if (ids == nullptr || ids->size() != 2 || !hidden) return;
  DimIds out = *ids;
  if (segments != nullptr) broadcast(tracer, out, *segments);
  out.push_back(*hidden);
  tracer.set_shape(node.output(0), std::move(out));
}

// com.microsoft.Attention: [batch, sequence, input] times [input, 3 * hidden].
void attention(DimTracer& tracer, const Node& node) {
  const DimIds* found = tracer.shape(node.input(1));
  if (node.is_default_domain() || found == nullptr || found->size() != 2) return;
  const DimIds& weight = *found;
  const DimIds* in = tracer.shape(node.input(0));
  if (in == nullptr || in->size() != 3) return;
  DimIds out = *in;
  tracer.system.equate(out[2], weight[0]);
  out[2] = tracer.system.open();
  tracer.system.add_scale(weight[1], out[2], 3, 1);
  tracer.set_shape(node.output(0), std::move(out));
}

// [batch, sequence, heads * size] beside caches of [batch, kv heads, past, size].
void grouped_attention(DimTracer& tracer, const Node& node) {
  const DimIds* found = tracer.shape(node.input(0));
  if (found == nullptr || found->size() != 3) return;
  const DimIds& query = *found;
  const DimSystem::Id size = tracer.system.open();
  const bool is_packed = node.input(1) == nullptr;
  const std::int64_t kv_heads = node.int_or("kv_num_heads", 0);
  const std::int64_t heads = node.int_or("num_heads", 0);
  tracer.system.add_scale(query[2], size, is_packed ? heads + 2 * kv_heads : heads, 1);
  for (const std::size_t cache : {std::size_t{3}, std::size_t{4}}) {
    const DimIds* past = tracer.shape(node.input(cache));
    if (past == nullptr || past->size() != 4) continue;
    const DimIds& dims = *past;
    tracer.system.equate(dims[0], query[0]);
    tracer.system.equate(dims[1], tracer.system.known(kv_heads));
    tracer.system.equate(dims[3], size);
  }
  DimIds out = query;
  out[2] = tracer.system.open();
  tracer.system.add_scale(out[2], size, heads, 1);
  tracer.set_shape(node.output(0), std::move(out));
}

// Of the names that com.microsoft and ONNX both have, only the former's has a rule.
constexpr auto rules = std::to_array<DimRuleRow>({
    {"Attention", attention},
    {"BatchNormalization", normalize_channels},
    {"EmbedLayerNormalization", embed},
    {"GroupQueryAttention", grouped_attention},
    {"InstanceNormalization", normalize_channels},
    {"LayerNormalization", layer_norm},
    {"QAttention", attention},
    {"RMSNormalization", layer_norm},
    {"SimplifiedLayerNormalization", layer_norm},
    {"SkipLayerNormalization", skip_layer_norm},
    {"SkipSimplifiedLayerNormalization", skip_layer_norm},
});

}  // namespace

DimRule find_attention_rule(std::string_view op) {
  const auto row = std::ranges::find(rules, op, &DimRuleRow::op);
  return row != rules.end() ? row->rule : nullptr;
}

}  // namespace hone
