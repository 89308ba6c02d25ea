// Of Net: what changes the shape of things, and what counts.

#include "checkpoint/net.h"

namespace hone {

Value* Net::softmax(Value* x, std::int64_t axis) { return op("Softmax", {x}, {{"axis", axis}}); }

Value* Net::cast(Value* x, ElementType type) {
  return op("Cast", {x}, {{"to", static_cast<std::int64_t>(type)}});
}

Value* Net::reshape(Value* x, const std::vector<std::int64_t>& dims) {
  return op("Reshape", {x, wholes(dims)});
}

Value* Net::reshape(Value* x, Value* dims) { return op("Reshape", {x, dims}); }

Value* Net::transpose(Value* x, std::vector<std::int64_t> order) {
  return op("Transpose", {x}, {{"perm", std::move(order)}});
}

Value* Net::unsqueeze(Value* x, const std::vector<std::int64_t>& axes) {
  return op("Unsqueeze", {x, wholes(axes)});
}

Value* Net::squeeze(Value* x, const std::vector<std::int64_t>& axes) {
  return op("Squeeze", {x, wholes(axes)});
}

Value* Net::concat(const std::vector<Value*>& parts, std::int64_t axis) {
  return parts.size() == 1 ? parts.front() : op("Concat", parts, {{"axis", axis}});
}

std::vector<Value*> Net::split(Value* x, const std::vector<std::int64_t>& sizes,
                               std::int64_t axis) {
  return ops("Split", {x, wholes(sizes)}, sizes.size(), {{"axis", axis}});
}

Value* Net::slice(Value* x, std::int64_t axis, std::int64_t begin, std::int64_t end,
                  std::int64_t step) {
  std::vector<Value*> inputs = {x, wholes({begin}), wholes({end}), wholes({axis})};
  if (step != 1) inputs.push_back(wholes({step}));
  return op("Slice", inputs);
}

Value* Net::slice(Value* x, std::int64_t axis, Value* begin, Value* end) {
  return op("Slice", {x, begin, end, wholes({axis})});
}

Value* Net::gather(Value* x, Value* indices, std::int64_t axis) {
  return op("Gather", {x, indices}, {{"axis", axis}});
}

Value* Net::pick(Value* x, std::int64_t axis, std::int64_t index) {
  return gather(x, whole(index), axis);
}

Value* Net::expand(Value* x, Value* dims) { return op("Expand", {x, dims}); }

Value* Net::shape_of(Value* x) { return op("Shape", {x}); }

Value* Net::size_of(Value* x, std::int64_t axis) {
  Attributes only = {{"start", axis}};
  if (axis != -1) only.emplace_back("end", axis + 1);
  return op("Shape", {x}, std::move(only));
}

Value* Net::dims(const std::vector<std::variant<std::int64_t, Value*>>& parts) {
  std::vector<Value*> lists;
  std::vector<std::int64_t> pending;
  const auto flush = [&] {
    if (!pending.empty()) lists.push_back(wholes(pending));
    pending.clear();
  };
  for (const auto& part : parts) {
    if (const auto* size = std::get_if<std::int64_t>(&part)) {
      pending.push_back(*size);
    } else {
      flush();
      lists.push_back(std::get<Value*>(part));
    }
  }
  flush();
  return concat(lists, 0);
}

Value* Net::range(Value* begin, Value* end) { return op("Range", {begin, end, whole(1)}); }

Value* Net::count_up(Value* size) { return range(whole(0), squeeze(size, {0})); }

// Their axes became an input in opset 18, those of ReduceSum in 13.
Value* Net::reduce(std::string_view type, Value* x, const std::vector<std::int64_t>& axes,
                   bool keeps) {
  Attributes attributes = {{"keepdims", keeps}};
  if (options_.opset >= 18 || type == "ReduceSum") {
    return op(type, {x, wholes(axes)}, attributes);
  }
  attributes.emplace_back("axes", axes);
  return op(type, {x}, attributes);
}

Value* Net::mean(Value* x, const std::vector<std::int64_t>& axes, bool keeps) {
  return reduce("ReduceMean", x, axes, keeps);
}

Value* Net::sum(Value* x, const std::vector<std::int64_t>& axes, bool keeps) {
  return reduce("ReduceSum", x, axes, keeps);
}

Value* Net::maximum(Value* x, const std::vector<std::int64_t>& axes, bool keeps) {
  return reduce("ReduceMax", x, axes, keeps);
}

Value* Net::pad(Value* x, const std::vector<std::int64_t>& before,
                const std::vector<std::int64_t>& after) {
  std::vector<std::int64_t> pads = before;
  pads.insert(pads.end(), after.begin(), after.end());
  return op("Pad", {x, wholes(pads), real(0)});
}

Value* Net::l2_normalize(Value* x, std::int64_t axis, double epsilon) {
  Value* length = reduce("ReduceL2", x, {axis}, true);
  if (epsilon > 0) length = op("Max", {length, real(epsilon)});
  return div(x, length);
}

Value* Net::resize(Value* x, Value* height_width, Interpolation how, bool align_corners) {
  Value* sizes = concat({op("Shape", {x}, {{"end", 2}}), height_width}, 0);
  Attributes attributes;
  std::string corners = align_corners ? "align_corners" : "half_pixel";
  switch (how) {
    case Interpolation::nearest:
      corners = "asymmetric";
      attributes.emplace_back("mode", "nearest");
      attributes.emplace_back("nearest_mode", "floor");
      break;
    case Interpolation::bilinear:
      attributes.emplace_back("mode", "linear");
      break;
    case Interpolation::bicubic:
      attributes.emplace_back("mode", "cubic");
      attributes.emplace_back("cubic_coeff_a", -0.75F);
      break;
  }
  attributes.emplace_back("coordinate_transformation_mode", corners);
  return op("Resize", {x, nullptr, nullptr, sizes}, attributes);
}

}  // namespace hone
