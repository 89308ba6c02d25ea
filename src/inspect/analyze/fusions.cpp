#include "inspect/analyze/fusions.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "transform/capability.h"
#include "transform/optimize.h"

namespace hone {
namespace {

constexpr std::size_t most_nodes = 3;

constexpr std::array detectors = {
    Detector{"gelu-fusion", "Gelu", 20, Aim::everybody, detect::gelu},
    Detector{"gelu-singlegelu", "Gelu", 20, Aim::accelerators, detect::any_gelu},
    Detector{"fast-gelu-fusion", "FastGelu", 0, Aim::everybody, detect::fast_gelu},
    Detector{"quick-gelu-fusion", "QuickGelu", 0, Aim::everybody, detect::quick_gelu},
    Detector{"bias-gelu-fusion", "BiasGelu", 0, Aim::everybody, detect::bias_gelu},
    Detector{"layer-norm-fusion", "LayerNormalization", 1, Aim::everybody, detect::layer_norm},
    Detector{"simplified-layer-norm-fusion", "SimplifiedLayerNormalization", 1, Aim::everybody,
             detect::rms_norm},
    Detector{"fuse-rmsnorm", "RMSNormalization", 23, Aim::accelerators, detect::rms_norm},
    Detector{"skip-layer-norm-fusion", "SkipLayerNormalization", 0, Aim::everybody,
             detect::skip_layer_norm},
    Detector{"attention-fusion", "MultiHeadAttention", 0, Aim::everybody, detect::attention},
    Detector{"tf-attention-fusion", "MultiHeadAttention", 0, Aim::everybody,
             detect::other_attention},
    Detector{"bias-softmax-fusion", "BiasSoftmax", 0, Aim::everybody, detect::bias_softmax},
    Detector{"matmul-add-fusion",
             "Gemm",
             1,
             Aim::everybody,
             detect::matmul_add,
             {"attention-fusion", "bias-gelu-fusion"}},
    Detector{"matmuladd-reshapegemm", "Gemm", 1, Aim::accelerators,
             detect::matmul_add_of_one_open_dim},
    Detector{"matmul-activation-fusion", "FusedMatMulActivation", 0, Aim::everybody,
             detect::matmul_activation},
    Detector{"matmul-transpose-fusion",
             "FusedMatMul",
             0,
             Aim::everybody,
             detect::matmul_transpose,
             {"attention-fusion", "tf-attention-fusion"}},
    Detector{"matmul-scale-fusion",
             "FusedMatMul",
             0,
             Aim::everybody,
             detect::matmul_scale,
             {"attention-fusion", "tf-attention-fusion"}},
    Detector{"conv-bn-fusion", {}, 0, Aim::everybody, detect::conv_batch_norm},
    Detector{"conv-add-fusion", {}, 0, Aim::everybody, detect::conv_add},
    Detector{"conv-mul-fusion", {}, 0, Aim::everybody, detect::conv_mul},
    Detector{"conv-activation-fusion", "FusedConv", 0, Aim::everybody, detect::conv_activation},
    Detector{"conv-add-activation-fusion", "FusedConv", 0, Aim::everybody,
             detect::conv_add_activation},
    Detector{"pad-fusion", {}, 0, Aim::everybody, detect::pad_conv},
    Detector{"gemm-activation-fusion", "FusedGemm", 0, Aim::everybody, detect::gemm_activation},
    Detector{"gemm-sum-fusion", {}, 0, Aim::everybody, detect::gemm_sum},
    Detector{"gemm-transpose-fusion", {}, 0, Aim::everybody, detect::gemm_transpose},
    Detector{"slice-elimination", {}, 0, Aim::everybody, detect::whole_slice},
    Detector{"expand-elimination", {}, 0, Aim::everybody, detect::idle_expand},
    Detector{"unsqueeze-elimination", {}, 0, Aim::everybody, detect::constant_unsqueeze},
    Detector{"concat-slice-elimination", {}, 0, Aim::everybody, detect::concat_slice},
    Detector{"transpose-optimizer", {}, 0, Aim::everybody, detect::meeting_transposes},
    // Hone's passes, tried on a copy.
    Detector{"highdimRTR-lowdimRTR", {}, 0, Aim::accelerators},
    Detector{"hard-swish-fusion", "HardSwish", 14},
    Detector{"tf-layer-norm-fusion", "LayerNormalization", 1},
    Detector{"embed-layer-norm-fusion", "EmbedLayerNormalization"},
    Detector{"redundant-cast-elimination"},
    Detector{"shape-chain-folding"},
    Detector{"constant-view-folding"},
    Detector{"constant-dequantize-folding"},
    Detector{"conv-add-batch-normalization-folding"},
    Detector{"add-conv-batch-normalization-folding"},
    Detector{"conv-channel-affine-folding"},
    Detector{"gemm-affine-folding"},
    Detector{"affine-into-conv"},
    Detector{"affine-into-gemm"},
    Detector{"exp-positive-scale-folding"},
    Detector{"gather-slice-to-split-fusion", "Split", 1},
};

FusionCandidate start(const Detector& detector, std::int64_t opset) {
  FusionCandidate candidate;
  const Capability& capability = *find_capability(detector.capability).value();
  candidate.capability = json_name(capability);
  candidate.makes = op_made_by(detector, opset);
  if (!capability.limit.empty()) candidate.note = "acts on " + std::string(capability.limit);
  return candidate;
}

// A name each candidate can be found by in the model.
FusionCandidate found_by_looking(const Detector& detector, Model& model) {
  FusionCandidate candidate = start(detector, model.opset());
  const Rewriter look(model);
  const detect::Found found = detector.find(look);
  candidate.count = found.size();
  for (const Node* node : found) {
    if (candidate.nodes.size() == most_nodes) break;
    candidate.nodes.push_back(node->name.empty() ? node->output(0)->name() : node->name);
  }
  return candidate;
}

Result<FusionCandidate> found_by_trying(const Detector& detector, const Model& model) {
  FusionCandidate candidate = start(detector, model.opset());
  HONE_TRY(const DryRun run, dry_run(detector.capability, model));
  candidate.count = run.rewrites;
  if (!run.declined.empty()) candidate.note = "declined elsewhere: " + join(run.declined, "; ");
  return candidate;
}

}  // namespace

std::span<const Detector> all_detectors() { return detectors; }

const Detector* find_detector(std::string_view capability) {
  std::string name(capability);
  std::ranges::replace(name, '_', '-');
  const auto found = std::ranges::find(detectors, name, &Detector::capability);
  return found != detectors.end() ? &*found : nullptr;
}

std::string op_made_by(const Detector& detector, std::int64_t opset) {
  if (detector.makes.empty()) return {};
  const bool is_native = detector.native_since > 0 && opset >= detector.native_since;
  return (is_native ? "" : "com.microsoft.") + std::string(detector.makes);
}

Result<DryRun> dry_run(std::string_view capability, const Model& model) {
  DryRun run;
  const Pass* pass = find_pass(capability);
  if (pass == nullptr) return run;
  Model copy = clone(model);
  HONE_TRY(const PassEffect effect, run_pass(*pass, copy));
  run.rewrites = effect.rewrites;
  std::set<std::string> reasons;
  for (const Declined& declined : effect.declined) reasons.insert(declined.reason);
  run.declined.assign(reasons.begin(), reasons.end());
  if (effect.rewrites > 0) run.op_changes = op_changes(model, copy);
  return run;
}

Result<std::vector<FusionCandidate>> find_fusions(Model& model) {
  std::vector<FusionCandidate> candidates;
  for (const Detector& detector : detectors) {
    FusionCandidate candidate;
    if (detector.find != nullptr) {
      candidate = found_by_looking(detector, model);
    } else {
      HONE_TRY(candidate, found_by_trying(detector, model));
    }
    if (candidate.count > 0) candidates.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(candidates, std::greater<>(), &FusionCandidate::count);
  return candidates;
}

}  // namespace hone
