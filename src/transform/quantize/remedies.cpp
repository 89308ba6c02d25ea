#include "transform/quantize/remedies.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"

namespace hone {
namespace {

// The capability that takes a BatchNormalization into the weights before it; empty for other nodes,
// and where nothing before it takes it in.
std::string_view fold_of(const Node& node) {
  const bool is_normalization = node.is("BatchNormalization") && node.input(0) != nullptr;
  const Node* before = is_normalization ? node.input(0)->producer() : nullptr;
  if (before == nullptr) return {};
  if (before->is("Conv")) return "conv-bn-fusion";
  if (before->is("MatMul")) return "matmul-bn-fusion";
  const auto is_conv = [](const Value* value) {
    return value != nullptr && value->producer() != nullptr && value->producer()->is("Conv");
  };
  const bool is_sum = before->is("Add") && std::ranges::any_of(before->inputs(), is_conv);
  return is_sum ? "conv-add-batch-normalization-folding" : std::string_view();
}

// What a model is made of, in subgraphs too.
class Ops {
 public:
  explicit Ops(const Model& model) {
    for_each_graph(model, [this](const Graph& graph) {
      for (const Node& node : graph.nodes()) {
        if (node.is_default_domain()) ++counts_[node.op_type];
        if (const std::string_view fold = fold_of(node); !fold.empty()) folds_.emplace(fold);
        const bool has_weight = node.is("Conv") || node.is("MatMul") || node.is("Gemm");
        if (!has_weight || node.input(1) == nullptr) continue;
        const Value& weight = *node.input(1);
        has_weights_in_nodes_ |= !weight.initializer() && weight.constant() != nullptr;
      }
    });
  }
  // Which ONNX Runtime's tools, and the preset that does as they do, take for activations.
  bool has_weights_in_nodes() const { return has_weights_in_nodes_; }
  // The capabilities that take a BatchNormalization into what is before it, where there is one.
  std::vector<std::string> folds() const { return {folds_.begin(), folds_.end()}; }
  bool has(const std::string& op) const { return counts_.contains(op); }
  bool has_any(std::span<const std::string_view> ops) const { return !of(ops).empty(); }
  std::vector<std::string> of(std::span<const std::string_view> ops) const {
    std::vector<std::string> found;
    for (const std::string_view op : ops) {
      if (has(std::string(op))) found.emplace_back(op);
    }
    return found;
  }

