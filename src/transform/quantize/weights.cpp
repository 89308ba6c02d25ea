#include "transform/quantize/weights.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/counted.h"
#include "base/text.h"
#include "model/opset/convert.h"
#include "runtime/infer.h"
#include "transform/quantize/dynamic.h"
#include "transform/quantize/fp16.h"
#include "transform/quantize/int4.h"
#include "transform/quantize/selection.h"
#include "transform/quantize/widen.h"

namespace hone {
namespace {

// The preset has no say: its list is of what a target computes in static integers.
NodeFilter filter_of(const QuantizeSettings& settings) {
  return [&settings](const Node& node) {
    const bool is_wanted = settings.include.empty() || is_meant(node, settings.include);
    return is_wanted && !is_meant(node, settings.exclude);
  };
}

// One for each reason, with a node it holds for; that of most nodes first.
std::vector<std::string> notes_of(const std::vector<Declined>& left_alone) {
  std::map<std::string, std::vector<const Declined*>> by_reason;
  for (const Declined& declined : left_alone) by_reason[declined.reason].push_back(&declined);
  std::vector<std::pair<std::size_t, std::string>> notes;
  for (const auto& [reason, nodes] : by_reason) {
    notes.emplace_back(nodes.size(), "left alone: " + counted(nodes.size(), "node") + ", such as " +
                                         nodes.front()->node + ": " + reason);
  }
  std::ranges::stable_sort(notes, std::greater(), &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> texts;
  for (auto& [count, text] : notes) texts.push_back(std::move(text));
  return texts;
}

void note_left_alone(const std::vector<Declined>& left_alone, QuantizeResult& result) {
  std::ranges::move(notes_of(left_alone), std::back_inserter(result.notes));
}

Status refuse_nothing(std::size_t changed, const Precision& precision, const QuantizeJob& job,
                      const std::vector<Declined>& left_alone) {
  if (changed > 0) return done();
  const QuantizeSettings& settings = job.settings;
  const bool is_selected = !settings.include.empty() || !settings.exclude.empty();
  return fail(Fault::bad_input, "there is nothing to bring to " + std::string(precision.name),
              left_alone.empty() ? "it has " + std::string(precision.lacking)
                                 : join(notes_of(left_alone), "\n"),
              is_selected ? "--include and --exclude decide which nodes are taken"
                          : std::string(precision.instead));
}

// One note for each kind of problem: a model has the same small constant in every layer.
void note_ranges(const std::vector<Fp16RangeNote>& ranges, QuantizeResult& result) {
  const auto note = [&](const auto& numbers_of, const std::string& problem) {
    std::vector<std::string> tensors;
    std::uint64_t numbers = 0;
    for (const Fp16RangeNote& range : ranges) {
      if (numbers_of(range) == 0) continue;
      tensors.push_back("'" + range.tensor + "'");
      numbers += numbers_of(range);
    }
    if (tensors.empty()) return;
    const std::string which = tensors.size() == 1
                                  ? tensors.front() + " does not go into float16 as it is: "
                                  : counted(tensors.size(), "tensor") +
                                        " do not go into float16 as they are, such as " +
                                        tensors.front() + ": ";
    result.notes.push_back(which + (problem.starts_with("all") ? "" : format_count(numbers) + " ") +
                           problem);
  };
  note([](const Fp16RangeNote& range) { return range.too_large; }, "beyond 65504");
  note([](const Fp16RangeNote& range) { return range.too_small; }, "below 5.96e-8");
  note([](const Fp16RangeNote& range) { return std::uint64_t{range.subnormal_only}; },
       "all below 6.1e-5, where few digits are left");
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
  return refuse_nothing(report.matmuls, precision, job, report.left_alone);
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
  if (report.nodes == 0 && has_float16(model)) {
    return fail(Fault::bad_input, "there is nothing to bring to fp16",
                "the model computes in float16 already",
                "--precision w8a8 and dynamic quantize it, from float32");
  }
  return refuse_nothing(report.nodes, precision, job, report.left_alone);
}

Status apply_dynamic(Model& model, const Precision& precision, QuantizeJob& job) {
  constexpr int least_opset = 11;  // DynamicQuantizeLinear
  if (model.opset() < least_opset) HONE_TRY_DO(convert_opset(model, least_opset));
  DynamicOptions options{.weight_type = weight_type_of(precision),
                         .per_channel = job.settings.per_channel,
                         .takes = filter_of(job.settings)};
  if (job.weight_type != ElementType::undefined) {
    options.weight_type = job.weight_type;
    options.filter_type = job.weight_type;
  }
  HONE_TRY(const DynamicReport report, quantize_dynamic(model, options));
  QuantizeResult& result = job.result;
  result.nodes_quantized += report.matmuls + report.convolutions;
  result.weights += report.weights;
  result.activations += report.activations;
  result.tensors += report.weights + report.activations;
  note_left_alone(report.left_alone, result);
  return refuse_nothing(report.matmuls + report.convolutions, precision, job, report.left_alone);
}

}  // namespace hone
