// Operators that move dimensions about, and those that compute with shapes.

#include <algorithm>
#include <array>

#include "runtime/dim_rules.h"

namespace hone {
namespace {

constexpr std::size_t no_input = 99;

void pass_numbers(DimTracer& tracer, const Node& node) {
  if (const ShapeNumbers* numbers = tracer.numbers(node.input(0)))
    tracer.set_numbers(node.output(0), *numbers);
}

void transpose(DimTracer& tracer, const Node& node) {
  const DimIds* in = tracer.shape(node.input(0));
  if (in == nullptr) return;
  const auto order = ints_of(node, "perm", no_input);
  DimIds out(in->rbegin(), in->rend());
  for (std::size_t i = 0; order && i < out.size() && i < order->size(); ++i) {
    const auto place = place_of((*order)[i], in->size());
    if (!place) return;
    out[i] = (*in)[*place];
  }
  tracer.set_shape(node.output(0), std::move(out));
}

void unsqueeze(DimTracer& tracer, const Node& node) {
  pass_numbers(tracer, node);
  const DimIds* in = tracer.shape(node.input(0));
  const auto axes = ints_of(node, "axes", 1);
  if (in == nullptr || !axes) return;
  const std::size_t rank = in->size() + axes->size();
  std::vector<bool> is_new(rank);
  for (const std::int64_t axis : *axes) {
    const auto place = place_of(axis, rank);
    if (!place || is_new[*place]) return;
    is_new[*place] = true;
  }
  DimIds out;
  auto next = in->begin();
  for (const bool adds : is_new) out.push_back(adds ? tracer.system.known(1) : *next++);
  tracer.set_shape(node.output(0), std::move(out));
}

void squeeze(DimTracer& tracer, const Node& node) {
  pass_numbers(tracer, node);
  const DimIds* in = tracer.shape(node.input(0));
  const auto axes = ints_of(node, "axes", 1);
  if (in == nullptr || !axes) return;
  DimIds out;
  for (std::size_t i = 0; i < in->size(); ++i) {
    const bool goes = std::ranges::any_of(
        *axes, [&](std::int64_t axis) { return place_of(axis, in->size()) == i; });
    if (goes) tracer.system.equate((*in)[i], tracer.system.known(1));
    if (!goes) out.push_back((*in)[i]);
  }
  tracer.set_shape(node.output(0), std::move(out));
}

// As many elements on both sides; what stands on both is left out, so that one unknown is enough.
void tie_products(DimTracer& tracer, DimIds in, DimIds out) {
  std::erase_if(in, [&](DimSystem::Id dim) {
    const auto twin = std::ranges::find_if(
        out, [&](DimSystem::Id other) { return tracer.system.are_one(dim, other); });
    if (twin == out.end()) return false;
    out.erase(twin);
    return true;
  });
  const DimSystem::Id total = tracer.system.open();
  tracer.system.add_product(total, std::move(in));
  tracer.system.add_product(total, std::move(out));
}

void reshape(DimTracer& tracer, const Node& node) {
  pass_numbers(tracer, node);
  const DimIds* in = tracer.shape(node.input(0));
  const ShapeNumbers* wanted = tracer.numbers(node.input(1));
  if (wanted == nullptr) return;
  DimIds out;
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    const auto& [dim, literal] = (*wanted)[i];
    const bool keeps = literal == 0 && node.int_or("allowzero", 0) == 0;
    if (keeps && (in == nullptr || i >= in->size())) return;
    if (keeps) {
      out.push_back((*in)[i]);
    } else {
      out.push_back(literal == -1 ? tracer.system.open() : dim);
    }
  }
  if (in != nullptr) tie_products(tracer, *in, out);
  tracer.set_shape(node.output(0), std::move(out));
}

void flatten(DimTracer& tracer, const Node& node) {
  const DimIds* in = tracer.shape(node.input(0));
  if (in == nullptr) return;
  const std::int64_t axis = node.int_or("axis", 1);
  const auto rank = static_cast<std::int64_t>(in->size());
  if (axis < -rank || axis > rank) return;
  const auto middle = in->begin() + (axis < 0 ? axis + rank : axis);
  const auto fold = [&](auto first, auto last) {
    if (last - first == 1) return *first;
    const DimSystem::Id dim = tracer.system.open();
    tracer.system.add_product(dim, DimIds(first, last));
    return dim;
  };
  tracer.set_shape(node.output(0), {fold(in->begin(), middle), fold(middle, in->end())});
}

void join_numbers(DimTracer& tracer, const Node& node) {
  ShapeNumbers all;
  for (const Value* input : node.inputs()) {
    const ShapeNumbers* numbers = tracer.numbers(input);
    if (numbers == nullptr) return;
    all.insert(all.end(), numbers->begin(), numbers->end());
  }
  tracer.set_numbers(node.output(0), std::move(all));
}

void concat(DimTracer& tracer, const Node& node) {
  join_numbers(tracer, node);
  DimIds joined;
  DimIds out;
  std::optional<std::size_t> axis;
  for (const Value* input : node.inputs()) {
    const DimIds* in = tracer.shape(input);
    if (in == nullptr) return;
    if (!axis) {
      axis = place_of(node.int_or("axis", 0), in->size());
      out = *in;
    }
    if (!axis || in->size() != out.size()) return;
    for (std::size_t i = 0; i < in->size(); ++i) {
      if (i != *axis) tracer.system.equate(out[i], (*in)[i]);
    }
    joined.push_back((*in)[*axis]);
  }
  if (!axis) return;
  out[*axis] = tracer.system.open();
  tracer.system.add_sum(out[*axis], std::move(joined));
  tracer.set_shape(node.output(0), std::move(out));
}

void split_evenly(DimTracer& tracer, const Node& node) {
  const DimIds* in = tracer.shape(node.input(0));
  const auto axis = in != nullptr ? place_of(node.int_or("axis", 0), in->size()) : std::nullopt;
  if (!axis) return;
  const auto sizes = ints_of(node, "split", 1);
  DimIds parts;
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    DimIds out = *in;
    out[*axis] =
        sizes && i < sizes->size() ? tracer.system.known((*sizes)[i]) : tracer.system.open();
    const auto count = static_cast<std::int64_t>(node.outputs().size());
    if (!sizes) tracer.system.add_scale(out[*axis], (*in)[*axis], 1, count);
    parts.push_back(out[*axis]);
    tracer.set_shape(node.output(i), std::move(out));
  }
  tracer.system.add_sum((*in)[*axis], std::move(parts));
}

