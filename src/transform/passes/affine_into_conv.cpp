//   Before:  x -> Mul(s) -> Add(t) -> Conv(W, b)      (also Sub, Div and ConvTranspose; s, t: one
//            number, or one per channel)
//   After:   x -> Conv(W * s, b + sum(W * t))
//            x -> Add(t / s) -> Conv(W * s, b)        where the Conv pads: a zero that is padded is
//                                                     scaled like any number, but shifted it is not
//   Declines when the weights are no constants, when somebody else uses what lies between, when x
//   may be broadcast, when an Add alone stands before padding, and when a weight would leave its
//   type's range.
#include <algorithm>

#include "transform/linear.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

bool has_padding(const Node& conv) {
  const std::string automatic = conv.string_or("auto_pad", "NOTSET");
  if (automatic != "NOTSET") return automatic != "VALID";
  const Attribute* pads = conv.attribute("pads");
  if (pads == nullptr) return false;
  return pads->as_ints() == nullptr ||
         std::ranges::any_of(*pads->as_ints(), [](std::int64_t pad) { return pad != 0; });
}

// A transposed convolution adds fewer products at its border than inside, so a constant before it
// is none behind it.
bool spreads_offsets(const Node& conv) { return conv.is("Conv") && !has_padding(conv); }

// t / s for each channel, as a constant that can be added to the input.
TensorPtr shift_before_scale(const Linear& conv, const Affine& affine) {
  std::vector<double> shift(affine.scale.size());
  for (std::size_t i = 0; i < shift.size(); ++i) shift[i] = affine.offset[i] / affine.scale[i];
  std::vector<std::int64_t> dims(conv.in.behind + 1, 1);
  const bool is_one_number =
      std::ranges::all_of(shift, [&](double number) { return number == shift.front(); });
  if (is_one_number) shift.resize(1);
  dims.front() = static_cast<std::int64_t>(shift.size());
  return encode(conv.node->input(0)->name() + "_shift", conv.weight->constant()->type, dims, shift);
}

// The Mul goes into the weights and leaves an Add before the padding.
void fold_scale(Rewriter& rewriter, const Linear& conv, Value& x, const Affine& affine) {
  const bool has_zero =
      std::ranges::any_of(affine.scale, [](double number) { return number == 0; });
  const TensorPtr shift = has_zero ? nullptr : shift_before_scale(conv, affine);
  const Folded folded =
      fold_before(conv, {affine.scale, std::vector<double>(affine.scale.size(), 0)});
  if (!shift || !folded.is_valid) return rewriter.decline(*conv.node, out_of_range);
  apply(rewriter, conv, folded);
  Value& constant = rewriter.add_constant(*conv.node, shift);
  Value& shifted =
      rewriter.add(*conv.node, {.op = "Add", .inputs = {&x, &constant}, .type = x.type});
  conv.node->set_input(0, &shifted);
  rewriter.changed(*conv.node);
}

void fold(Rewriter& rewriter, const Linear& conv) {
  const auto steps = steps_before(*conv.node->input(0), *conv.node, conv.in);
  if (steps.empty()) return;
  if (!rewriter.has_opset(*conv.node, "Broadcasting by shape", 7)) return;
  Affine all = Affine::identity(conv.in.count);
  for (const AffineStep& step : steps) all = compose(step.affine, all);
  Value& x = *steps.back().input;
  if (!all.has_offset() || spreads_offsets(*conv.node)) {
    const Folded folded = fold_before(conv, all);
    if (!folded.is_valid) return rewriter.decline(*conv.node, out_of_range);
    apply(rewriter, conv, folded);
    conv.node->set_input(0, &x);
    return rewriter.changed(*conv.node);
  }
  if (steps.size() > 1) return fold_scale(rewriter, conv, x, all);
  rewriter.decline(*steps.front().node,
                   "the Conv behind it pads, and what is padded is not shifted");
}

Status run(Rewriter& rewriter) {
  for (Node* node : rewriter.nodes()) {
    if (node->is_removed() || !(node->is("Conv") || node->is("ConvTranspose"))) continue;
    const auto conv = linear_of(*node);
    if (conv && node->input(0) != nullptr) fold(rewriter, *conv);
  }
  return done();
}

}  // namespace

Pass affine_into_conv() {
  return {.name = "affine-into-conv",
          .summary = "Fold constant Mul and Add before a Conv into its weights",
          .category = "convolution",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
