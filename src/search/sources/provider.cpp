// Options of the EP, each with the values that are worth a try.

#include <array>

#include "search/proposing.h"

namespace hone::sources {
namespace {

struct Option {
  std::string_view ep;
  std::string_view device;  // empty: any
  std::string_view name;
  std::string_view value;
  std::string_view reason;
};

// What the documentation of the EPs says decides about speed; defaults are not among them, because
// the baseline has them.
constexpr std::array options = {
    Option{"qnn", "npu", "htp_performance_mode", "burst",
           "the NPU's clocks are chosen by this, and the default saves power"},
    Option{"qnn", "npu", "htp_performance_mode", "sustained_high_performance",
           "the NPU's clocks are chosen by this, and burst may not last"},
    Option{"qnn", "npu", "htp_graph_finalization_optimization_mode", "3",
           "more time for preparing the graph can give a faster one"},
    Option{"openvino", "npu", "enable_qdq_optimizer", "True",
           "quantizing and its inverse are arranged for the NPU"},
    Option{"cuda", "gpu", "cudnn_conv_algo_search", "HEURISTIC",
           "the search for convolutions decides which of them run"},
    Option{"cuda", "gpu", "prefer_nhwc", "1", "tensor cores want channels last"},
    Option{"cuda", "gpu", "enable_cuda_graph", "1", "many small kernels cost their launch"},
    Option{"webgpu", "gpu", "preferredLayout", "NCHW", "another layout spares transposes"},
};

void propose_options(const Insight& insight, HypothesisSet& into) {
  const std::string& ep = insight.baseline.target.ep;
  bool is_known = false;
  for (const Option& option : options) {
    if (option.ep != ep || (!option.device.empty() && option.device != insight.device)) continue;
    is_known = true;
    const std::string id = std::string(option.name) + "=" + std::string(option.value);
    propose(
        into, insight, "provider",
        {.id = id,
         .title = id,
         .reason = std::string(option.reason),
         .odds = {.gain = 0.2, .chance = 0.3}},
        [&](Recipe& recipe) { recipe.target.options[std::string(option.name)] = option.value; });
  }
  if (!is_known)
    skip(into, "provider", "provider-options", "options of the EP",
         "none is known to matter for " + ep);
}

}  // namespace

HypothesisSource provider() {
  return {.name = "provider", .summary = "Options of the EP", .propose = propose_options};
}

}  // namespace hone::sources
