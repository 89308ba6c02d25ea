//   Before:  Gather(words, ids) + Gather(segments, segment ids) + Gather(positions, position ids)
//            -> LayerNormalization -> y     (in any order; without segments; the positions may be a
//            constant already; the last Add may be part of a SkipLayerNormalization)
//   After:   EmbedLayerNormalization -> y; it takes ids of 32 bits, so there is a Cast before it
//   Declines when scale or bias are missing, when a value in between is needed elsewhere, when the
//   shapes of the ids are not known to be one, and for other types than float.
//
//   The ids must not be negative: Gather counts them from the end, EmbedLayerNormalization refuses.
#include "transform/fuse.h"
#include "transform/match/embedding.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

// Who plays which part. Addition does not care, so any lookup may be the words.
struct Roles {
  Lookup word;
  Lookup segment;
  Lookup position;  // without ids: a row per place
};

bool fit(const Value* ids, const Value* of_words) {
  const auto shape = known_shape(ids);
  const auto expected = known_shape(of_words);
  return shape && expected && std::ranges::equal(*shape, *expected, same_dim);
}

// A row per place of the sequence, for the whole batch.
bool fit_rows(const Value* rows, const Value* of_words) {
  const auto shape = known_shape(rows);
  const auto expected = known_shape(of_words);
  if (!shape || !expected || shape->size() < 2 || shape->size() > 3) return false;
  return (shape->size() == 2 || is_one(shape->front())) &&
         same_dim((*shape)[shape->size() - 2], (*expected)[1]);
}

std::optional<Roles> assign(const EmbeddingNorm& found) {
  Roles roles{.word = found.lookups.front(), .segment = {}, .position = {found.rows, nullptr}};
  const auto ids = known_shape(roles.word.ids);
  if (!ids || ids->size() != 2) return std::nullopt;
  std::vector<Lookup> others(found.lookups.begin() + 1, found.lookups.end());
  if (found.rows == nullptr) {
    roles.position = others.back();
    others.pop_back();
    if (!fit(roles.position.ids, roles.word.ids)) return std::nullopt;
  } else if (!fit_rows(found.rows, roles.word.ids)) {
    return std::nullopt;
  }
  if (others.empty()) return roles;
  roles.segment = others.front();
  return fit(roles.segment.ids, roles.word.ids) ? std::optional(roles) : std::nullopt;
}

Value* as_int32(Rewriter& rewriter, const Node& position, Value* ids) {
  if (ids == nullptr || ids->type.element == ElementType::int32) return ids;
  const auto target = static_cast<std::int64_t>(ElementType::int32);
  return &rewriter.add(position, {.op = "Cast",
                                  .inputs = {ids},
                                  .attributes = attributes(make_attribute("to", target)),
                                  .type = Type::tensor(ElementType::int32, ids->type.shape)});
}

Value* as_table(Rewriter& rewriter, const Node& position, Value* rows) {
  const TensorPtr tensor = rows->constant();
  if (tensor->dims.size() == 2) return rows;
  auto table = std::make_shared<Tensor>(*tensor);
  table->name = rows->name() + "_table";
  table->dims.erase(table->dims.begin());
  return &rewriter.add_constant(position, std::move(table));
}

// Scale and bias stand behind the summands.
Value* weight_of(const Node& norm, std::size_t index) {
  return norm.input(norm.is("LayerNormalization") ? index : index + 1);
}

void fuse(Rewriter& rewriter, const Node& norm, const Roles& roles) {
  Value* words = as_int32(rewriter, norm, roles.word.ids);
  Value* segments = as_int32(rewriter, norm, roles.segment.ids);
  Value* places = as_int32(rewriter, norm, roles.position.ids);
  const float epsilon = norm.float_or("epsilon", norm.is("LayerNormalization") ? 1e-5F : 1e-12F);
  std::vector<Value*> inputs = {words,
                                segments,
                                roles.word.table,
                                as_table(rewriter, norm, roles.position.table),
                                roles.segment.table,
                                weight_of(norm, 1),
                                weight_of(norm, 2)};
  if (places != nullptr) inputs.insert(inputs.end(), {nullptr, places});
  rewriter.need_domain(microsoft);
  // ONNX Runtime's inference insists on the second output, the lengths of the sentences.
  const auto made =
      rewriter.add_outputs(norm,
                           {.op = "EmbedLayerNormalization",
                            .inputs = std::move(inputs),
                            .attributes = attributes(make_attribute("epsilon", epsilon)),
                            .domain = microsoft},
                           {norm.output(0)->type, Type{}});
  rewriter.replace(*norm.output(0), *made.front());
}

void consider(Rewriter& rewriter, Node& norm) {
  const auto found = match_embedding_norm(norm);
  if (!found || !can_replace(rewriter, found->nodes)) return;
  const auto width = found->lookups.front().table->constant()->dims[1];
  for (const std::size_t index : {std::size_t{1}, std::size_t{2}}) {
    const auto dims = static_shape(weight_of(norm, index));
    if (dims && *dims == std::vector{width}) continue;
    return rewriter.decline(norm, "its scale or bias is no vector as wide as the embeddings");
  }
  if (found->lookups.front().table->constant()->type != ElementType::float32) {
    return rewriter.decline(norm, "EmbedLayerNormalization is there for float alone");
  }
  const auto roles = assign(*found);
  if (!roles) return rewriter.decline(norm, "its ids are not known to be of one shape");
  fuse(rewriter, norm, *roles);
}

Status run(Rewriter& rewriter) {
  for (Node* node : rewriter.nodes()) {
    if (!node->is_removed()) consider(rewriter, *node);
  }
  return done();
}

}  // namespace

Pass embed_layer_norm_fusion() {
  return {.name = "embed-layer-norm-fusion",
          .summary = "Make one node of embeddings that are added and normalized",
          .category = "layer-norm",
          .numerics = Numerics::close,
          .depends_on = {"layer-norm-fusion"},
          .run = run,
          .detection = Detection{.makes = "EmbedLayerNormalization"}};
}

}  // namespace hone::passes
