#include "report/analyze/analyze_text.h"

#include <algorithm>

#include "base/counted.h"
#include "base/join_some.h"
#include "base/text.h"
#include "record/target_name.h"
#include "report/trace/text.h"

namespace hone {
namespace {

constexpr std::size_t most_ops = 8;
constexpr std::size_t most_lines = 20;

std::string kebab(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string features_text(const GraphFeatures& features) {
  std::string text = "  graph    " + counted(features.nodes, "node") + ", opset " +
                     std::to_string(features.opset) + ", " + format_count(features.depth) + " deep";
  if (features.subgraphs > 0) text += ", " + counted(features.subgraphs, "subgraph");
  if (features.functions > 0) text += ", " + counted(features.functions, "function");
  text += "\n  ops      " + describe_counts(features.op_counts, most_ops) + "\n";
  text += "  made of  " + text_form::share(features.conv_share) + " convolutions, " +
          text_form::share(features.matmul_share) + " matrix products, " +
          text_form::share(features.transpose_share) + " transposes; " +
          counted(features.attentions, "attention") + ", " +
          counted(features.normalizations, "normalization") + "\n";
  return text + "  weights  " + format_bytes(features.weight_bytes) + ", " +
         counted(features.parameters, "parameter") + ", " + features.precision +
         (features.has_qdq ? ", with QDQ pairs" : "") + "\n";
}

std::string axes_text(const std::vector<DynamicAxis>& axes) {
  if (axes.empty()) return {};
  constexpr std::size_t most_places = 6;
  std::vector<std::string> parts;
  for (const DynamicAxis& axis : axes) {
    parts.push_back(printable(axis.input) + "[" + std::to_string(axis.axis) + "]" +
                    (axis.symbol ? " " + printable(*axis.symbol) : ""));
  }
  return "  open     " + join_some(parts, most_places) + "\n";
}

std::string refused_text(const CoverageFacts& coverage, std::uint64_t CoverageCounts::*status,
                         const std::string& word) {
  std::map<std::string, std::uint64_t> counts;
  for (const OpCoverage& op : coverage.ops) {
    if (op.counts.*status > 0) {
      counts[(op.domain.empty() ? "" : op.domain + ".") + op.op] = op.counts.*status;
    }
  }
  if (counts.empty()) return {};
  return "  " + word + ": " + describe_counts(counts, most_lines) + "\n";
}

// Each reason once: what a user would look up.
std::string reasons_text(const CoverageFacts& coverage) {
  std::map<std::string, std::uint64_t> reasons;
  for (const NodeCoverage& node : coverage.nodes) {
    const bool is_refused = node.status == Support::unsupported || node.status == Support::partial;
    if (is_refused && !node.reason.empty()) ++reasons[node.op + ": " + node.reason];
  }
  std::string text;
  std::size_t shown = 0;
  for (const auto& [reason, count] : reasons) {
    if (++shown > most_lines) break;
    text +=
        "    " + printable(reason) + (count > 1 ? " (x" + std::to_string(count) + ")" : "") + "\n";
  }
  return text;
}

// Where rules say nothing, nothing was counted: what was seen, or how to see it.
std::string without_rules_text(const Analysis& analysis) {
  const bool was_opened = analysis.placement && analysis.placement->known;
  return "coverage: no rule speaks of any of the " +
         counted(analysis.coverage->counts.total(), "node") +
         (was_opened ? "; what the EP takes was seen by opening the model"
                     : "; --run-unknown-op runs each of them on the EP") +
         "\n";
}

std::string coverage_text(const Analysis& analysis) {
  const CoverageFacts& coverage = *analysis.coverage;
  const CoverageCounts& counts = coverage.counts;
  const bool is_silent = counts.total() > 0 && counts.unknown == counts.total();
  std::string text = "coverage: " + format_count(counts.supported) + " of " +
                     counted(counts.total(), "node") + " supported";
  if (counts.partial > 0) text += ", " + format_count(counts.partial) + " partial";
  if (counts.unsupported > 0) text += ", " + format_count(counts.unsupported) + " unsupported";
  if (counts.unknown > 0) text += ", " + format_count(counts.unknown) + " unknown";
  if (coverage.rules) text += " (" + coverage.rules->file + ", " + coverage.rules->provenance + ")";
  text += "\n" + refused_text(coverage, &CoverageCounts::unsupported, "unsupported") +
          refused_text(coverage, &CoverageCounts::partial, "partial") +
          refused_text(coverage, &CoverageCounts::unknown, "unknown") + reasons_text(coverage);
  if (is_silent) text = without_rules_text(analysis);
  for (const std::string& note : coverage.notes) text += "  note: " + printable(note) + "\n";
  return text;
}

std::string fusions_text(const std::vector<FusionCandidate>& fusions) {
  if (fusions.empty()) return "fusions: none\n";
  constexpr std::size_t widest = 40;
  std::vector<text_form::Row> rows;
  for (const FusionCandidate& fusion : fusions) {
    const std::string first = fusion.nodes.empty() ? "" : printable(fusion.nodes.front());
    rows.push_back({kebab(fusion.capability), format_count(fusion.count),
                    first.empty() ? fusion.makes
                                  : (fusion.makes.empty() ? "" : fusion.makes + ", ") +
                                        "first at " + text_form::keep_end(first, widest)});
  }
  return "fusions\n" + text_form::columns(rows, widest, "2");
}

std::string advice_text(const std::string& title, const std::vector<Suggestion>& advice) {
  if (advice.empty()) return {};
  constexpr std::size_t widest = 40;
  std::vector<text_form::Row> rows;
  for (const Suggestion& one : advice) {
    rows.push_back({kebab(one.capability), printable(one.why)});
  }
  return title + "\n" + text_form::columns(rows, widest, "1");
}

std::string problems_text(const std::vector<QdqProblem>& problems) {
  if (problems.empty()) return {};
  std::string text = "quantization: " + counted(problems.size(), "problem") + "\n";
  for (std::size_t i = 0; i < problems.size() && i < most_lines; ++i) {
    const QdqProblem& problem = problems[i];
    text += "  " + printable(problem.tensor) + " (" + printable(problem.node) +
            "): " + printable(problem.what) + "\n";
  }
  if (problems.size() > most_lines) {
    text += "  ... and " + format_count(problems.size() - most_lines) + " more\n";
  }
  return text;
}

std::string kernels_text(const IntegerKernels& kernels) {
  if (kernels.error) return "integer kernels: not known: " + printable(*kernels.error) + "\n";
  std::string text = "integer kernels: " + format_count(kernels.fused) + " of " +
                     counted(kernels.quantized_nodes, "quantized node");
  if (!kernels.not_fused.empty()) {
    text += "; not fused: " + describe_counts(kernels.not_fused, most_ops);
  }
  text += "\n";
  if (!kernels.kernels.empty()) text += "  " + describe_counts(kernels.kernels, most_ops) + "\n";
  return text;
}

// First of all, because nothing else comes near: it can cost a factor of a hundred. Which CPUs pay
// for it, and how much, only measuring shows.
std::string denormals_text(const GraphFeatures& features) {
  if (features.denormal_weights == 0) return {};
  return "denormals: " + format_count(features.denormal_weights) + " of " +
         counted(features.float_weights, "float weight") +
         " are denormal; arithmetic with such numbers can take a CPU hundreds of cycles\n"
         "  try: --session-options session.set_denormal_as_zero=1, or hone autoconfig\n";
}

}  // namespace

std::string describe_counts(const std::map<std::string, std::uint64_t>& counts, std::size_t most) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater<>(),
                           &std::pair<std::string, std::uint64_t>::second);
  std::vector<std::string> parts;
  for (const auto& [op, count] : sorted) {
    if (parts.size() == most) break;
    parts.push_back(printable(op) + " x" + format_count(count));
  }
  if (sorted.size() > most) parts.push_back(format_count(sorted.size() - most) + " more");
  return join(parts, ", ");
}

std::string describe_analysis(const Analysis& analysis) {
  std::string text = printable(analysis.model) + " on " + short_target_name(analysis.target) +
                     ": " + std::string(name_of(analysis.support)) + "\n" +
                     denormals_text(analysis.features) + features_text(analysis.features) +
                     axes_text(analysis.dynamic_axes);
  if (analysis.coverage) text += coverage_text(analysis);
  if (analysis.placement) text += describe(*analysis.placement) + "\n";
  text += fusions_text(analysis.fusions);
  text += advice_text("suggested", analysis.suggestions);
  text += advice_text("withheld", analysis.withheld);
  text += problems_text(analysis.qdq_problems);
  if (analysis.integer_kernels) text += kernels_text(*analysis.integer_kernels);
  for (const std::string& note : analysis.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace hone
