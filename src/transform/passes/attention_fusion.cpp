//   Before:  Q, K, V: [B,S,N*H] -> Reshape [B,S,N,H] -> Transpose to [B,N,S,H]
//            MatMul(Q, K') * scale + mask -> Softmax -> MatMul(., V) -> Transpose -> Reshape
//            [B,S,N*H]
//   After:   MultiHeadAttention(Q, K, V, mask), of com.microsoft
//   attention-fusion takes this form; tf-attention-fusion takes the others, in which the
//   projections are rows [B*S,N*H] or Einsums, and puts free Reshapes around.
//
//   Not Attention, which would compute the projections as well: that needs the three weights in one
//   tensor, a copy of a quarter of a transformer, and one input for Q, K and V. The projections
//   stay the MatMuls they are. Without a mask ONNX Runtime computes MultiHeadAttention block by
//   block and never writes the scores to memory; a mask that is zero everywhere is therefore left
//   out. Declines when the scores or weights are needed elsewhere, when heads and shapes are not
//   known to fit, and for other types than float: ONNX Runtime's CPU kernel knows no other.
#include <array>
#include <map>

#include "transform/fuse.h"
#include "transform/match/heads.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

class Fusion {
 public:
  Fusion(Rewriter& rewriter, bool takes_other_forms)
      : rewriter_(rewriter), takes_other_forms_(takes_other_forms) {}

  void consider(Node& softmax) {
    const auto found = match_attention(softmax);
    if (!found) return;
    const auto layout = layout_of(*found);
    if (!layout) return rewriter_.decline(softmax, "its heads are not known to be of one shape");
    const bool is_usual = is_of_three_axes(*found, *layout);
    if (!is_usual && !takes_other_forms_) {
      return rewriter_.decline(softmax, "it is of a form that tf-attention-fusion takes");
    }
    if (is_usual == takes_other_forms_ || !can_replace(rewriter_, found->nodes)) return;
    if (found->query->type.element != ElementType::float32) {
      return rewriter_.decline(softmax,
                               "ONNX Runtime's CPU has MultiHeadAttention for float alone");
    }
    if (has_fitting_mask(*found, *layout)) fuse(*found, *layout);
  }

 private:
  void fuse(const AttentionMatch& found, const HeadLayout& layout) {
    const Node& position = *found.nodes.back();
    Value* query = flattened(position, *found.query);
    Value* key = flattened(position, *found.key);
    Value* value = flattened(position, *found.value);
    std::vector<Value*> inputs = {query, key, value};
    if (found.mask != nullptr && !is_zero(*found.mask)) {
      Value* mask = is_full(*found.mask, layout)
                        ? found.mask
                        : expanded(position, *found.mask, layout, {query, key});
      inputs.insert(inputs.end(), {nullptr, nullptr, mask});
    }
    rewriter_.need_domain(microsoft);
    const Shape shape = {layout.batch, layout.queries, {.value = layout.heads * layout.value_size}};
    Value& made = rewriter_.add(
        position,
        {.op = "MultiHeadAttention",
         .inputs = std::move(inputs),
         .attributes = attributes(make_attribute("num_heads", layout.heads),
                                  make_attribute("scale", static_cast<float>(found.scale))),
         .domain = microsoft,
         .type = Type::tensor(ElementType::float32, shape)});
    Value& result = *position.output(0);
    if (Value* flat = flat_result(result, layout)) return rewriter_.replace(*flat, made);
    const std::array<std::int64_t, 4> heads = {0, 0, layout.heads, layout.value_size};
    rewriter_.replace(result, rewriter_.add_reshape(position, made, heads, result.type));
  }

  Value* flattened(const Node& position, Value& heads) {
    if (Value* source = flat_source(heads)) return source;
    const Shape shape = *known_shape(&heads);
    const std::int64_t width = *shape[2].value * *shape[3].value;
    return &rewriter_.add_reshape(
        position, heads, std::array<std::int64_t, 3>{0, 0, width},
        Type::tensor(ElementType::float32, Shape{shape[0], shape[1], {.value = width}}));
  }

  static bool is_zero(const Value& mask) {
    const TensorPtr tensor = mask.constant();
    const auto bytes = tensor ? tensor->bytes() : Result<std::string_view>("");
    return tensor && bytes && std::ranges::all_of(*bytes, [](char byte) { return byte == 0; });
  }

