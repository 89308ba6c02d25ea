#include "transform/quantize/scales.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

const TensorOverride& override_for(const TensorPlan& tensor, const QuantizeSettings& settings) {
  static const TensorOverride none;
  const auto found = settings.overrides.find(tensor.value->name());
  return found != settings.overrides.end() ? found->second : none;
}

bool needs_measuring(const TensorPlan& tensor, const QuantizeSettings& settings) {
  const TensorOverride& chosen = override_for(tensor, settings);
  return !tensor.constant && tensor.shares == nullptr && !tensor.fixed_range && !chosen.range &&
         chosen.scales.empty();
}

bool is_signed(ElementType type) { return full_range(type).low < 0; }

ScaleRules rules_for(const TensorPlan& tensor, const QuantizeSettings& settings) {
  const TensorOverride& chosen = override_for(tensor, settings);
  const ElementType usual = tensor.is_weight ? settings.weight_type : settings.activation_type;
  ScaleRules rules;
  rules.type = chosen.type.value_or(usual);
  // Integer kernels want one zero point for all channels, which only the middle can be.
  const bool is_symmetric =
      tensor.axis.has_value() || (tensor.is_weight ? is_signed(rules.type) : settings.symmetric);
  rules.symmetric = chosen.symmetric.value_or(is_symmetric);
  rules.reduced = chosen.reduced_range.value_or(false);
  rules.least_width = settings.preset.least_range;
  rules.real = tensor.constant ? tensor.constant->type : tensor.value->type.element;
  return rules;
}

Result<std::vector<RealRange>> ranges_for(const TensorPlan& tensor,
                                          const QuantizeSettings& settings,
                                          const Ranges& measured) {
  const TensorOverride& chosen = override_for(tensor, settings);
  if (chosen.range) return std::vector{*chosen.range};
  if (tensor.constant) return ranges_of(*tensor.constant, tensor.axis);
  if (tensor.fixed_range) return std::vector{*tensor.fixed_range};
  return std::vector{measured.at(tensor.measured_at)};
}

std::size_t channels_of(const TensorPlan& tensor) {
  return tensor.axis ? static_cast<std::size_t>(tensor.constant->dims[*tensor.axis]) : 1;
}

Status check_override(const TensorPlan& tensor, const ScaleRules& rules,
                      const TensorOverride& chosen) {
  const QuantizedRange range = full_range(rules.type);
  if (chosen.scales.size() > 1 && chosen.scales.size() != channels_of(tensor)) {
    return fail(Fault::bad_input, "the override of '" + tensor.value->name() + "' has " +
                                      std::to_string(chosen.scales.size()) + " scales for " +
                                      std::to_string(channels_of(tensor)) + " channels");
  }
  for (const Scale& scale : chosen.scales) {
    if (scale.zero_point >= range.low && scale.zero_point <= range.high) continue;
    return fail(Fault::bad_input, "the override of '" + tensor.value->name() +
                                      "' has the zero point " + std::to_string(scale.zero_point) +
                                      ", which " + name_of(rules.type) + " cannot hold");
  }
  return done();
}

Result<TensorScales> scales_for(const TensorPlan& tensor, const QuantizeSettings& settings,
                                const Ranges& measured) {
  const TensorOverride& chosen = override_for(tensor, settings);
  const ScaleRules rules = rules_for(tensor, settings);
  HONE_TRY_DO(check_override(tensor, rules, chosen));
  std::vector<Scale> pairs = chosen.scales;
  if (pairs.empty()) {
    HONE_TRY(const std::vector<RealRange> ranges, ranges_for(tensor, settings, measured));
    for (const RealRange& range : ranges) pairs.push_back(scale_for(range, rules));
  }
  // One scale given for a tensor with channels is that of each.
  if (pairs.size() == 1) pairs.resize(channels_of(tensor), Scale(pairs.front()));
  TensorScales scales{.type = rules.type, .scales = {}, .zero_points = {}, .axis = tensor.axis};
  for (const Scale& pair : pairs) {
    scales.scales.push_back(pair.scale);
    scales.zero_points.push_back(pair.zero_point);
  }
  return scales;
}

// The largest magnitude a channel's scale has to carry: of its own element where there is one for
// each channel, else of all.
Result<std::vector<double>> magnitudes_of(const Tensor& bias, std::size_t channels) {
  HONE_TRY(std::vector<double> values, to_doubles(bias));
  for (double& value : values) value = std::abs(value);
  if (values.size() == channels && channels > 1) return values;
  const auto largest = std::ranges::max_element(values);
  return std::vector(channels, largest != values.end() ? *largest : 0.0);
}

Status make_room(const BiasPlan& bias, ScaleMap& scales) {
  const auto input = scales.find(bias.input);
  const auto weight = scales.find(bias.weight);
  if (input == scales.end() || weight == scales.end()) return done();
  TensorScales& wide = weight->second;
  const bool is_symmetric =
      is_signed(wide.type) &&
      std::ranges::all_of(wide.zero_points, [](std::int32_t zero) { return zero == 0; });
  if (!is_symmetric || !bias.is_weight_constant) return done();
  HONE_TRY(const auto magnitudes, magnitudes_of(*bias.constant, wide.scales.size()));
  for (std::size_t i = 0; i < wide.scales.size(); ++i) {
    wide.scales[i] = widen_for_bias(wide.scales[i], input->second.scales.front(), magnitudes[i]);
  }
  return done();
}

// A tensor may share the scale of one that shares it itself.
void share_scales(const QuantizePlan& plan, ScaleMap& scales) {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const TensorPlan& tensor : plan.tensors) {
      if (tensor.shares == nullptr || scales.contains(tensor.value)) continue;
      const auto source = scales.find(tensor.shares);
      if (source == scales.end()) continue;
      scales.emplace(tensor.value, TensorScales(source->second));
      has_changed = true;
    }
  }
}

}  // namespace

std::vector<std::string> tensors_to_measure(const QuantizePlan& plan,
                                            const QuantizeSettings& settings) {
  std::vector<std::string> names;
  for (const TensorPlan& tensor : plan.tensors) {
    if (needs_measuring(tensor, settings)) names.push_back(tensor.measured_at);
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

Result<ScaleMap> find_scales(const QuantizePlan& plan, const QuantizeSettings& settings,
                             const Ranges& ranges) {
  ScaleMap scales;
  for (const TensorPlan& tensor : plan.tensors) {
    if (tensor.shares != nullptr) continue;
    HONE_TRY(TensorScales found, scales_for(tensor, settings, ranges));
    scales.emplace(tensor.value, std::move(found));
  }
  share_scales(plan, scales);
  for (const BiasPlan& bias : plan.biases) HONE_TRY_DO(make_room(bias, scales));
  return scales;
}

}  // namespace hone
