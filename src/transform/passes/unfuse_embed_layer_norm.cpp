//   Before:  com.microsoft.EmbedLayerNormalization(ids, segments, words, places, table, scale,
//            shift, mask, position) -> y, lengths, sum
//   After:   Gather(words, ids) -> Add(Gather(places, position)) -> Add(Gather(table, segments))
//            = sum -> LayerNormalization(scale, shift) -> y
//   Declines when the lengths are needed, when positions are counted along an open dimension, and
//   below opset 17, which has no LayerNormalization.
#include <numeric>

#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) { return is_microsoft(node, "EmbedLayerNormalization"); }

bool is_needed(const Value* value) { return value != nullptr && value->is_used(); }

Value& looked_up(Rewriter& rewriter, const Node& whole, Value& table, Value& ids) {
  return rewriter.add(whole, {.op = "Gather",
                              .inputs = {&table, &ids},
                              .type = Type::tensor(whole.output(0)->type.element)});
}

// The ids of positions: those given, else one after the other; null when their number is open.
Value* positions_of(Rewriter& rewriter, const Node& whole) {
  if (whole.input(8) != nullptr) return whole.input(8);
  const auto length = extent_of(whole.input(0), 1);
  if (!length) return nullptr;
  std::vector<std::int64_t> counted(static_cast<std::size_t>(*length));
  std::iota(counted.begin(), counted.end(), 0);
  return &rewriter.add_ints(whole, whole.output(0)->name() + "_positions", counted);
}

void unfuse(Rewriter& rewriter, Node& whole) {
  for (const std::size_t index : {2U, 3U, 5U, 6U})
    if (whole.input(index) == nullptr) return;
  if (const std::string why = no_numbers(whole); !why.empty()) return rewriter.decline(whole, why);
  if (is_needed(whole.output(1)))
    return rewriter.decline(whole, "the lengths of its sentences are needed");
  if (!rewriter.has_opset(whole, "LayerNormalization", 17)) return;
  Value* positions = positions_of(rewriter, whole);
  if (positions == nullptr) return rewriter.decline(whole, "how long its sentences are is open");
  Parts parts(rewriter, whole);
  Value* sum = &looked_up(rewriter, whole, *whole.input(2), *whole.input(0));
  sum = &parts.sum(*sum, looked_up(rewriter, whole, *whole.input(3), *positions));
  if (whole.input(1) != nullptr && whole.input(4) != nullptr)
    sum = &parts.sum(*sum, looked_up(rewriter, whole, *whole.input(4), *whole.input(1)));
  Value& made = parts.op("LayerNormalization", {sum, whole.input(5), whole.input(6)},
                         attributes(make_attribute("axis", std::int64_t{-1}),
                                    make_attribute("epsilon", whole.float_or("epsilon", 1e-12F))));
  if (is_needed(whole.output(2))) rewriter.replace(*whole.output(2), *sum);
  parts.become(made);
}

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) unfuse(rewriter, *whole);
  return done();
}

}  // namespace

Pass unfuse_embed_layer_norm() {
  return unfusing("unfuse-embed-layer-norm", "Write EmbedLayerNormalization as Gathers and a norm",
                  run);
}

}  // namespace hone::passes
