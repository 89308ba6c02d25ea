#include "inspect/coverage/coverage.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "inspect/coverage/condition.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

struct Verdict {
  Support status = Support::unknown;
  std::string reason{};
  std::string source{};
};

bool is_random(const Node& node) {
  return node.op_type.starts_with("Random") || node.is("Bernoulli") || node.is("Multinomial");
}

// ONNX Runtime computes such a node once, before any EP is asked.
bool is_folded(const Node& node) {
  if (node.is("Constant")) return true;
  if (is_random(node) || !node.subgraphs().empty() || node.inputs().empty()) return false;
  return std::ranges::all_of(node.inputs(), [](const Value* value) {
    return value == nullptr || value->constant() != nullptr;
  });
}

// EPs write their name into the contexts they make, with or without "ExecutionProvider".
bool is_made_by(const Node& context, const std::string& ep) {
  const std::string source = lowercase(context.string_or("source", ""));
  const std::string own = lowercase(ep_own_name(ep));
  return source == ep || source == own || source + "executionprovider" == own;
}

Verdict judge_context(const Node& node, const std::string& ep) {
  const std::string source = printable(node.string_or("source", ""));
  if (source.empty()) return {Support::unknown, "the compiled node does not say which EP made it"};
  if (is_made_by(node, ep)) return {Support::supported, "", "shortcut"};
  return {Support::unsupported, "it was compiled by " + source, "shortcut"};
}

const Function* function_of(const Model& model, const Node& node) {
  const auto calls = [&](const Function& function) {
    return function.name == node.op_type && function.domain == node.domain;
  };
  const auto found = std::ranges::find_if(model.functions, calls);
  return found == model.functions.end() ? nullptr : &*found;
}

class CoverageJudge {
 public:
  CoverageJudge(const Model& model, const NamedRules* rules, std::string ep, std::string device)
      : model_(model), rules_(rules), ep_(std::move(ep)), device_(std::move(device)) {
    if (rules_ == nullptr) return;
    for (const OpRule& rule : rules_->rules.rules) {
      const bool is_here =
          rule.devices.empty() || std::ranges::find(rule.devices, device_) != rule.devices.end();
      for (const std::string& op : rule.ops) {
        std::vector<const OpRule*>& of_op = by_op_[key_of(rule.domain, op)];
        if (is_here) of_op.push_back(&rule);
      }
    }
  }

  Verdict judge_node(const Node& node) const {
    if (node.op_type == "EPContext") return judge_context(node, ep_);
    if (is_folded(node)) return {Support::supported, "", "shortcut"};
    if (function_of(model_, node) != nullptr)
      return {Support::unknown, "a function of the model: rules speak of single ops"};
    if (rules_ == nullptr) return {Support::unknown, "no rules for " + ep_ + "/" + device_};
    const ConditionAnswer needs = judge(rules_->rules.needs, node);
    if (needs.holds == Holds::no) return {Support::unsupported, needs.why, "rule"};
    Verdict verdict = judge_by_rules(node);
    if (needs.holds == Holds::unclear && verdict.status != Support::unsupported)
      return {Support::unknown, needs.why};
    return verdict;
  }

 private:
  static std::string key_of(std::string_view domain, std::string_view op) {
    return (domain == "ai.onnx" ? std::string() : std::string(domain)) + ":" + std::string(op);
  }

  // The first rule that fits answers. One that may fit ends the search: a later one would answer
  // for a case it was not written for.
  Verdict judge_by_rules(const Node& node) const {
    const auto found = by_op_.find(key_of(node.domain, node.op_type));
    if (found == by_op_.end()) return judge_unlisted(node);
    if (found->second.empty()) return {Support::unknown, "no rule for " + printable(node.op_type)};
    const std::int64_t opset = model_.opset(node.domain);
    std::string missed =
        "no rule for " + printable(node.op_type) + " of opset " + std::to_string(opset);
    for (const OpRule* rule : found->second) {
      if (opset < rule->since || opset > rule->until.value_or(opset)) continue;
      const ConditionAnswer answer = judge(rule->when, node);
      if (answer.holds == Holds::unclear) return {Support::unknown, answer.why};
      if (answer.holds == Holds::yes)
        return {rule->status, rule->status == Support::supported ? "" : said_by(*rule), "rule"};
      missed = "no rule fits: " + answer.why;
    }
    return {Support::unknown, missed};
  }

