#include "transform/optimize.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/counted.h"
#include "base/text.h"
#include "model/edit.h"
#include "model/fingerprint.h"
#include "runtime/infer.h"
#include "transform/default_inputs.h"

namespace hone {
namespace {

// A pass may make room for one before it; three rounds have been enough for every model of the zoo.
constexpr int most_rounds = 3;

std::uint64_t weight_bytes(const Model& model) {
  std::uint64_t bytes = 0;
  for_each_tensor(model,
                  [&](const TensorPtr& tensor, const Node*) { bytes += tensor->byte_size(); });
  return bytes;
}

std::vector<DeclinedNode> as_records(const std::vector<Declined>& declined) {
  std::vector<DeclinedNode> records;
  for (const Declined& one : declined) records.push_back({one.node, one.reason});
  return records;
}

bool has_pass(const CapabilitySet& capabilities) {
  return std::ranges::any_of(
      capabilities, [](const Capability* capability) { return capability->pass != nullptr; });
}

// What passes did, by their name. The reasons are those of the last round: what was declined first
// and rewritten later was no refusal.
using PassEffects = std::map<std::string_view, PassEffect>;

bool is_group(const Capability& capability) {
  return capability.pass != nullptr && capability.pass->run == nullptr;
}

// A group has done what its passes did; their reasons stay with them.
void count_members(const Pass& group, PassEffects& effects) {
  std::size_t rewrites = 0;
  for (const std::string_view name : group.depends_on) rewrites += effects[name].rewrites;
  effects[group.name].rewrites = rewrites;
}

Result<PassEffects> run_passes(const TransformTools& tools, const CapabilitySet& capabilities,
                               Model& model) {
  PassEffects effects;
  if (!has_pass(capabilities)) return effects;
  HONE_TRY_DO(infer_types(tools.runtime, tools.probe_library, model));
  std::size_t rewrites = 1;
  for (int round = 0; round < most_rounds && rewrites > 0; ++round) {
    rewrites = 0;
    for (const Pass& pass : all_passes()) {
      const auto is_of_pass = [&](const Capability* one) { return one->pass == &pass; };
      if (pass.run == nullptr || std::ranges::none_of(capabilities, is_of_pass)) continue;
      HONE_TRY(PassEffect effect, run_pass(pass, model));
      PassEffect& total = effects[pass.name];
      total.rewrites += effect.rewrites;
      total.declined = std::move(effect.declined);
      rewrites += effect.rewrites;
    }
    if (rewrites > 0) HONE_TRY_DO(infer_types(tools.runtime, tools.probe_library, model));
  }
  for (const Capability* capability : capabilities) {
    if (is_group(*capability)) count_members(*capability->pass, effects);
  }
  return effects;
}

Numerics promise_of(const CapabilitySet& capabilities, const PassEffects& effects) {
  Numerics promise = Numerics::bitwise;
  for (const Capability* capability : capabilities) {
    if (capability->level > 0) promise = std::max(promise, capability->numerics);
    const auto effect =
        capability->pass != nullptr ? effects.find(capability->name) : effects.end();
    if (effect != effects.end() && effect->second.rewrites > 0) {
      promise = std::max(promise, capability->pass->numerics);
    }
  }
  return promise;
}

// Those that do without these.
CapabilitySet without(const CapabilitySet& capabilities, const CapabilitySet& gone) {
  CapabilitySet left;
  for (const Capability* capability : capabilities) {
    const CapabilitySet needed = closure_of({capability});
    const auto is_needed = [&](const Capability* one) { return needed.contains(one); };
    if (std::ranges::none_of(gone, is_needed)) left.insert(capability);
  }
  return left;
}

// One run of the optimizer.
class Optimization {
 public:
  Optimization(const TransformTools& tools, const Model& model, const OptimizePlan& plan)
      : tools_(tools), model_(model), plan_(plan) {}

  Result<OptimizeOutcome> run() {
    tools_.progress("running ONNX Runtime's optimizers");
    HONE_TRY(outcome_.result,
             optimize_with_ort(tools_.runtime, model_, plan_.enabled, level_of(plan_.enabled)));
    by_ort_ = structure_fingerprint(outcome_.result.model);
    nodes_by_ort_ = count_nodes(outcome_.result.model);
    tools_.progress("running passes");
    HONE_TRY(effects_, run_passes(tools_, plan_.enabled, outcome_.result.model));
    Graph& graph = *outcome_.result.model.graph;
    remove_dead_nodes(graph);
    remove_unused_initializers(graph);
    HONE_TRY_DO(report_effects());
    report_sizes();
    if (plan_.verifies) HONE_TRY_DO(verify_result());
    return std::move(outcome_);
  }

