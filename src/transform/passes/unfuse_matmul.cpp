//   Before:  com.microsoft.FusedMatMul(a, b) <alpha, transA, transB> -> y
//   After:   Transpose(a), Transpose(b) -> MatMul -> Mul(alpha) -> y
//   Declines transposed batches, and an operand to transpose whose rank is not known.
#include <numeric>

#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) { return is_microsoft(node, "FusedMatMul"); }

bool has_rows(const Value* value) { return rank_of(value).value_or(0) >= 2; }

// With its last two axes exchanged. REQUIRES that it has rows.
Value& exchanged(Rewriter& rewriter, const Node& position, Value& value) {
  const std::size_t rank = *rank_of(&value);
  Attribute::Ints perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[rank - 2], perm[rank - 1]);
  return rewriter.add_transpose(position, value, perm);
}

void unfuse(Rewriter& rewriter, Node& whole) {
  if (whole.int_or("transBatchA", 0) != 0 || whole.int_or("transBatchB", 0) != 0)
    return rewriter.decline(whole, "it exchanges batches");
  if (const std::string why = no_numbers(whole); !why.empty()) return rewriter.decline(whole, why);
  Value* a = whole.input(0);
  Value* b = whole.input(1);
  if (b == nullptr) return;
  const bool turns_a = whole.int_or("transA", 0) != 0;
  const bool turns_b = whole.int_or("transB", 0) != 0;
  if ((turns_a && !has_rows(a)) || (turns_b && !has_rows(b)))
    return rewriter.decline(whole, "how many axes it exchanges is not known");
  if (turns_a) a = &exchanged(rewriter, whole, *a);
  if (turns_b) b = &exchanged(rewriter, whole, *b);
  Parts parts(rewriter, whole);
  Value& made = parts.op("MatMul", {a, b});
  const float alpha = whole.float_or("alpha", 1);
  parts.become(alpha == 1 ? made : parts.product(made, static_cast<double>(alpha)));
}

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) unfuse(rewriter, *whole);
  return done();
}

}  // namespace

Pass unfuse_matmul() {
  return unfusing("unfuse-matmul", "Write FusedMatMul as Transpose, MatMul and Mul", run);
}

}  // namespace hone::passes