// Where a slice of so many begins and ends.
struct Range {
  std::int64_t first;
  std::int64_t last;
};

Range range_in(std::int64_t start, std::int64_t end, std::size_t count) {
  const auto size = static_cast<std::int64_t>(count);
  const auto bound = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
  };
  return {bound(start), std::max(bound(start), bound(end))};
}

// What a Slice cuts, axis by axis; nothing where that is computed.
struct Cut {
  std::vector<std::int64_t> starts, ends, axes;
};

std::optional<Cut> cut_of(const Node& node) {
  const auto starts = ints_of(node, "starts", 1);
  const auto ends = ints_of(node, "ends", 2);
  const auto steps = ints_of(node, "steps", 4);
  auto axes = ints_of(node, "axes", 3);
  const bool is_computed = node.input(3) != nullptr && !axes;
  const bool goes_by_one =
      !steps || std::ranges::all_of(*steps, [](std::int64_t step) { return step == 1; });
  if (!starts || !ends || starts->size() != ends->size() || is_computed || !goes_by_one) return {};
  if (!axes) {
    axes.emplace();
    for (std::size_t i = 0; i < starts->size(); ++i) axes->push_back(static_cast<std::int64_t>(i));
  }
  if (axes->size() != starts->size()) return {};
  return Cut{*starts, *ends, *std::move(axes)};
}

void slice(DimTracer& tracer, const Node& node) {
  const std::optional<Cut> cut = cut_of(node);
  const ShapeNumbers* numbers = tracer.numbers(node.input(0));
  if (numbers != nullptr && cut && cut->starts.size() == 1) {
    const auto [first, last] = range_in(cut->starts[0], cut->ends[0], numbers->size());
    tracer.set_numbers(node.output(0),
                       ShapeNumbers(numbers->begin() + first, numbers->begin() + last));
  }
  const DimIds* in = tracer.shape(node.input(0));
  if (in == nullptr) return;
  DimIds out = cut ? *in : DimIds();
  while (out.size() < in->size()) out.push_back(tracer.system.open());
  for (std::size_t i = 0; cut && i < cut->axes.size(); ++i) {
    const auto place = place_of(cut->axes[i], in->size());
    if (!place) return;
    const auto size = tracer.system.size((*in)[*place]);
    constexpr std::int64_t to_the_end = 1 << 30;
    if (cut->starts[i] == 0 && cut->ends[i] >= to_the_end) continue;
    out[*place] = tracer.system.open();
    if (!size) continue;
    const auto [first, last] =
        range_in(cut->starts[i], cut->ends[i], static_cast<std::size_t>(*size));
    out[*place] = tracer.system.known(last - first);
  }
  tracer.set_shape(node.output(0), std::move(out));
}

