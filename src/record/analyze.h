#pragma once
// What `hone analyze` says: what a model is made of, what of it could be fused, what is wrong with
// its quantization, and what a target makes of it.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/coverage.h"
#include "record/fields.h"
#include "record/target.h"

namespace hone {

inline constexpr std::int64_t analyze_schema_version = 1;

// Shares are of all nodes, from 0 to 1.
struct GraphFeatures {
  std::int64_t opset = 0;  // of ONNX's own domain
  std::uint64_t nodes = 0;
  std::map<std::string, std::uint64_t> op_counts;
  double conv_share = 0;    // convolutions, in whatever form
  double matmul_share = 0;  // matrix products, in whatever form
  double transpose_share = 0;
  std::uint64_t attentions = 0;      // blocks: as one operator, or in its parts
  std::uint64_t normalizations = 0;  // likewise
  std::uint64_t weight_bytes = 0;
  std::uint64_t parameters = 0;
  std::uint64_t dynamic_inputs = 0;  // inputs of which a dimension is open
  std::uint64_t depth = 0;           // nodes on the longest way from an input to an output
  std::uint64_t subgraphs = 0;       // branches and bodies of loops
  std::uint64_t functions = 0;
  std::string precision;
  bool has_qdq = false;
  bool is_quantized = false;              // in whatever way: QDQ, QLinear, dynamic, weights alone
  std::uint64_t dequantized_weights = 0;  // DequantizeLinear nodes whose input never changes
  std::uint64_t float_weights = 0;        // elements of float32 and float64 weights
  std::uint64_t denormal_weights = 0;     // of them, those too small for a normal number
};
template <RecordOf<GraphFeatures> Self>
void for_each_field(Self& features, auto&& field) {
  field("opset", features.opset);
  field("nodes", features.nodes);
  field("op_counts", features.op_counts);
  field("conv_share", features.conv_share);
  field("matmul_share", features.matmul_share);
  field("transpose_share", features.transpose_share);
  field("attentions", features.attentions);
  field("normalizations", features.normalizations);
  field("weight_bytes", features.weight_bytes);
  field("parameters", features.parameters);
  field("dynamic_inputs", features.dynamic_inputs);
  field("depth", features.depth);
  field("subgraphs", features.subgraphs);
  field("functions", features.functions);
  field("precision", features.precision);
  field("has_qdq", features.has_qdq);
  field("is_quantized", features.is_quantized);
  field("dequantized_weights", features.dequantized_weights);
  field("float_weights", features.float_weights);
  field("denormal_weights", features.denormal_weights);
}

// A capability of `hone optimize` that finds something to do.
struct FusionCandidate {
  std::string capability;  // snake_case, as in a recipe
  std::uint64_t count = 0;
  std::vector<std::string> nodes;  // the first few, each by the node that makes the result
  std::string makes;               // the operator in their place; empty: none that is new
  std::string note;
};
template <RecordOf<FusionCandidate> Self>
void for_each_field(Self& fusion, auto&& field) {
  field("capability", fusion.capability);
  field("count", fusion.count);
  field("nodes", fusion.nodes);
  field("makes", fusion.makes);
  field("note", fusion.note);
}

// A dimension of an input that the model leaves open.
struct DynamicAxis {
  std::string input;
  std::int64_t axis = 0;
  std::optional<std::string> symbol;  // null: it has no name
};
template <RecordOf<DynamicAxis> Self>
void for_each_field(Self& axis, auto&& field) {
  field("input", axis.input);
  field("axis", axis.axis);
  field("symbol", axis.symbol);
}

struct QdqProblem {
  std::string node;
  std::string tensor;  // the float tensor's name, or the parameter's
  std::string what;    // a clause: "its scale is not above 0"
};
template <RecordOf<QdqProblem> Self>
void for_each_field(Self& problem, auto&& field) {
  field("node", problem.node);
  field("tensor", problem.tensor);
  field("what", problem.what);
}

// A capability and why it is, or is not, worth switching on for the target.
struct Suggestion {
  std::string capability;  // snake_case
  std::string makes;       // the operator it makes; empty: none that is new
  std::string why;
  bool is_guess = false;  // withheld, and nothing is known against it: a search may try it
  std::optional<bool> is_remedy{};  // given where it takes away what the target refuses
};
template <RecordOf<Suggestion> Self>
void for_each_field(Self& suggestion, auto&& field) {
  field("capability", suggestion.capability);
  field("makes", suggestion.makes);
  field("why", suggestion.why);
  field("guess", suggestion.is_guess);
  field("remedy", suggestion.is_remedy, Presence::when_given);
}

// What becomes of the quantized nodes of a model on the CPU EP, whose optimizers put integer
// kernels in the place of float operators between DequantizeLinear and QuantizeLinear.
struct IntegerKernels {
  std::uint64_t quantized_nodes = 0;  // of the model
  std::uint64_t fused = 0;            // of them, those that do not compute in float any more
  std::map<std::string, std::uint64_t> kernels;    // what they became
  std::map<std::string, std::uint64_t> not_fused;  // the operators that stay float between them
  std::optional<std::string> error;                // why it could not be found out
};
template <RecordOf<IntegerKernels> Self>
void for_each_field(Self& integer, auto&& field) {
  field("quantized_nodes", integer.quantized_nodes);
  field("fused", integer.fused);
  field("kernels", integer.kernels);
  field("not_fused", integer.not_fused);
  field("error", integer.error);
}

struct Analysis {
  std::string model;
  Target target;
  GraphFeatures features;
  std::vector<FusionCandidate> fusions;  // most first
  std::vector<DynamicAxis> dynamic_axes;
  std::vector<QdqProblem> qdq_problems;
  std::vector<Suggestion> suggestions;
  std::vector<Suggestion> withheld;  // what could be fused and should not be for this target
  std::optional<IntegerKernels> integer_kernels;  // null: not quantized, or another EP
  std::optional<CoverageFacts> coverage;          // null: nothing is known of the EP
  std::optional<Placement> placement;             // null: it was not asked for
  Support support = Support::unknown;             // of the whole model
  std::vector<std::string> notes;
};
template <RecordOf<Analysis> Self>
void for_each_field(Self& analysis, auto&& field) {
  field("model", analysis.model);
  field("target", analysis.target);
  field("support", analysis.support);
  field("features", analysis.features);
  field("dynamic_axes", analysis.dynamic_axes);
  field("coverage", analysis.coverage);
  field("placement", analysis.placement);
  field("fusions", analysis.fusions);
  field("suggestions", analysis.suggestions);
  field("withheld", analysis.withheld);
  field("qdq_problems", analysis.qdq_problems);
  field("integer_kernels", analysis.integer_kernels);
  field("notes", analysis.notes);
}

}  // namespace hone