 private:
  Status report_effects() {
    for (const Capability* capability : plan_.enabled) {
      CapabilityEffect effect;
      effect.source = source_of(*capability);
      effect.asked = plan_.asked.contains(capability);
      const auto of_pass = effects_.find(capability->name);
      if (of_pass != effects_.end()) {
        effect.fused = of_pass->second.rewrites;
        effect.declined = as_records(of_pass->second.declined);
      }
      if (effect.asked && plan_.audits && capability->level > 0) {
        HONE_TRY(const std::uint64_t gone, nodes_gone_by(*capability, effect.changed));
        effect.fused += gone;
      }
      effect.changed = effect.changed || effect.fused > 0;
      outcome_.report.capabilities.emplace(json_name(*capability), std::move(effect));
    }
    return done();
  }

  // ONNX Runtime does not tell what its optimizers did. So it is run once more without this one
  // (and those that need it); the same graph means that it did nothing.
  Result<std::uint64_t> nodes_gone_by(const Capability& capability, bool& changed) {
    tools_.progress("checking what " + std::string(capability.name) + " did");
    HONE_TRY(const OptimizedModel other,
             optimize_with_ort(tools_.runtime, model_, without(plan_.enabled, {&capability}),
                               level_of(plan_.enabled)));
    changed = structure_fingerprint(other.model) != by_ort_;
    const std::uint64_t nodes = count_nodes(other.model);
    return nodes > nodes_by_ort_ ? nodes - nodes_by_ort_ : 0;
  }

  void report_sizes() {
    OptimizeReport& report = outcome_.report;
    const Model& after = outcome_.result.model;
    report.nodes_before = count_nodes(model_);
    report.nodes_after = count_nodes(after);
    report.bytes_before = weight_bytes(model_);
    report.bytes_after = weight_bytes(after);
    report.op_changes = op_changes(model_, after);
    const bool is_for_this_cpu = std::ranges::any_of(
        plan_.enabled, [](const Capability* capability) { return capability->level == 3; });
    if (is_for_this_cpu) {
      report.notes.emplace_back(
          "layout optimizers make a model for the kind of CPU they ran on; elsewhere it may be "
          "slow");
    }
  }

  Status verify_result() {
    tools_.progress("comparing outputs");
    HONE_TRY(const std::vector<Sample> samples, samples_for(model_, plan_.samples));
    HONE_TRY(outcome_.report.verified, verify(tools_.runtime, model_, outcome_.result.model,
                                              samples, promise_of(plan_.enabled, effects_)));
    return done();
  }

