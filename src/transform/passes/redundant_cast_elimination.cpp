//   Before:  a -> Cast(to = type of a) -> b        a(float) -> Cast(double) -> Cast(float) -> b
//   After:   a -> b                                a -> b
//   Declines when the type of a is not known, and when the first Cast of a pair loses something.
#include "transform/pass.h"

namespace hone::passes {
namespace {

ElementType target_of(const Node& cast) { return static_cast<ElementType>(cast.int_or("to", 0)); }

// Whether every value of `from` survives the way to `to` and back.
bool keeps_all_values(ElementType from, ElementType to) {
  using enum ElementType;
  switch (from) {
    case boolean:
      return to != string && to != undefined;
    case float16:
    case bfloat16:
      return to == float32 || to == float64;
    case float32:
      return to == float64;
    case int8:
      return to == int16 || to == int32 || to == int64 || to == float32 || to == float64;
    case uint8:
      return to == uint16 || to == int16 || to == int32 || to == int64 || to == float32 ||
             to == float64;
    case int16:
      return to == int32 || to == int64 || to == float32 || to == float64;
    case int32:
      return to == int64 || to == float64;
    default:
      return false;
  }
}

// The value itself when the Cast changes nothing.
Value* unchanged_input(Rewriter& rewriter, const Node& cast) {
  Value* input = cast.input(0);
  if (!input->type.is_tensor() || input->type.element == ElementType::undefined) {
    rewriter.decline(cast, "the type of its input is not known");
    return nullptr;
  }
  if (input->type.element == target_of(cast)) return input;
  const Node* before = producer_of(input, "Cast");
  if (before == nullptr || !before->input(0)->type.is_tensor()) return nullptr;
  Value* origin = before->input(0);
  if (origin->type.element != target_of(cast)) return nullptr;
  if (keeps_all_values(origin->type.element, target_of(*before))) return origin;
  rewriter.decline(cast, "the Cast before it loses something");
  return nullptr;
}

Status run(Rewriter& rewriter) {
  for (Node* cast : rewriter.nodes("Cast")) {
    if (cast->is_removed() || cast->input(0) == nullptr) continue;
    if (Value* input = unchanged_input(rewriter, *cast)) rewriter.replace(*cast->output(0), *input);
  }
  return done();
}

}  // namespace

Pass redundant_cast_elimination() {
  return {.name = "redundant-cast-elimination",
          .summary = "Remove Casts that change nothing, alone and in pairs",
          .category = "elimination",
          .numerics = Numerics::bitwise,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
