//   Before:  Q, K, V: [B,S,N*H] -> Reshape [B,S,N,H] -> Transpose to [B,N,S,H]
//            MatMul(Q, K') * scale + mask -> Softmax -> MatMul(., V) -> Transpose -> Reshape
//            [B,S,N*H]
//   After:   MultiHeadAttention(Q, K, V, mask), of com.microsoft
//   attention-fusion takes this form; tf-attention-fusion takes the others, in which the
//   projections are rows [B*S,N*H] or Einsums, and puts free Reshapes around.
//
//   Not Attention, which would compute the projections as well: that needs the three weights in one
//   tensor, a copy of a third of a transformer, and one input for Q, K and V. The projections stay
//   the MatMuls they are. Without a mask ONNX Runtime computes MultiHeadAttention block by block
//   and never writes the scores to memory; a mask that is zero everywhere is therefore left out.
//   Declines when the scores or weights are needed elsewhere, when heads and shapes are not known
//   to fit, and for other types than float: ONNX Runtime's CPU kernel knows no other.
#include <map>

#include "transform/fuse.h"
#include "transform/match/attention.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

// Shapes of an attention: [batch, query, heads, size] and [batch, keys, heads, size].
struct Layout {
  Dim batch;
  Dim queries;
  Dim keys;
  std::int64_t heads = 0;
  std::int64_t size = 0;
  std::int64_t value_size = 0;
};

std::optional<Layout> layout_of(const Attention& attention) {
  const auto query = known_shape(attention.query);
  const auto key = known_shape(attention.key);
  const auto value = known_shape(attention.value);
  if (!query || !key || !value) return std::nullopt;
  if (query->size() != 4 || key->size() != 4 || value->size() != 4) return std::nullopt;
  const bool fit = same_dim((*query)[0], (*key)[0]) && same_dim((*key)[0], (*value)[0]) &&
                   same_dim((*key)[1], (*value)[1]) && same_dim((*query)[2], (*key)[2]) &&
                   same_dim((*key)[2], (*value)[2]) && same_dim((*query)[3], (*key)[3]);
  const auto heads = (*query)[2].value;
  const auto size = (*query)[3].value;
  const auto value_size = (*value)[3].value;
  if (!fit || !heads || !size || !value_size) return std::nullopt;
  return Layout{(*query)[0], (*query)[1], (*key)[1], *heads, *size, *value_size};
}

// Whether `flat` is `heads` with its last two axes as one.
bool is_flat(const Value* flat, const Shape& heads) {
  const auto shape = known_shape(flat);
  const Shape expected = {heads[0], heads[1], {.value = *heads[2].value * *heads[3].value}};
  return shape && std::ranges::equal(*shape, expected, same_dim);
}

// [B,S,N*H] that a Reshape made [B,S,N,H] of; null when there is none.
Value* flat_source(const Value* heads) {
  const Node* reshape = producer_of(heads, "Reshape");
  const bool is_one = reshape != nullptr && is_flat(reshape->input(0), *known_shape(heads));
  return is_one ? reshape->input(0) : nullptr;
}

// Whether a Reshape is written to make these three of what it is given: 0 takes a dimension over,
// and the one that is -1 is the one that is left.
bool is_written(const Node& reshape, const Shape& flat) {
  const auto target = ints_of(reshape.input(1));
  if (!target || target->size() != flat.size()) return false;
  const bool keeps_zeros = reshape.int_or("allowzero", 0) == 0;
  std::size_t rest = 0;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const bool is_taken_over = i < 2 && keeps_zeros && (*target)[i] == 0;
    if ((*target)[i] == -1) {
      ++rest;
    } else if (!is_taken_over && flat[i].value != (*target)[i]) {
      return false;
    }
  }
  return rest <= 1;
}

// [B,S,N*H] that a Reshape makes of the result, when nobody else uses that.
Value* flat_result(const Value& result, const Layout& layout) {
  const Node* reshape = only_consumer(result);
  if (reshape == nullptr || !reshape->is("Reshape")) return nullptr;
  const Shape flat = {layout.batch, layout.queries, {.value = layout.heads * layout.value_size}};
  const auto known = known_shape(reshape->output(0));
  const bool is_one =
      (known && std::ranges::equal(*known, flat, same_dim)) || is_written(*reshape, flat);
  return is_one ? reshape->output(0) : nullptr;
}

class Fusion {
 public:
  Fusion(Rewriter& rewriter, bool is_of_rows) : rewriter_(rewriter), is_of_rows_(is_of_rows) {}

