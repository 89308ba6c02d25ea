#include "report/optimize/optimize_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/counted.h"
#include "base/text.h"
#include "report/table.h"
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
  if (effect.left_out_because) {
    return label + ": LEFT OUT, " + printable(*effect.left_out_because) + "\n";
  }
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

// How well an output fares: those that differ most, and those that cannot be judged, last.
double standing(const OutputDifference& output, const Verification& verification) {
  if (output.is_equal) return 1e9;
  if (output.judged == 0) return -1e9;
  const bool is_within = !output.judged && verification.tolerance &&
                         output.relative.value_or(1) <= *verification.tolerance;
  if (is_within) return 1e6 - *output.relative;
  return output.sqnr_db.value_or(0) - output.own_sqnr_db.value_or(1e6);
}

std::string decibels(std::optional<double> value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f dB", value.value_or(0));
  return text.data();
}

// " (allowed: 1.0e-04)", or what the model's own noise allows.
std::string bound_text(const OutputDifference& output, const Verification& verification) {
  if (!verification.tolerance) return {};
  std::string text = " (allowed: " + scientific(*verification.tolerance);
  if (output.own_sqnr_db) {
    text += ", or " + decibels(*output.own_sqnr_db - verification.margin_db.value_or(0)) +
            " by its own rounding noise; it is at " + decibels(output.sqnr_db);
  }
  return text + ")";
}

std::string set_aside_text(const OutputDifference& output, const Verification& verification) {
  const std::uint64_t judged = output.judged.value_or(verification.samples);
  if (judged == verification.samples) return {};
  return ", judged on " + format_count(judged) +
         " of them: on the others rounding alone is above " + decibels(verification.least_own_db);
}

}  // namespace

std::string describe_verification(const Verification& verification) {
  const std::string samples = ", " + counted(verification.samples, "sample") + "\n";
  const std::string verdict = verification.holds ? "verified: " : "NOT verified: ";
  const auto worst = std::ranges::min_element(
      verification.outputs, {},
      [&](const OutputDifference& output) { return standing(output, verification); });
  if (worst == verification.outputs.end() || worst->is_equal) {
    return verdict + "outputs are equal bit for bit" + samples;
  }
  if (worst->judged == 0) {
    return verdict + "'" + printable(worst->output) + "' differs by " +
           scientific(worst->relative.value_or(1)) + " of its largest value, and rounding alone " +
           "does as much: flipping the last bits of inputs and weights leaves " +
           decibels(worst->own_sqnr_db) + ", and below " + decibels(verification.least_own_db) +
           " a sample tells nothing" + samples;
  }
  return verdict + "outputs differ by " + scientific(worst->relative.value_or(1)) +
         " of their largest value" + bound_text(*worst, verification) +
         set_aside_text(*worst, verification) + samples;
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
  for (const std::string& file : report.data_files) text += "weights in " + printable(file) + "\n";
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

std::string describe_capabilities(const CapabilityList& list) {
  std::vector<text_form::Row> rows;
  std::string category;
  for (const CapabilityFacts& one : list.capabilities) {
    if (one.category != category) rows.push_back({category = one.category, ""});
    std::string option = one.name;
    std::ranges::replace(option, '_', '-');
    rows.push_back({"  " + option, one.summary});
  }
  return text_form::table(rows);
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
  for (const BisectSuspect& suspect : report.suspects) {
    text += "  without " + suspect.optimizer + " it is " +
            (suspect.relative_without ? scientific(*suspect.relative_without) : "unknown") + "\n";
  }
  if (!report.together.empty()) {
    text += "  without " + join(report.together, ", ") + " together it is well\n";
  }
  const std::string steps = counted(report.steps, "session");
  if (report.is_interrupted) return text + "interrupted after " + steps + "\n";
  if (std::ranges::all_of(report.levels, &BisectLevel::is_well)) {
    return text + "no optimizer moves an output by more than " + scientific(report.tolerance) +
           " or its own rounding noise\n";
  }
  const bool is_found = !report.suspects.empty() || !report.together.empty();
  return text + (is_found ? "" : "no optimizer that can be switched off is to blame\n");
}

}  // namespace hone
