#include "transform/match/embedding.h"

#include <algorithm>

#include "transform/patterns.h"

namespace hone {
namespace {

constexpr std::size_t most_terms = 3;

// A sum of three has an Add below an Add.
constexpr int most_adds_in_a_row = 2;

// Takes a sum apart. False when there is a term that is neither a lookup nor a constant.
bool collect_terms(Value* value, EmbeddingNorm& found, int adds = 0) {
  if (value == nullptr) return false;
  if (value->constant() != nullptr) {
    if (found.rows != nullptr) return false;
    found.rows = value;
    return true;
  }
  Node* add = producer_of(value, "Add");
  if (add != nullptr && adds < most_adds_in_a_row) {
    if (!collect_terms(add->input(0), found, adds + 1)) return false;
    if (!collect_terms(add->input(1), found, adds + 1)) return false;
    found.nodes.push_back(add);
    return true;
  }
  Node* gather = producer_of(value, "Gather");
  if (gather == nullptr || gather->int_or("axis", 0) != 0) return false;
  const auto table = known_shape(gather->input(0));
  if (!table || table->size() != 2 || !gather->input(0)->constant()) return false;
  found.lookups.push_back({gather->input(0), gather->input(1)});
  found.nodes.push_back(gather);
  return true;
}

bool are_of_one_width(const EmbeddingNorm& found) {
  const std::int64_t width = found.lookups.front().table->constant()->dims[1];
  if (found.rows != nullptr) {
    const auto& dims = found.rows->constant()->dims;
    if (dims.empty() || dims.back() != width) return false;
  }
  return std::ranges::all_of(found.lookups, [&](const Lookup& lookup) {
    return lookup.table->constant()->dims[1] == width;
  });
}

// Of three dimensions: batch, sequence and width.
bool is_layer_norm(const Node& node) {
  const std::int64_t axis = node.int_or("axis", -1);
  return node.is("LayerNormalization") && (axis == -1 || axis == 2) && node.outputs().size() == 1;
}

bool is_skip_norm(const Node& node) {
  return node.domain == "com.microsoft" && node.op_type == "SkipLayerNormalization" &&
         node.input(4) == nullptr && node.outputs().size() == 1;
}

}  // namespace

std::optional<EmbeddingNorm> match_embedding_norm(Node& norm) {
  EmbeddingNorm found;
  if (!is_layer_norm(norm) && !is_skip_norm(norm)) return std::nullopt;
  if (!collect_terms(norm.input(0), found)) return std::nullopt;
  if (is_skip_norm(norm) && !collect_terms(norm.input(1), found)) return std::nullopt;
  const std::size_t terms = found.lookups.size() + (found.rows != nullptr ? 1 : 0);
  if (found.lookups.empty() || terms < 2 || terms > most_terms) return std::nullopt;
  if (!are_of_one_width(found)) return std::nullopt;
  found.nodes.push_back(&norm);
  return found;
}

}  // namespace hone
