//   Before:  x -> Softmax -> p;  Where(IsNaN(p), 0, p) -> y
//   After:   x -> Softmax -> y
//   Relaxed: a row that is masked as a whole is NaN now, where it was 0. With finite masks
//            (clamp-constant-values) there is none.
//   Declines when the guard puts in anything but 0.
#include "transform/pass.h"

namespace hone::passes {
namespace {

// Zero in a shape that does not widen what it stands beside.
bool is_zero(const Value& value, const Value& beside) {
  const auto rank = rank_of(&value);
  if (scalar_of(&value) != 0 || !rank) return false;
  return value.constant()->element_count() == 1 && *rank <= rank_of(&beside).value_or(1);
}

Status run(Rewriter& rewriter) {
  for (Node* where : rewriter.nodes("Where")) {
    const Node* test = where->is_removed() ? nullptr : producer_of(where->input(0), "IsNaN");
    Value* probabilities = where->input(2);
    if (test == nullptr || test->input(0) != probabilities) continue;
    if (producer_of(probabilities, "Softmax") == nullptr || where->input(1) == nullptr) continue;
    if (!is_zero(*where->input(1), *probabilities)) {
      rewriter.decline(*where, "what it puts in the place of NaN is not 0");
      continue;
    }
    rewriter.replace(*where->output(0), *probabilities);
  }
  return done();
}

}  // namespace

Pass remove_isnan_in_attention_mask() {
  return {.name = "remove-isnan-in-attention-mask",
          .summary = "Remove the guard against NaN behind a Softmax",
          .category = "surgery",
          .numerics = Numerics::relaxed,
          .run = run};
}

}  // namespace hone::passes