 private:
  std::map<std::string, std::size_t> counts_;
  std::set<std::string> folds_;
  bool has_weights_in_nodes_ = false;
};

constexpr auto products = std::to_array<std::string_view>({"MatMul", "Gemm"});
// Whose results outgrow float16, or whose small differences are what counts.
constexpr auto wide_ops = std::to_array<std::string_view>(
    {"Pow", "Exp", "ReduceMean", "ReduceSum", "ReduceL2", "ReduceSumSquare", "Sqrt", "Div",
     "Softmax", "LogSoftmax", "LayerNormalization", "InstanceNormalization", "BatchNormalization"});

Remedy with(Remedy remedy, const Remedy& other) {
  remedy.facts.name += ", " + other.facts.name;
  remedy.apply = [first = std::move(remedy.apply), second = other.apply](QuantizeRequest& request) {
    first(request);
    second(request);
  };
  const auto add = [](std::string& text, const std::string& more, const char* between) {
    if (!text.empty() && !more.empty()) text += between;
    text += more;
  };
  add(remedy.facts.options, other.facts.options, " ");
  add(remedy.facts.recipe, other.facts.recipe, ", ");
  remedy.facts.only_in_recipe |= other.facts.only_in_recipe;
  remedy.facts.replaces_precision |= other.facts.replaces_precision;
  if (other.facts.precision) remedy.facts.precision = other.facts.precision;
  remedy.facts.optimizes_first |= other.facts.optimizes_first;
  remedy.facts.enables.insert(remedy.facts.enables.end(), other.facts.enables.begin(),
                              other.facts.enables.end());
  remedy.is_last_resort |= other.is_last_resort;
  return remedy;
}

Remedy per_channel() {
  return {.facts = {.name = "per-channel weights",
                    .options = "--per-channel",
                    .recipe = R"("per_channel": true)"},
          .apply = [](QuantizeRequest& request) { request.settings.per_channel = true; }};
}

// The model itself is optimized by whoever tries it.
Remedy optimized_first(std::string what, std::vector<std::string> enables) {
  return {
      .facts = {.name = std::move(what), .optimizes_first = true, .enables = std::move(enables)},
      .apply = [](QuantizeRequest&) {}};
}

Remedy precision(const MilderPrecision& milder) {
  const std::string name(milder.name);
  return {.facts = {.name = std::string(milder.what),
                    .options = "--precision " + name,
                    .recipe = R"("precisions": [")" + name + R"("])",
                    .replaces_precision = true,
                    .precision = name},
          .apply =
              [name](QuantizeRequest& request) {
                request.precisions = {find_made_precision(name)};
                // What is said of the types of one precision does not hold for another.
                request.weight_type = ElementType::undefined;
                request.activation_type = ElementType::undefined;
              },
          .is_last_resort = true};
}

Remedy in_float(const std::vector<std::string>& ops, std::string what) {
  std::vector<std::string> options;
  for (const std::string& op : ops) options.push_back("--exclude " + op);
  return {.facts = {.name = std::move(what),
                    .options = join(options, " "),
                    .recipe = R"("exclude": [")" + join(ops, R"(", ")") + R"("])",
                    .only_in_recipe = true},
          .apply = [ops](QuantizeRequest& request) {
            auto& exclude = request.settings.exclude;
            exclude.insert(exclude.end(), ops.begin(), ops.end());
          }};
}

Remedy blocks_of(std::int64_t size) {
  const std::string number = std::to_string(size);
  return {.facts = {.name = "blocks of " + number,
                    .options = "--block-size " + number,
                    .recipe = R"("block_size": )" + number,
                    .only_in_recipe = true},
          .apply = [size](QuantizeRequest& request) { request.settings.block_size = size; }};
}

std::vector<Remedy> of_static(const Ops& ops, const QuantizeRequest& request) {
  std::vector<Remedy> remedies;
  std::optional<Remedy> mild;
  const auto add = [&](const Remedy& remedy) {
    mild = mild ? with(*mild, remedy) : remedy;
    remedies.push_back(*mild);
  };
  if (!request.settings.per_channel) add(per_channel());
  if (const auto folds = ops.folds(); !folds.empty()) {
    add(optimized_first("BatchNormalization folded", folds));
  } else if (ops.has_weights_in_nodes() && request.settings.preset.mirrors_tools) {
    add(optimized_first("Constant nodes made weights", {}));
  }
  const auto add_last = [&](Remedy remedy) {
    remedies.push_back(mild ? with(std::move(remedy), *mild) : std::move(remedy));
  };
  for (const MilderPrecision& milder : request.precisions.front()->milder) {
    if (find_made_precision(milder.name)->making == Making::ranges) {
      add_last(precision(milder));
    } else if (ops.has_any(products)) {
      // Its scales are of each run: nothing is lost to calibration.
      remedies.push_back(precision(milder));
    }
  }
  return remedies;
}

void add_milder(const QuantizeRequest& request, std::vector<Remedy>& remedies) {
  for (const MilderPrecision& milder : request.precisions.front()->milder)
    remedies.push_back(precision(milder));
}

std::vector<Remedy> of_dynamic(const Ops& ops, const QuantizeRequest& request) {
  std::vector<Remedy> remedies;
  const bool has_products = ops.has_any(products);
  const bool may_be_finer = has_products && !request.settings.per_channel;
  if (may_be_finer) remedies.push_back(per_channel());
  // A filter has one scale for all of its channels.
  if (ops.has("Conv") && has_products) {
    const Remedy floats = in_float({"Conv"}, "Conv in float");
    remedies.push_back(may_be_finer ? with(per_channel(), floats) : floats);
  }
  add_milder(request, remedies);
  return remedies;
}

std::vector<Remedy> of_int4(const QuantizeRequest& request) {
  std::vector<Remedy> remedies;
  constexpr std::int64_t fine = 32;
  if (request.settings.block_size > fine) remedies.push_back(blocks_of(fine));
  add_milder(request, remedies);
  return remedies;
}

std::vector<Remedy> of_fp16(const Ops& ops, const QuantizeRequest& request) {
  std::vector<std::string> wide = ops.of(wide_ops);
  std::erase_if(wide, [&](const std::string& op) {
    return std::ranges::count(request.settings.exclude, op) > 0;
  });
  if (wide.empty()) return {};
  return {in_float(wide, "sums, powers and quotients in float")};
}

}  // namespace

std::vector<Remedy> remedies_for(const Model& model, const QuantizeRequest& request) {
  if (request.precisions.size() != 1) return {};
  const Ops ops(model);
  switch (request.precisions.front()->making) {
    case Making::ranges:
      return of_static(ops, request);
    case Making::while_running:
      return of_dynamic(ops, request);
    case Making::blocks:
      return of_int4(request);
    case Making::half:
      return of_fp16(ops, request);
    case Making::nothing:
      break;
  }
  return {};
}

}  // namespace hone
