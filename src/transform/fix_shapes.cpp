#include "transform/fix_shapes.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "model/edit.h"
#include "record/shape_rules.h"
#include "runtime/infer.h"
#include "transform/fold_constants.h"
#include "transform/open_shapes.h"

namespace hone {
namespace {

// Each round folds what the one before let inference see. A chain of n Shapes behind each other
// needs n; some tens are more than any exporter writes.
constexpr int most_rounds = 32;

std::optional<std::vector<Json>> as_json(const Type& type) {
  if (!type.shape) return std::nullopt;
  std::vector<Json> dims;
  for (const Dim& dim : *type.shape) {
    const bool is_number = dim.value && *dim.value >= 0;
    dims.push_back(is_number            ? Json(*dim.value)
                   : dim.symbol.empty() ? Json(nullptr)
                                        : Json(printable(dim.symbol)));
  }
  return dims;
}

bool has_open_shape(const Type& type) {
  if (type.is_known() && !type.is_tensor()) return false;
  return !type.shape || std::ranges::any_of(*type.shape, [](const Dim& dim) {
    return !dim.value || *dim.value < 0;
  });
}

// Weights that the graph turns or casts before it multiplies by them, as inputs for as long as this
// lives: sizes have nothing to do with them, and the product of a weight that is turned ahead is
// added up in another order by some kernels.
class WeightsLeftAlone {
 public:
  explicit WeightsLeftAlone(Graph& graph) : graph_(graph) {
    for (Value* value : graph.initializers()) {
      const TensorPtr& tensor = value->initializer();
      if (!tensor || value->is_graph_input() || !is_weight(*tensor) || !is_made_ready(*value))
        continue;
      value->type = Type::tensor(tensor->type, shape_of(tensor->dims));
      graph.add_input(*value);
      opened_.push_back(value);
    }
  }
  ~WeightsLeftAlone() {
    for (Value* value : opened_) {
      graph_.remove_input(*value);
      value->type = {};
    }
  }
  WeightsLeftAlone(const WeightsLeftAlone&) = delete;
  WeightsLeftAlone& operator=(const WeightsLeftAlone&) = delete;

 private:
  static bool is_weight(const Tensor& tensor) {
    return tensor.dims.size() == 2 && is_float(tensor.type);
  }
  static bool is_made_ready(const Value& value) {
    return std::ranges::any_of(value.uses(), [](const auto& use) {
      return use.node->op_type == "Transpose" || use.node->op_type == "Cast";
    });
  }

  Graph& graph_;
  std::vector<Value*> opened_;
};

class ShapeFixing {
 public:
  ShapeFixing(const TransformTools& tools, const Model& source, const InputShapes& shapes)
      : tools_(tools), source_(source), shapes_(shapes), model_(clone(source)) {}

  Result<FixedModel> run(const std::optional<SampleSource>& samples) {
    HONE_TRY_DO(count_before());
    fix_inputs();
    HONE_TRY_DO(fold());
    if (samples) HONE_TRY_DO(check(*samples));
    report_end();
    return FixedModel{std::move(model_), std::move(report_)};
  }

 private:
  Status count_before() {
    report_.nodes_before = count_nodes(source_);
    Model seen = clone(source_);
    HONE_TRY_DO(sort_topologically(*seen.graph));
    HONE_TRY_DO(infer_types(tools_.runtime, tools_.probe_library, seen));
    report_.open_before = count_open(seen);
    return done();
  }

  void fix_inputs() {
    for (Value* input : model_.graph->inputs()) {
      const auto fixed = shapes_.find(input->name());
      if (fixed == shapes_.end()) continue;
      FixedPort& port = report_.inputs.emplace_back();
      port.name = input->name();
      port.before = as_json(input->type);
      input->type.shape = shape_of(fixed->second);
      port.after = as_json(input->type);
    }
    for (const Value* output : model_.graph->outputs())
      report_.outputs.push_back({output->name(), as_json(output->type), std::nullopt});
  }