  // Whether the mask makes the scores no larger than they are.
  bool has_fitting_mask(const AttentionMatch& found, const HeadLayout& layout) {
    if (found.mask == nullptr) return true;
    const Node& end = *found.nodes.back();
    const Shape scores = {layout.batch, {.value = layout.heads}, layout.queries, layout.keys};
    const auto shape = known_shape(found.mask);
    bool fits = shape && shape->size() <= scores.size();
    for (std::size_t i = 0; fits && i < shape->size(); ++i) {
      const Dim& dim = (*shape)[shape->size() - 1 - i];
      fits = is_one(dim) || same_dim(dim, scores[scores.size() - 1 - i]);
    }
    const bool is_to_expand = fits && !is_full(*found.mask, layout);
    // Layers share what is expanded by the names of their lengths.
    const bool is_named = layout.queries.value || !layout.queries.symbol.empty();
    if (!fits || (is_to_expand && !is_named)) {
      rewriter_.decline(end, "its mask is not known to fit the scores");
      return false;
    }
    const bool is_open = !layout.queries.value || !layout.keys.value;
    return !is_to_expand || !is_open || rewriter_.has_opset(end, "a Shape of some axes", 15);
  }

  // [1 or B, 1 or N, S, L]: MultiHeadAttention broadcasts no further.
  static bool is_full(const Value& mask, const HeadLayout& layout) {
    const Shape shape = *known_shape(&mask);
    return shape.size() == 4 && same_dim(shape[2], layout.queries) &&
           same_dim(shape[3], layout.keys);
  }

  // The layers of a model share their mask.
  Value* expanded(const Node& position, Value& mask, const HeadLayout& layout,
                  const Operands& flat) {
    const Shape lengths = {layout.queries, layout.keys};
    Value*& made = expanded_[{&position.graph(), &mask, to_string(Type::tensor({}, lengths))}];
    if (made != nullptr) return made;
    Value* target = layout.queries.value && layout.keys.value ? constant_target(position, layout)
                                                              : computed_target(position, flat);
    made = &rewriter_.add(position, {.op = "Expand", .inputs = {&mask, target}});
    return made;
  }

  Value* constant_target(const Node& position, const HeadLayout& layout) {
    const std::array dims = {std::int64_t{1}, std::int64_t{1}, *layout.queries.value,
                             *layout.keys.value};
    return &rewriter_.add_ints(position, position.name + "_mask", dims);
  }

  Value* computed_target(const Node& position, const Operands& flat) {
    const std::array<std::int64_t, 2> ones = {1, 1};
    Value& front = rewriter_.add_ints(position, position.name + "_ones", ones);
    Value* queries = length_of(position, *flat.one);
    Value* keys = length_of(position, *flat.other);
    return &rewriter_.add(position,
                          {.op = "Concat",
                           .inputs = {&front, queries, keys},
                           .attributes = attributes(make_attribute("axis", std::int64_t{0}))});
  }

  Value* length_of(const Node& position, Value& flat) {
    return &rewriter_.add(position,
                          {.op = "Shape",
                           .inputs = {&flat},
                           .attributes = attributes(make_attribute("start", std::int64_t{1}),
                                                    make_attribute("end", std::int64_t{2}))});
  }

  Rewriter& rewriter_;
  bool takes_other_forms_;
  std::map<std::tuple<const Graph*, const Value*, std::string>, Value*> expanded_;
};

template <bool takes_other_forms>
Status run(Rewriter& rewriter) {
  Fusion fusion(rewriter, takes_other_forms);
  for (Node* softmax : rewriter.nodes("Softmax")) {
    if (!softmax->is_removed()) fusion.consider(*softmax);
  }
  return done();
}

}  // namespace

Pass attention_fusion() {
  return {.name = "attention-fusion",
          .summary = "Make one MultiHeadAttention of its products and its softmax",
          .category = "attention",
          .numerics = Numerics::close,
          .run = run<false>,
          .detection = Detection{.makes = "MultiHeadAttention", .find = detect::attention}};
}

Pass tf_attention_fusion() {
  return {.name = "tf-attention-fusion",
          .summary = "Make one MultiHeadAttention of what TensorFlow exports for it",
          .category = "attention",
          .numerics = Numerics::close,
          .run = run<true>,
          .detection = Detection{.makes = "MultiHeadAttention", .find = detect::other_attention}};
}

}  // namespace hone::passes
