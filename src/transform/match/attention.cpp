#include "transform/match/attention.h"

#include <algorithm>
#include <string>

#include "transform/patterns.h"

namespace hone {
namespace {

using Perm = std::vector<std::int64_t>;
const Perm heads_first = {0, 2, 1, 3};   // [batch, heads, sequence, size]
const Perm turned_heads = {0, 2, 3, 1};  // [batch, heads, size, sequence]

// A value, and the number it is multiplied with on its way.
struct Origin {
  Value* value = nullptr;
  double factor = 1;
};

// A product has a scale or two and a Transpose or two before it; what is longer is something else.
constexpr int longest_way = 6;

// The axes of `outer` after `inner`.
Perm compose(const Perm& inner, const Perm& outer) {
  Perm both;
  for (const std::int64_t axis : outer) both.push_back(inner[static_cast<std::size_t>(axis)]);
  return both;
}

// The value before its last two axes were exchanged as those of matrices: PyTorch's newer exporter
// writes Reshape [B*N,L,H], Transpose, Reshape [B,N,H,L] for the keys.
Value* turned_as_matrices(const Node& last) {
  const Node* transpose = last.is("Reshape") ? producer_of(last.input(0), "Transpose") : nullptr;
  const Node* first = transpose != nullptr ? producer_of(transpose->input(0), "Reshape") : nullptr;
  if (first == nullptr || perm_of(*transpose, 3) != Perm{0, 2, 1}) return nullptr;
  const auto from = known_shape(first->input(0));
  const auto matrices = known_shape(first->output(0));
  const auto to = known_shape(last.output(0));
  if (!from || !matrices || !to || from->size() != 4 || to->size() != 4) return nullptr;
  const bool is_turned = same_dim((*from)[0], (*to)[0]) && same_dim((*from)[1], (*to)[1]) &&
                         same_dim((*from)[2], (*to)[3]) && same_dim((*from)[3], (*to)[2]) &&
                         same_dim((*from)[2], (*matrices)[1]) &&
                         same_dim((*from)[3], (*matrices)[2]);
  return is_turned ? first->input(0) : nullptr;
}

// The value before two Reshapes, the second of which undoes the first: what ONNX Runtime leaves
// where it moved the Transpose in between.
Value* before_undone_reshape(const Node& last) {
  const Node* first = last.is("Reshape") ? producer_of(last.input(0), "Reshape") : nullptr;
  const auto from = first != nullptr ? known_shape(first->input(0)) : std::nullopt;
  const auto to = known_shape(last.output(0));
  if (!from || !to || !std::ranges::equal(*from, *to, same_dim)) return nullptr;
  return first->input(0);
}

// Up through Transposes and products with numbers, until the axes were permuted like this.
std::optional<Origin> origin_of(Value* value, const Perm& wanted) {
  Origin origin{value};
  Perm done = {0, 1, 2, 3};
  for (int step = 0; step < longest_way && done != wanted; ++step) {
    const Node* node = origin.value != nullptr ? origin.value->producer() : nullptr;
    if (node == nullptr) return std::nullopt;
    if (const auto scaled = match_scaled(*node)) {
      origin = {scaled->value, origin.factor * scaled->factor};
    } else if (const auto perm = node->is("Transpose") ? perm_of(*node, 4) : std::nullopt) {
      origin.value = node->input(0);
      done = compose(*perm, done);
    } else if (Value* same = before_undone_reshape(*node)) {
      origin.value = same;
    } else if (Value* heads = turned_as_matrices(*node)) {
      origin.value = heads;
      done = compose({0, 1, 3, 2}, done);
    } else {
      return std::nullopt;
    }
  }
  return done == wanted ? std::optional(origin) : std::nullopt;
}

// "ab,bc->ac" in three parts of four letters each.
struct Equation {
  std::string first;
  std::string second;
  std::string result;
};

std::optional<Equation> equation_of(const Node& einsum) {
  std::string text = einsum.string_or("equation", "");
  std::erase(text, ' ');
  const std::size_t comma = text.find(',');
  const std::size_t arrow = text.find("->");
  if (comma != 4 || arrow != 9 || text.size() != 15) return std::nullopt;
  std::string letters = text.substr(11);
  std::ranges::sort(letters);
  if (std::ranges::adjacent_find(letters) != letters.end()) return std::nullopt;
  return Equation{text.substr(0, 4), text.substr(5, 4), text.substr(11)};
}

std::optional<AttentionMatch> from_origins(const std::optional<Origin>& query,
                                           const std::optional<Origin>& key, Node& product) {
  if (!query || !key) return std::nullopt;
  return AttentionMatch{.query = query->value,
                        .key = key->value,
                        .scale = query->factor * key->factor,
                        .nodes = {&product}};
}

// Q K' of one batch and head: [batch, heads, query, key].
std::optional<AttentionMatch> match_product(const Value* scores) {
  if (Node* product = producer_of(scores, "MatMul")) {
    return from_origins(origin_of(product->input(0), heads_first),
                        origin_of(product->input(1), turned_heads), *product);
  }
  Node* product = producer_of(scores, "Einsum");
  const auto equation = product != nullptr ? equation_of(*product) : std::nullopt;
  if (!equation || product->inputs().size() != 2) return std::nullopt;
  const std::string& to = equation->result;
  const char size = equation->first.back();
  if (to.find(size) != std::string::npos) return std::nullopt;
  const std::string query = {to[0], to[2], to[1], size};
  const std::string key = {to[0], to[3], to[1], size};
  const bool is_query_first = equation->first == query && equation->second == key;
  if (!is_query_first && (equation->first != key || equation->second != query)) {
    return std::nullopt;
  }
  return from_origins(Origin{product->input(is_query_first ? 0 : 1)},
                      Origin{product->input(is_query_first ? 1 : 0)}, *product);
}

// The product, and numbers it is multiplied with.
std::optional<AttentionMatch> match_scores(const Value* scores) {
  if (auto found = match_product(scores)) return found;
  Node* node = scores != nullptr ? scores->producer() : nullptr;
  const auto scaled = node != nullptr ? match_scaled(*node) : std::nullopt;
  auto found = scaled ? match_product(scaled->value) : std::nullopt;
  if (!found) return std::nullopt;
  found->scale *= scaled->factor;
  found->nodes.push_back(node);
  return found;
}

std::optional<AttentionMatch> match_masked_scores(const Value* scores) {
  Node* add = producer_of(scores, "Add");
  if (add == nullptr) return match_scores(scores);
  for (const auto [product, mask] : both_orders(*add)) {
    auto found = match_scores(product);
    if (!found) continue;
    found->mask = mask;
    found->nodes.push_back(add);
    return found;
  }
  return std::nullopt;
}

// The node of this op that takes the value as its first input; others may use it too.
Node* user_of(const Value& value, std::string_view op) {
  for (const Use& use : value.uses()) {
    if (use.index == 0 && use.node->is(op)) return use.node;
  }
  return nullptr;
}

// The product with V, and what turns the heads back.
bool match_context(const Value& weights, AttentionMatch& found) {
  if (Node* product = user_of(weights, "MatMul")) {
    const auto value = origin_of(product->input(1), heads_first);
    Node* back = user_of(*product->output(0), "Transpose");
    if (!value || value->factor != 1 || back == nullptr) return false;
    if (perm_of(*back, 4) != heads_first) return false;
    found.value = value->value;
    found.nodes.insert(found.nodes.end(), {product, back});
    return true;
  }
  Node* product = user_of(weights, "Einsum");
  const auto equation = product != nullptr ? equation_of(*product) : std::nullopt;
  if (!equation || product->inputs().size() != 2) return false;
  const std::string& from = equation->first;
  const char size = equation->second.back();
  if (from.find(size) != std::string::npos) return false;
  if (equation->second != std::string{from[0], from[3], from[1], size}) return false;
  if (equation->result != std::string{from[0], from[2], from[1], size}) return false;
  found.value = product->input(1);
  found.nodes.push_back(product);
  return true;
}

// Where no axis is written, it depends on the opset which one is meant: exporters write it.
bool is_along_keys(const Node& softmax) {
  const std::int64_t axis = softmax.int_or("axis", 1);
  return axis == -1 || axis == 3;
}

}  // namespace

std::optional<AttentionMatch> match_attention(Node& softmax) {
  if (!softmax.is("Softmax") || !is_along_keys(softmax)) return std::nullopt;
  auto found = match_masked_scores(softmax.input(0));
  if (!found) return std::nullopt;
  found->nodes.push_back(&softmax);
  if (!match_context(*softmax.output(0), *found)) return std::nullopt;
  return found;
}

}  // namespace hone
