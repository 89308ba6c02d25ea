#include "transform/quantize/weights.h"

#include <map>

#include "base/counted.h"
#include "base/text.h"
#include "model/opset/convert.h"
#include "runtime/infer.h"
#include "transform/quantize/dynamic.h"
#include "transform/quantize/fp16.h"
#include "transform/quantize/int4.h"
#include "transform/quantize/selection.h"

namespace hone {
namespace {

// The preset has no say: its list is of what a target computes in static integers.
NodeFilter filter_of(const QuantizeSettings& settings) {
  return [&settings](const Node& node) {
    const bool is_wanted = settings.include.empty() || is_meant(node, settings.include);
    return is_wanted && !is_meant(node, settings.exclude);
  };
}

// One note for each reason, with a node it holds for.
void note_left_alone(const std::vector<Declined>& left_alone, QuantizeResult& result) {
  std::map<std::string, std::vector<const Declined*>> by_reason;
  for (const Declined& declined : left_alone) by_reason[declined.reason].push_back(&declined);
  for (const auto& [reason, nodes] : by_reason) {
    result.notes.push_back("left alone: " + counted(nodes.size(), "node") + ", such as '" +
                           nodes.front()->node + "': " + reason);
  }
}

Status refuse_nothing(std::size_t changed, const Precision& precision,
                      const QuantizeResult& result) {
  if (changed > 0) return done();
  return fail(Fault::bad_input, "there is nothing to bring to " + std::string(precision.name),
              result.notes.empty() ? "" : result.notes.back(),
              "--include and --exclude decide which nodes are taken");
}

void note_ranges(const std::vector<Fp16RangeNote>& ranges, QuantizeResult& result) {
  for (const Fp16RangeNote& range : ranges) {
    std::string what = "'" + range.tensor + "' does not go into float16 as it is: ";
    std::vector<std::string> parts;
    if (range.too_large > 0) parts.push_back(format_count(range.too_large) + " beyond 65504");
    if (range.too_small > 0) parts.push_back(format_count(range.too_small) + " below 5.96e-8");
    if (range.subnormal_only) parts.emplace_back("all below 6.1e-5, where few digits are left");
    result.notes.push_back(what + join(parts, ", "));
  }
}

}  // namespace

Status apply_int4(Model& model, const Precision& precision, QuantizeJob& job) {
  const Int4Options options{.block_size = job.settings.block_size,
                            .symmetric = job.settings.symmetric,
                            .takes = filter_of(job.settings)};
  HONE_TRY(const Int4Report report, quantize_int4(model, options));
  QuantizeResult& result = job.result;
  result.nodes_quantized += report.matmuls;
  result.weights += report.weights;
  result.tensors += report.weights;
  note_left_alone(report.left_alone, result);
  return refuse_nothing(report.matmuls, precision, result);
}

Status apply_fp16(Model& model, const Precision& precision, QuantizeJob& job) {
  HONE_TRY_DO(infer_types(job.runtime, job.probe_library, model));
  const Fp16Options options{.takes = filter_of(job.settings)};
  HONE_TRY(const Fp16Report report, convert_to_fp16(model, options));
  QuantizeResult& result = job.result;
  result.nodes_quantized += report.nodes;
  result.nodes_inserted += report.casts;
  result.weights += report.tensors;
  result.tensors += report.tensors;
  note_ranges(report.ranges, result);
  note_left_alone(report.left_alone, result);
  return refuse_nothing(report.nodes, precision, result);
}

Status apply_dynamic(Model& model, const Precision& precision, QuantizeJob& job) {
  constexpr int least_opset = 11;  // DynamicQuantizeLinear
  if (model.opset() < least_opset) HONE_TRY_DO(convert_opset(model, least_opset));
  const bool is_chosen = job.weight_type != ElementType::undefined;
  const DynamicOptions options{.weight_type = is_chosen ? job.weight_type : precision.weight_type,
                               .per_channel = job.settings.per_channel,
                               .takes = filter_of(job.settings)};
  HONE_TRY(const DynamicReport report, quantize_dynamic(model, options));
  QuantizeResult& result = job.result;
  result.nodes_quantized += report.matmuls + report.convolutions;
  result.weights += report.weights;
  result.activations += report.activations;
  result.tensors += report.weights + report.activations;
  note_left_alone(report.left_alone, result);
  return refuse_nothing(report.matmuls + report.convolutions, precision, result);
}

}  // namespace hone