void gather(DimTracer& tracer, const Node& node) {
  const ShapeNumbers* numbers = tracer.numbers(node.input(0));
  const auto picked = ints_of(node, "", 1);
  if (numbers != nullptr && picked) {
    ShapeNumbers out;
    for (const std::int64_t index : *picked) {
      const auto place = place_of(index, numbers->size());
      if (place) out.push_back((*numbers)[*place]);
    }
    if (out.size() == picked->size()) tracer.set_numbers(node.output(0), std::move(out));
  }
  const DimIds* in = tracer.shape(node.input(0));
  const DimIds* indices = tracer.shape(node.input(1));
  const auto axis = in != nullptr ? place_of(node.int_or("axis", 0), in->size()) : std::nullopt;
  if (!axis || indices == nullptr) return;
  DimIds out(in->begin(), in->begin() + static_cast<std::ptrdiff_t>(*axis));
  out.insert(out.end(), indices->begin(), indices->end());
  out.insert(out.end(), in->begin() + static_cast<std::ptrdiff_t>(*axis) + 1, in->end());
  tracer.set_shape(node.output(0), std::move(out));
}

void pad(DimTracer& tracer, const Node& node) {
  const DimIds* in = tracer.shape(node.input(0));
  const auto pads = ints_of(node, "pads", 1);
  if (in == nullptr) return;
  const bool is_whole = pads && pads->size() == 2 * in->size() && node.input(3) == nullptr;
  DimIds out;
  for (std::size_t i = 0; i < in->size(); ++i) {
    const std::int64_t more = is_whole ? (*pads)[i] + (*pads)[i + in->size()] : -1;
    out.push_back(more == 0 ? (*in)[i] : tracer.system.open());
    if (is_whole && more != 0) tracer.system.add_sum(out.back(), {(*in)[i]}, more);
  }
  tracer.set_shape(node.output(0), std::move(out));
}

void expand(DimTracer& tracer, const Node& node) {
  const DimIds* in = tracer.shape(node.input(0));
  const ShapeNumbers* wanted = tracer.numbers(node.input(1));
  if (in == nullptr || wanted == nullptr) return;
  DimIds target;
  for (const auto& [dim, literal] : *wanted) target.push_back(dim);
  tracer.set_shape(node.output(0), broadcast(tracer, *in, target));
}

void reduce(DimTracer& tracer, const Node& node) {
  const DimIds* in = tracer.shape(node.input(0));
  const auto axes = ints_of(node, "axes", 1);
  if (in == nullptr || !axes) return;
  const bool keeps = node.int_or("keepdims", 1) != 0;
  DimIds out;
  for (std::size_t i = 0; i < in->size(); ++i) {
    const bool is_reduced = std::ranges::any_of(
        *axes, [&](std::int64_t axis) { return place_of(axis, in->size()) == i; });
    if (!is_reduced) out.push_back((*in)[i]);
    if (is_reduced && keeps) out.push_back(tracer.system.known(1));
  }
  tracer.set_shape(node.output(0), std::move(out));
}

void take_shape(DimTracer& tracer, const Node& node) {
  const DimIds* in = tracer.shape(node.input(0));
  if (in == nullptr) return;
  const auto [first, last] =
      range_in(node.int_or("start", 0), node.int_or("end", 1 << 30), in->size());
  ShapeNumbers numbers;
  for (auto i = first; i < last; ++i) numbers.push_back({(*in)[static_cast<std::size_t>(i)]});
  tracer.set_shape(node.output(0), {tracer.system.known(last - first)});
  tracer.set_numbers(node.output(0), std::move(numbers));
}

