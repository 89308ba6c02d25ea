#include "pipeline/coverage_gate.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "inspect/analyze/suggest.h"
#include "inspect/coverage/coverage.h"
#include "model/edit.h"
#include "runtime/ep_names.h"
#include "runtime/infer.h"

namespace hone {
namespace {

constexpr std::size_t most_named = 8;

// With the types that inference finds; where it finds none, rules that need one say "unknown".
Result<Model> with_types(const TransformTools& tools, const Model& model) {
  Model copy = clone(model);
  HONE_TRY_DO(sort_topologically(*copy.graph));
  if (!infer_types(tools.runtime, tools.probe_library, copy)) return clone(model);
  return copy;
}

std::string op_of(const NodeCoverage& node) {
  return printable(node.domain.empty() ? node.op : node.domain + "." + node.op);
}

Result<std::vector<std::string>> remedies_for(const Model& model, const CoverageFacts& facts,
                                              const NamedRules* rules) {
  const OpSupport support = support_by(rules, facts.device, model.opset());
  HONE_TRY(const std::vector<Suggestion> found, find_remedies(model, facts, support));
  std::vector<std::string> names;
  for (const Suggestion& remedy : found) {
    std::string& name = names.emplace_back(remedy.capability);
    std::ranges::replace(name, '_', '-');
  }
  return names;
}

}  // namespace

Result<std::optional<BuildCoverage>> cover_build(const TransformTools& tools,
                                                 const CoveredModels& models,
                                                 const Target& target) {
  BuildCoverage coverage;
  coverage.ep = ep_short_name(target.ep);
  if (coverage.ep == "cpu") return std::optional<BuildCoverage>();
  HONE_TRY(const std::vector<NamedRules> files, load_rules());
  const NamedRules* rules = find_rules(files, coverage.ep, target.device);
  const CoverageQuestion question{coverage.ep, target.device, tools.runtime->version()};
  HONE_TRY(const Model before, with_types(tools, models.before));
  HONE_TRY(const Model given, with_types(tools, models.given));
  const CoverageFacts facts = cover(given, rules, question);
  coverage.device = facts.device;
  if (rules != nullptr) coverage.rules = rules->file;
  coverage.before = cover(before, rules, question).counts;
  coverage.counts = facts.counts;
  for (const NodeCoverage& node : facts.nodes) {
    if (node.status == Support::unsupported) coverage.unsupported.push_back(node);
    if (node.status == Support::unknown) ++coverage.unknown[op_of(node)];
  }
  if (!coverage.unsupported.empty()) {
    HONE_TRY(coverage.remedies, remedies_for(given, facts, rules));
  }
  return std::optional(std::move(coverage));
}

Status judge_coverage(const BuildCoverage& coverage) {
  if (coverage.unsupported.empty()) return done();
  std::vector<std::string> lines;
  for (const NodeCoverage& node : coverage.unsupported) {
    if (lines.size() == most_named) {
      lines.push_back("and " + std::to_string(coverage.unsupported.size() - most_named) + " more");
      break;
    }
    lines.push_back(printable(node.node) + " (" + op_of(node) + "): " + node.reason);
  }
  std::string hint;
  for (const std::string& name : coverage.remedies) hint += "--enable " + name + " ";
  if (!hint.empty()) hint += "writes it in operators that are taken; ";
  return fail(Fault::not_held, Trouble::no_kernel,
              coverage.ep + " does not take " + counted(coverage.unsupported.size(), "node") +
                  " of " + format_count(coverage.counts.total()) + ", by " +
                  coverage.rules.value_or(""),
              join(lines, "\n"),
              hint +
                  "--allow-unsupported builds it all the same: ONNX Runtime leaves those nodes "
                  "to another EP where it may");
}

}  // namespace hone