  const TransformTools& tools_;
  const Model& model_;
  const OptimizePlan& plan_;
  OptimizeOutcome outcome_;
  PassEffects effects_;
  Digest by_ort_{};
  std::uint64_t nodes_by_ort_ = 0;
};

// A model that was made and is known to compute something else; what cannot be told is no reason.
bool is_wrong(const OptimizeReport& report) {
  return report.verified && !report.verified->holds && !report.verified->is_undecided;
}

std::string why_wrong(const Result<OptimizeOutcome>& outcome) {
  if (!outcome) {
    return "with it: " + outcome.error().what +
           (outcome.error().cause.empty() ? "" : ": " + outcome.error().cause);
  }
  double most = 0;
  for (const OutputDifference& difference : outcome->report.verified->outputs) {
    most = std::max(most, difference.relative.value_or(difference.is_equal ? 0 : 1));
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1e", most);
  return std::string("with it outputs differ by ") + text.data() + " of their largest value";
}

// What is on and breaks the model, asked for or not: all of it at first, and then one after the
// other is taken back that the model bears.
class LeavingOut {
 public:
  LeavingOut(const TransformTools& tools, const Model& model, const OptimizePlan& plan)
      : tools_(tools), model_(model), plan_(plan) {}

  Result<OptimizeOutcome> run(Result<OptimizeOutcome> broken) {
    CapabilitySet out = plan_.enabled;
    if (out.empty() || !holds_without(out)) return broken;
    for (const Capability* capability : plan_.enabled) {
      CapabilitySet fewer = out;
      fewer.erase(capability);
      if (!fewer.empty() && holds_without(fewer)) out = std::move(fewer);
    }
    HONE_TRY(OptimizeOutcome outcome, Optimization(tools_, model_, plan_without(out)).run());
    for (const Capability* capability : out) {
      CapabilityEffect effect;
      effect.source = source_of(*capability);
      effect.asked = plan_.asked.contains(capability);
      effect.left_out_because = why_wrong(broken);
      outcome.report.capabilities.insert_or_assign(json_name(*capability), std::move(effect));
    }
    return outcome;
  }

 private:
  OptimizePlan plan_without(const CapabilitySet& out) const {
    OptimizePlan plan = plan_;
    plan.enabled = without(plan_.enabled, out);
    for (const Capability* capability : out) plan.asked.erase(capability);
    return plan;
  }

  bool holds_without(const CapabilitySet& out) const {
    tools_.progress("the result is wrong; trying without " +
                    counted(out.size(), "capability", "capabilities"));
    OptimizePlan plan = plan_without(out);
    plan.audits = false;
    const auto outcome = Optimization(tools_, model_, plan).run();
    return outcome && outcome->report.verified && outcome->report.verified->holds;
  }

  const TransformTools& tools_;
  const Model& model_;
  const OptimizePlan& plan_;
};

Result<CapabilityCheck> check_alone(const TransformTools& tools, const Model& model,
                                    const OptimizedModel& untouched, const Capability& capability) {
  CapabilityCheck check;
  check.capability = json_name(capability);
  const CapabilitySet alone = closure_of({&capability});
  HONE_TRY(OptimizedModel result, optimize_with_ort(tools.runtime, model, alone, level_of(alone)));
  HONE_TRY(PassEffects effects, run_passes(tools, alone, result.model));
  for (auto& [name, effect] : effects) {
    const auto declined = as_records(effect.declined);
    check.declined.insert(check.declined.end(), declined.begin(), declined.end());
  }
  const Model& before = capability.level > 0 ? untouched.model : model;
  check.changes = structure_fingerprint(result.model) != structure_fingerprint(before);
  check.nodes_delta = static_cast<std::int64_t>(count_nodes(result.model)) -
                      static_cast<std::int64_t>(count_nodes(before));
  check.op_changes = op_changes(before, result.model);
  return check;
}

}  // namespace

std::uint64_t count_nodes(const Model& model) {
  std::uint64_t nodes = 0;
  for_each_graph(model, [&](const Graph& graph) { nodes += graph.nodes().size(); });
  return nodes;
}

std::map<std::string, std::int64_t> op_changes(const Model& before, const Model& after) {
  std::map<std::string, std::int64_t> changes;
  const auto add = [&](const Model& model, std::int64_t sign) {
    for_each_graph(model, [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) {
        changes[node.is_default_domain() ? node.op_type : node.domain + "." + node.op_type] += sign;
      }
    });
  };
  add(after, 1);
  add(before, -1);
  std::erase_if(changes, [](const auto& change) { return change.second == 0; });
  return changes;
}

Result<OptimizePlan> plan_capabilities(const std::vector<std::string>& enabled,
                                       const std::vector<std::string>& disabled) {
  OptimizePlan plan;
  plan.enabled = default_capabilities();
  for (const std::string& name : enabled) {
    HONE_TRY(const Capability* capability, find_capability(name));
    plan.asked.insert(capability);
    plan.enabled.insert(capability);
  }
  plan.enabled = closure_of(std::move(plan.enabled));
  for (const std::string& name : disabled) {
    HONE_TRY(const Capability* capability, find_capability(name));
    if (plan.asked.contains(capability)) {
      return fail(Fault::bad_input,
                  "'" + std::string(capability->name) + "' is both enabled and disabled");
    }
    plan.enabled.erase(capability);
    for (const Capability* other : plan.enabled) {
      if (!closure_of({other}).contains(capability)) continue;
      return fail(Fault::bad_input, "'" + std::string(capability->name) + "' cannot be disabled",
                  "'" + std::string(other->name) + "' needs it");
    }
  }
  return plan;
}

Result<OptimizeOutcome> optimize(const TransformTools& tools, const Model& model,
                                 const OptimizePlan& plan) {
  Model fixed = clone(model);
  const std::string note = note_of_fixed_inputs(fix_default_inputs(fixed));
  Result<OptimizeOutcome> made = Optimization(tools, fixed, plan).run();
  if (plan.verifies && (!made || is_wrong(made->report))) {
    made = LeavingOut(tools, fixed, plan).run(std::move(made));
  }
  HONE_TRY(OptimizeOutcome outcome, std::move(made));
  if (!note.empty()) outcome.report.notes.push_back(note);
  return outcome;
}

Result<std::vector<CapabilityCheck>> check_capabilities(const TransformTools& tools,
                                                        const Model& model) {
  // ONNX Runtime's optimizers that cannot be switched off do something as well; what a capability
  // does is counted from there. At each level it is another graph, so each is made once.
  std::map<int, OptimizedModel> untouched;
  std::vector<CapabilityCheck> checks;
  for (const Capability& capability : all_capabilities()) {
    tools.progress("trying " + std::string(capability.name));
    if (!untouched.contains(capability.level)) {
      HONE_TRY(OptimizedModel made, optimize_with_ort(tools.runtime, model, {}, capability.level));
      untouched.emplace(capability.level, std::move(made));
    }
    auto check = check_alone(tools, model, untouched.at(capability.level), capability);
    if (!check) {
      CapabilityCheck failed;
      failed.capability = json_name(capability);
      failed.error =
          check.error().what + (check.error().cause.empty() ? "" : ": " + check.error().cause);
      checks.push_back(std::move(failed));
      continue;
    }
    checks.push_back(std::move(*check));
  }
  return checks;
}

}  // namespace hone