void fill_shape(DimTracer& tracer, const Node& node) {
  const ShapeNumbers* wanted = tracer.numbers(node.input(0));
  if (wanted == nullptr) return;
  DimIds out;
  for (const auto& [dim, literal] : *wanted) out.push_back(dim);
  tracer.set_shape(node.output(0), std::move(out));
}

// a op b, one number at a time.
DimSystem::Id compute(DimSystem& system, std::string_view op, const ShapeNumber& a,
                      const ShapeNumber& b) {
  const DimSystem::Id out = system.open();
  if (op == "Add") system.add_sum(out, {a.dim, b.dim});
  if (op == "Sub") system.add_sum(a.dim, {out, b.dim});
  if (op == "Mul") system.add_product(out, {a.dim, b.dim});
  if (op == "Div" && b.literal) system.add_scale(out, a.dim, 1, *b.literal);
  return out;
}

void arithmetic(DimTracer& tracer, const Node& node) {
  const DimIds* left = tracer.shape(node.input(0));
  const DimIds* right = tracer.shape(node.input(1));
  if (left != nullptr && right != nullptr)
    tracer.set_shape(node.output(0), broadcast(tracer, *left, *right));
  const ShapeNumbers* a = tracer.numbers(node.input(0));
  const ShapeNumbers* b = tracer.numbers(node.input(1));
  if (a == nullptr || b == nullptr || a->empty() || b->empty()) return;
  const std::size_t count = std::max(a->size(), b->size());
  if ((a->size() != count && a->size() != 1) || (b->size() != count && b->size() != 1)) return;
  ShapeNumbers out;
  for (std::size_t i = 0; i < count; ++i) {
    const ShapeNumber& first = (*a)[a->size() == 1 ? 0 : i];
    const ShapeNumber& second = (*b)[b->size() == 1 ? 0 : i];
    out.push_back({compute(tracer.system, node.op_type, first, second)});
  }
  tracer.set_numbers(node.output(0), std::move(out));
}

// Resize and Upsample: whole factors only, which is what networks have.
void resize(DimTracer& tracer, const Node& node) {
  const DimIds* in = tracer.shape(node.input(0));
  if (in == nullptr) return;
  const ShapeNumbers* sizes = tracer.numbers(node.input(3));
  const Value* scale_input = node.is("Upsample") ? node.input(1) : node.input(2);
  const TensorPtr scales = scale_input != nullptr ? scale_input->constant() : nullptr;
  std::vector<double> factors;
  if (scales && scales->dims.size() == 1) factors = to_doubles(*scales).value_or({});
  DimIds out;
  for (std::size_t i = 0; i < in->size(); ++i) {
    out.push_back(sizes != nullptr && i < sizes->size() ? (*sizes)[i].dim : tracer.system.open());
    if (sizes != nullptr || i >= factors.size()) continue;
    const double factor = factors[i];
    const auto whole = factor >= 1 && factor < 1024 ? static_cast<std::int64_t>(factor) : 0;
    if (static_cast<double>(whole) == factor) tracer.system.add_scale(out[i], (*in)[i], whole, 1);
  }
  tracer.set_shape(node.output(0), std::move(out));
}

constexpr auto rules = std::to_array<DimRuleRow>({
    {"Add", arithmetic},         {"Concat", concat},     {"ConstantOfShape", fill_shape},
    {"Div", arithmetic},         {"Expand", expand},     {"Flatten", flatten},
    {"Gather", gather},          {"Mul", arithmetic},    {"Pad", pad},
    {"ReduceL2", reduce},        {"ReduceMax", reduce},  {"ReduceMean", reduce},
    {"ReduceMin", reduce},       {"ReduceProd", reduce}, {"ReduceSum", reduce},
    {"ReduceSumSquare", reduce}, {"Reshape", reshape},   {"Resize", resize},
    {"Shape", take_shape},       {"Slice", slice},       {"Split", split_evenly},
    {"Squeeze", squeeze},        {"Sub", arithmetic},    {"Transpose", transpose},
    {"Unsqueeze", unsqueeze},    {"Upsample", resize},
});

}  // namespace

DimRule find_layout_rule(std::string_view op) {
  const auto row = std::ranges::find(rules, op, &DimRuleRow::op);
  return row != rules.end() ? row->rule : nullptr;
}

}  // namespace hone
