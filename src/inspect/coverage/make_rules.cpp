#include "inspect/coverage/make_rules.h"

#include <algorithm>
#include <map>
#include <set>

#include "inspect/coverage/specimens.h"
#include "model/opset/history.h"

namespace hone {
namespace {

struct OpsetRange {
  int since = 1;
  std::optional<int> until;
};

// The opsets between which the op of a specimen did not change, as far as they are probed.
std::vector<OpsetRange> ranges_of(const Specimen& specimen, const Node& node, int oldest) {
  if (!node.is_default_domain()) return {{1, std::nullopt}};
  const opset::OpHistory* history = opset::find_history(node.op_type);
  // ONNX Runtime keeps a few ops of its own in ONNX's domain.
  if (history == nullptr) return {{oldest, opset::newest_opset}};
  const int first = std::max({oldest, specimen.since, history->since});
  int last = specimen.until == 0 ? opset::newest_opset : specimen.until;
  if (history->until != 0) last = std::min(last, history->until - 1);
  std::set<int> starts = {first};
  for (const opset::Step& step : history->steps) {
    if (step.version > first && step.version <= last) starts.insert(step.version);
  }
  std::vector<OpsetRange> ranges;
  for (auto start = starts.begin(); start != starts.end() && first <= last; ++start) {
    const auto next = std::next(start);
    ranges.push_back({*start, next == starts.end() ? last : *next - 1});
  }
  return ranges;
}

// What types the inputs have that came out alike.
struct Outcome {
  Support status = Support::unknown;
  std::string note;
  std::vector<std::vector<std::string>> inputs;
  std::vector<std::vector<std::string>> outputs;
  std::int64_t rank = 0;
};

void add_type(std::vector<std::vector<std::string>>& positions, std::size_t index,
              const std::string& type) {
  positions.resize(std::max(positions.size(), index + 1));
  std::vector<std::string>& types = positions[index];
  if (std::ranges::find(types, type) == types.end()) types.push_back(type);
}

void add_node_types(Outcome& outcome, const Node& node, std::string_view second) {
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const Value* value = node.input(i);
    if (value == nullptr) continue;
    const TensorPtr constant = value->constant();
    add_type(outcome.inputs, i, name_of(constant ? constant->type : value->type.element));
    const std::size_t rank = constant ? constant->dims.size() : value->type.shape->size();
    outcome.rank = std::max(outcome.rank, static_cast<std::int64_t>(rank));
  }
  // The only op of which two forms differ in nothing but what they make.
  if (node.is("Cast")) add_type(outcome.outputs, 0, std::string(second));
}

void add_outcome(std::vector<Outcome>& outcomes, const ProbedOp& probed, const Node& node,
                 std::string_view second) {
  // The runtime's own words name files of this machine.
  const std::string note =
      probed.status == Support::unsupported ? "not taken when probed" : probed.reason;
  auto found = std::ranges::find_if(outcomes, [&](const Outcome& outcome) {
    return outcome.status == probed.status && outcome.note == note;
  });
  if (found == outcomes.end()) {
    outcomes.push_back({probed.status, note, {}, {}, 0});
    found = std::prev(outcomes.end());
  }
  add_node_types(*found, node, second);
}

bool same_but_ops(const OpRule& a, const OpRule& b) {
  OpRule with_ops_of_a = b;
  with_ops_of_a.ops = a.ops;
  return to_json(with_ops_of_a) == to_json(a);
}

// A rule that goes on where the last one of the same op ended, saying the same.
bool extend_last(std::vector<OpRule>& rules, const OpRule& next) {
  for (OpRule& rule : rules) {
    if (!rule.until || *rule.until + 1 != next.since) continue;
    OpRule moved = next;
    moved.since = rule.since;
    moved.until = rule.until;
    if (to_json(moved) != to_json(rule)) continue;
    rule.until = next.until;
    return true;
  }
  return false;
}

class Maker {
 public:
  Maker(OpProber prober, const RuleProbeJob& job)
      : prober_(std::move(prober)),
        types_(job.types),
        oldest_opset_(job.oldest_opset),
        keeps_rank_(job.probe.run.target.ep != "cpu") {
    if (types_.empty()) types_.assign(probed_types().begin(), probed_types().end());
  }

  Result<std::vector<OpRule>> rules_of(const Specimen& specimen) {
    std::vector<OpRule> rules;
    for (const std::string& second : specimen.second) {
      if (specimen.second.size() == probed_types().size() && !is_tried(second)) continue;
      HONE_TRY(std::vector<OpRule> of_second, rules_of(specimen, second));
      std::ranges::move(of_second, std::back_inserter(rules));
    }
    return rules;
  }