  // What was declared while sizes were open is in the way of what is inferred now. Inputs of loop
  // bodies are what the loop hands them, and stay.
  void forget_open_shapes(Graph& graph) {
    for (Value* value : graph.values()) {
      if (value->is_graph_input() || !has_open_shape(value->type)) continue;
      forgotten_.try_emplace(value, value->type);
      value->type.shape.reset();
    }
    for (Node& node : graph.nodes())
      for (Graph* inner : node.subgraphs()) forget_open_shapes(*inner);
  }

  // Where inference knows nothing, what the model said is better than nothing.
  void recall_shapes() {
    for (const auto& [value, type] : forgotten_)
      if (!value->is_removed() && !value->type.shape) value->type = type;
  }

  Status infer() {
    HONE_TRY_DO(sort_topologically(*model_.graph));
    forget_open_shapes(*model_.graph);
    HONE_TRY_DO(infer_types(tools_.runtime, tools_.probe_library, model_));
    recall_shapes();
    return done();
  }

  Status fold() {
    for (int round = 0; round < most_rounds; ++round) {
      tools_.progress("inferring shapes");
      HONE_TRY_DO(infer());
      tools_.progress("folding what follows from them");
      HONE_TRY(const std::size_t changes, fold_once());
      if (changes == 0) return done();
    }
    return infer();
  }

  Result<std::size_t> fold_once() {
    HONE_TRY(const PassEffect branches, run_pass(*find_pass("constant-if-elimination"), model_));
    report_.branches_taken += branches.rewrites;
    HONE_TRY(const PassEffect chains, run_pass(*find_pass("shape-chain-folding"), model_));
    std::size_t folded = 0;
    const WeightsLeftAlone left_alone(*model_.graph);
    if (auto done = fold_constants(tools_.runtime, model_)) {
      folded = *done;
    } else if (report_.notes.empty()) {
      report_.notes.push_back("what depends on constants alone could not be computed: " +
                              done.error().what + ": " + done.error().cause);
    }
    return branches.rewrites + chains.rewrites + folded + write_out_reshapes();
  }

  // 0 and -1 stand for sizes that are known now.
  std::size_t write_out_reshapes() {
    Rewriter rewriter(model_);
    for (Node* node : rewriter.nodes("Reshape")) {
      const auto made = static_shape(node->output(0));
      const bool is_empty = made && std::ranges::find(*made, 0) != made->end();
      if (!made || is_empty || node->input(1) == nullptr || ints_of(node->input(1)) == made)
        continue;
      node->set_input(1, &rewriter.add_ints(*node, node->output(0)->name() + "_shape", *made));
      rewriter.changed(*node);
    }
    if (rewriter.rewrites() > 0) {
      remove_dead_nodes(*model_.graph);
      remove_unused_initializers(*model_.graph);
    }
    return rewriter.rewrites();
  }

  Status check(SampleSource source) {
    tools_.progress("comparing outputs");
    ShapeRules rules;
    if (source.data.empty()) {
      HONE_TRY(rules, parse_shape_rules(source.shape_config));
      rules.symbols.clear();
      rules.inputs = shapes_;
      source.shape_config = to_shape_text(rules);
    }
    HONE_TRY(const std::vector<Sample> samples, samples_for(source_, source));
    HONE_TRY(report_.verified, verify(tools_.runtime, source_, model_, samples, Numerics::bitwise));
    if (report_.verified->holds) return done();
    return fail(Fault::not_held, "with fixed shapes the model computes something else",
                "its outputs are not the same bytes as those of the model as it is",
                "nothing was written; a model that makes random numbers cannot be checked");
  }

  void report_end() {
    report_.nodes_after = count_nodes(model_);
    report_.open_after = count_open(model_);
    report_.left_open = list_open(model_);
    const std::vector<Value*>& outputs = model_.graph->outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i)
      report_.outputs[i].after = as_json(outputs[i]->type);
  }

  const TransformTools& tools_;
  const Model& source_;
  const InputShapes& shapes_;
  Model model_;
  FixShapesReport report_;
  std::unordered_map<Value*, Type> forgotten_;
};

}  // namespace

Result<FixedModel> fix_shapes(const TransformTools& tools, const Model& model,
                              const InputShapes& shapes,
                              const std::optional<SampleSource>& samples) {
  return ShapeFixing(tools, model, shapes).run(samples);
}

}  // namespace hone