  void consider(Node& softmax) {
    const auto found = match_attention(softmax);
    if (!found) return;
    const auto layout = layout_of(*found);
    if (!layout) {
      if (!is_of_rows_) rewriter_.decline(softmax, "its heads are not known to be of one shape");
      return;
    }
    Value& result = *found->nodes.back()->output(0);
    Value* const flat = flat_result(result, *layout);
    const bool is_usual = flat != nullptr && flat_source(found->query) != nullptr &&
                          flat_source(found->key) != nullptr &&
                          flat_source(found->value) != nullptr;
    if (!is_usual && !is_of_rows_) {
      return rewriter_.decline(softmax, "it is of a form that tf-attention-fusion takes");
    }
    if (is_usual == is_of_rows_ || !can_replace(rewriter_, found->nodes)) return;
    if (found->query->type.element != ElementType::float32) {
      return rewriter_.decline(softmax,
                               "ONNX Runtime's CPU has MultiHeadAttention for float alone");
    }
    if (has_fitting_mask(*found, *layout)) fuse(*found, *layout, result, flat);
  }

 private:
  void fuse(const Attention& found, const Layout& layout, Value& result, Value* flat) {
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
    if (flat != nullptr) return rewriter_.replace(*flat, made);
    rewriter_.replace(result, reshaped(position, made, {0, 0, layout.heads, layout.value_size}));
  }

  Value* flattened(const Node& position, Value& heads) {
    if (Value* source = flat_source(&heads)) return source;
    const Shape shape = *known_shape(&heads);
    return &reshaped(position, heads, {0, 0, *shape[2].value * *shape[3].value});
  }

  Value& reshaped(const Node& position, Value& value, const std::vector<std::int64_t>& shape) {
    Value& target =
        rewriter_.add_constant(position, make_int64_tensor(position.name + "_shape", shape));
    return rewriter_.add(position, {.op = "Reshape", .inputs = {&value, &target}});
  }

  static bool is_zero(const Value& mask) {
    const auto numbers = doubles_of(&mask);
    return numbers && std::ranges::all_of(*numbers, [](double number) { return number == 0; });
  }

  // Whether the mask makes the scores no larger than they are.
  bool has_fitting_mask(const Attention& found, const Layout& layout) {
    if (found.mask == nullptr) return true;
    const Node& end = *found.nodes.back();
    const Shape scores = {layout.batch, {.value = layout.heads}, layout.queries, layout.keys};
    const auto shape = known_shape(found.mask);
    bool fits = shape && shape->size() <= scores.size();
    for (std::size_t i = 0; fits && i < shape->size(); ++i) {
      const Dim& dim = (*shape)[shape->size() - 1 - i];
      fits = is_one(dim) || same_dim(dim, scores[scores.size() - 1 - i]);
    }
    if (!fits) {
      rewriter_.decline(end, "its mask is not known to fit the scores");
      return false;
    }
    const bool is_open = !layout.queries.value || !layout.keys.value;
    return is_full(*found.mask, layout) || !is_open ||
           has_opset(rewriter_, end, "a Shape of some axes", 15);
  }

  // [1 or B, 1 or N, S, L]: MultiHeadAttention broadcasts no further.
  static bool is_full(const Value& mask, const Layout& layout) {
    const Shape shape = *known_shape(&mask);
    return shape.size() == 4 && same_dim(shape[2], layout.queries) &&
           same_dim(shape[3], layout.keys);
  }

  // The layers of a model share their mask.
  Value* expanded(const Node& position, Value& mask, const Layout& layout, const Operands& flat) {
    const Shape lengths = {layout.queries, layout.keys};
    Value*& made = expanded_[{&position.graph(), &mask, to_string(Type::tensor({}, lengths))}];
    if (made != nullptr) return made;
    Value* target = layout.queries.value && layout.keys.value ? constant_target(position, layout)
                                                              : computed_target(position, flat);
    made = &rewriter_.add(position, {.op = "Expand", .inputs = {&mask, target}});
    return made;
  }

  Value* constant_target(const Node& position, const Layout& layout) {
    const std::vector<std::int64_t> dims = {1, 1, *layout.queries.value, *layout.keys.value};
    return &rewriter_.add_constant(position, make_int64_tensor(position.name + "_mask", dims));
  }

  Value* computed_target(const Node& position, const Operands& flat) {
    const std::vector<std::int64_t> ones = {1, 1};
    Value& front =
        rewriter_.add_constant(position, make_int64_tensor(position.name + "_ones", ones));
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
  bool is_of_rows_;
  std::map<std::tuple<const Graph*, const Value*, std::string>, Value*> expanded_;
};

template <bool is_of_rows>
Status run(Rewriter& rewriter) {
  Fusion fusion(rewriter, is_of_rows);
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
          .run = run<false>};
}

Pass tf_attention_fusion() {
  return {.name = "tf-attention-fusion",
          .summary = "Make one MultiHeadAttention of what TensorFlow exports for it",
          .category = "attention",
          .numerics = Numerics::close,
          .run = run<true>};
}

}  // namespace hone::passes