  const std::string& ort_version() const { return ort_version_; }

 private:
  static Result<Model> any_model(const Specimen& specimen, std::string_view second) {
    for (const std::string& type : probed_types()) {
      Result<Model> model = make_specimen(specimen, opset::newest_opset, type, second);
      if (model) return model;
    }
    return make_specimen(specimen, opset::newest_opset, probed_types().front(), second);
  }

  bool is_tried(const std::string& type) const {
    return std::ranges::find(types_, type) != types_.end();
  }

  Result<std::vector<OpRule>> rules_of(const Specimen& specimen, const std::string& second) {
    std::vector<OpRule> rules;
    HONE_TRY(const Model any, any_model(specimen, second));
    const Node& node = any.graph->nodes().front();
    for (OpsetRange range : ranges_of(specimen, node, oldest_opset_)) {
      do {
        HONE_TRY(const Outcomes tried, try_types(specimen, range, second));
        // What defines an op may be out of date in the next opset.
        OpsetRange held = range;
        if (tried.any_expanded && held.until) held.until = held.since;
        for (const Outcome& outcome : tried.outcomes) {
          OpRule rule = rule_of(outcome, node, held);
          if (!extend_last(rules, rule)) rules.push_back(std::move(rule));
        }
        range.since = held.until.value_or(range.since) + 1;
      } while (range.until && range.since <= *range.until);
    }
    return rules;
  }

  struct Outcomes {
    std::vector<Outcome> outcomes;
    bool any_expanded = false;
  };

  Result<Outcomes> try_types(const Specimen& specimen, const OpsetRange& range,
                             std::string_view second) {
    Outcomes outcomes;
    const bool is_own = !range.until;
    std::set<std::string> tried;
    for (const std::string& type : types_) {
      constexpr int opset_of_own_ops = 21;
      const Result<Model> model =
          make_specimen(specimen, is_own ? opset_of_own_ops : range.since, type, second);
      if (!model) continue;
      HONE_TRY(const std::string bytes, serialize(*model));
      if (!tried.insert(bytes).second) continue;  // a form without T
      HONE_TRY(const ProbedOp probed, prober_.probe(*model));
      if (!probed.ort_version.empty()) ort_version_ = probed.ort_version;
      if (probed.status == Support::unknown) continue;
      outcomes.any_expanded = outcomes.any_expanded || probed.was_expanded;
      add_outcome(outcomes.outcomes, probed, model->graph->nodes().front(), second);
    }
    return outcomes;
  }

  OpRule rule_of(const Outcome& outcome, const Node& node, const OpsetRange& range) const {
    OpRule rule;
    rule.ops = {node.op_type};
    rule.domain = node.domain;
    rule.since = range.since;
    if (range.until) rule.until = *range.until;
    rule.when.inputs = outcome.inputs;
    rule.when.outputs = outcome.outputs;
    if (keeps_rank_) rule.when.max_rank = outcome.rank;
    rule.status = outcome.status;
    rule.note = outcome.note;
    return rule;
  }

  OpProber prober_;
  std::vector<std::string> types_;
  int oldest_opset_;
  bool keeps_rank_;  // the CPU EP picks kernels by type alone; of others we claim what was tried
  std::string ort_version_;
};

void merge(std::vector<OpRule>& all, const OpRule& rule) {
  for (OpRule& other : all) {
    if (!same_but_ops(other, rule)) continue;
    if (std::ranges::find(other.ops, rule.ops.front()) == other.ops.end())
      other.ops.push_back(rule.ops.front());
    return;
  }
  all.push_back(rule);
}

}  // namespace

Result<RuleFile> make_rules(const RuleProbeJob& job) {
  RuleFile file;
  file.ep = job.probe.run.target.ep;
  file.devices = {job.device};
  file.provenance = {Provenance::probed, job.source, job.made_by};
  if (file.ep != "cpu")
    file.notes = {"probed with small tensors: a rule claims no higher rank than was run"};
  HONE_TRY(OpProber prober, OpProber::create(job.probe));
  Maker maker(std::move(prober), job);
  for (const Specimen& specimen : all_specimens()) {
    job.probe.progress("running " + specimen.node);
    HONE_TRY(const std::vector<OpRule> rules, maker.rules_of(specimen));
    for (const OpRule& rule : rules) merge(file.rules, rule);
  }
  file.onnxruntime = {maker.ort_version(), maker.ort_version()};
  return file;
}

}  // namespace hone