  Verdict judge_unlisted(const Node& node) const {
    if (rules_->rules.unlisted.empty())
      return {Support::unknown, "no rule for " + printable(node.op_type)};
    return {Support::unsupported, rules_->rules.unlisted, "rule"};
  }

  static std::string said_by(const OpRule& rule) {
    return rule.note.empty() ? "the rules say so" : rule.note;
  }

  const Model& model_;
  const NamedRules* rules_;
  std::string ep_;
  std::string device_;
  std::map<std::string, std::vector<const OpRule*>> by_op_;
};

// Its name, else what it makes.
std::string label_of(const Node& node) {
  if (!node.name.empty()) return node.name;
  for (const Value* output : node.outputs()) {
    if (output != nullptr) return output->name();
  }
  return "";
}

void walk(const Graph& graph, std::vector<const Node*>& nodes) {
  for (const Node& node : graph.nodes()) {
    nodes.push_back(&node);
    for (const Graph* inner : node.subgraphs()) walk(*inner, nodes);
  }
}

CoverageRules describe_rules(const NamedRules& rules, const std::string& ort_version) {
  const RuleFile& file = rules.rules;
  CoverageRules described{rules.file,
                          std::string(name_of(file.provenance.kind)),
                          file.provenance.source,
                          file.provenance.made_by,
                          file.onnxruntime,
                          file.ep_version,
                          std::nullopt};
  if (!ort_version.empty()) described.fits = is_inside(file.onnxruntime, ort_version);
  return described;
}

void add_notes(CoverageFacts& facts, const NamedRules* rules, const CoverageQuestion& question) {
  if (rules == nullptr) {
    facts.notes.push_back("no rule file speaks of " + facts.ep + "/" + facts.device);
    return;
  }
  facts.notes = rules->rules.notes;
  if (question.device == "auto" && rules->rules.devices.size() > 1)
    facts.notes.push_back("--device is not given: the rules for " + facts.device + " are used");
  if (facts.rules->fits == false)
    facts.notes.push_back("the rules were not made for ONNX Runtime " + question.ort_version);
}

}  // namespace

std::vector<const Node*> covered_nodes(const Model& model) {
  std::vector<const Node*> nodes;
  walk(*model.graph, nodes);
  return nodes;
}

void sum_up(CoverageFacts& facts) {
  facts.counts = {};
  std::map<std::pair<std::string, std::string>, CoverageCounts> ops;
  for (const NodeCoverage& node : facts.nodes) {
    facts.counts.add(node.status);
    ops[{node.domain, node.op}].add(node.status);
  }
  facts.ops.clear();
  for (const auto& [name, counts] : ops) facts.ops.push_back({name.second, name.first, counts});
}

CoverageFacts cover(const Model& model, const NamedRules* rules, const CoverageQuestion& question) {
  CoverageFacts facts;
  facts.ep = question.ep;
  facts.device = question.device;
  if (rules != nullptr) {
    if (facts.device == "auto") facts.device = rules->rules.devices.front();
    facts.rules = describe_rules(*rules, question.ort_version);
  }
  add_notes(facts, rules, question);
  const CoverageJudge judge(model, rules, facts.ep, facts.device);
  for (const Node* node : covered_nodes(model)) {
    Verdict verdict = judge.judge_node(*node);
    facts.nodes.push_back({label_of(*node), node->op_type,
                           node->is_default_domain() ? "" : node->domain, verdict.status,
                           std::move(verdict.reason), std::move(verdict.source)});
  }
  sum_up(facts);
  return facts;
}

}  // namespace hone
