#include "report/optimize/optimize_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/counted.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

constexpr std::size_t most_reasons = 20;

// "1.3e-06"
std::string scientific(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1e", value);
  return text.data();
}

std::string signed_count(std::int64_t count) {
  return (count > 0 ? "+" : "") + std::to_string(count);
}

// "Conv +3, Mul -12": the largest changes first.
std::string changes_text(const std::map<std::string, std::int64_t>& changes) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(changes.begin(), changes.end());
  std::ranges::stable_sort(
      sorted, [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  std::vector<std::string> parts;
  for (const auto& [op, count] : sorted) parts.push_back(printable(op) + " " + signed_count(count));
  return join(parts, ", ");
}

std::string kebab(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

// The same reason once, with the number of nodes it was given for.
std::string reasons_text(const std::vector<DeclinedNode>& declined) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const DeclinedNode& one : declined) by_reason[one.reason].push_back(one.node);
  std::string text;
  std::size_t shown = 0;
  for (const auto& [reason, nodes] : by_reason) {
    if (++shown > most_reasons) break;
    text += "    declined " +
            (nodes.size() == 1
                 ? printable(nodes.front())
                 : format_count(nodes.size()) + " nodes, " + printable(nodes.front()) + " first") +
            ": " + printable(reason) + "\n";
  }
  return text;
}

std::string effect_text(const std::string& name, const CapabilityEffect& effect,
                        const OptimizeTextOptions& options) {
  std::string text;
  const std::string label = "  " + kebab(name);
  if (effect.fused > 0) {
    const bool counts_nodes = effect.source == "onnxruntime";
    text = label + ": " + counted(effect.fused, counts_nodes ? "node" : "time") +
           (counts_nodes ? " fewer\n" : "\n");
  } else if (effect.changed) {
    text = label + ": changed the graph\n";
  } else if (effect.asked) {
    text = label + ": changed nothing";
    if (!effect.declined.empty() && !options.explains) {
      text += " (" + format_count(effect.declined.size()) + " declined; --explain says why)";
    }
    text += "\n";
  }
  return options.explains && (effect.asked || effect.changed) ? text + reasons_text(effect.declined)
                                                              : text;
}

}  // namespace

std::string describe_verification(const Verification& verification) {
  std::string text = verification.holds ? "verified: " : "NOT verified: ";
  const bool is_equal =
      std::ranges::all_of(verification.outputs, [](const auto& one) { return one.is_equal; });
  double largest = 0;
  for (const OutputDifference& one : verification.outputs) {
    largest = std::max(largest, one.relative.value_or(0));
  }
  text += is_equal ? "outputs are equal bit for bit"
                   : "outputs differ by " + scientific(largest) + " of their largest value";
  if (!is_equal && verification.tolerance) {
    text += " (allowed: " + scientific(*verification.tolerance);
    if (verification.noise) {
      text += ", or 4 x " + scientific(*verification.noise) + ", its own rounding noise";
    }
    text += ")";
  }
  return text + ", " + counted(verification.samples, "sample") + "\n";
}

std::string describe_optimize(const OptimizeReport& report, const OptimizeTextOptions& options) {
  std::string text = printable(report.model) + ": " + format_count(report.nodes_before) + " -> " +
                     counted(report.nodes_after, "node") + ", " +
                     format_bytes(report.bytes_before) + " -> " + format_bytes(report.bytes_after) +
                     " of weights\n";
  if (!report.op_changes.empty()) text += "  " + changes_text(report.op_changes) + "\n";
  for (const auto& [name, effect] : report.capabilities) text += effect_text(name, effect, options);
  if (report.verified) text += describe_verification(*report.verified);
  for (const std::string& note : report.notes) text += "note: " + printable(note) + "\n";
  return text;
}

std::string describe_checks(const std::vector<CapabilityCheck>& checks,
                            const OptimizeTextOptions& options) {
  std::string text;
  std::vector<std::string> idle;
  for (const CapabilityCheck& check : checks) {
    const std::string name = kebab(check.capability);
    if (check.error) {
      text += "  " + name + ": cannot be tried: " + printable(*check.error) + "\n";
    } else if (check.changes) {
      text += "  " + name + ": " + signed_count(check.nodes_delta) + " nodes (" +
              changes_text(check.op_changes) + ")\n";
    } else {
      idle.push_back(name);
    }
    if (options.explains) text += reasons_text(check.declined);
  }
  if (text.empty()) text = "  no capability would change this model\n";
  return text + "no effect: " + join(idle, ", ") + "\n";
}

std::string describe_bisect(const BisectReport& report) {
  std::string text =
      printable(report.model) + ": outputs at each level against those without any\n";
  for (const BisectLevel& level : report.levels) {
    text += "  " + level.level + ": " +
            (level.relative ? scientific(*level.relative) + " of the largest value"
                            : "fails: " + printable(level.error.value_or(""))) +
            "\n";
  }
  const bool is_well = std::ranges::all_of(report.levels, [&](const BisectLevel& level) {
    return level.relative && *level.relative <= report.tolerance;
  });
  if (is_well)
    return text + "no optimizer moves an output by more than " + scientific(report.tolerance) +
           "\n";
  if (report.suspects.empty()) return text + "no single optimizer is to blame: it takes several\n";
  for (const BisectSuspect& suspect : report.suspects) {
    text += "  without " + suspect.optimizer + " it is " +
            (suspect.relative_without ? scientific(*suspect.relative_without) : "unknown") + "\n";
  }
  return text;
}

}  // namespace hone
