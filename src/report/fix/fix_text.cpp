#include "report/fix/fix_text.h"

#include "base/counted.h"
#include "base/text.h"
#include "report/compare/compare_text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

constexpr std::size_t most_nodes = 20;

std::string score_text(const FixResult& result, double score) {
  if (result.score_name == "sqnr_db") return text_form::fixed(score, 1) + " dB";
  return text_form::fixed(score, 4);
}

std::string nodes_text(const FixResult& result) {
  const std::size_t count = result.float_nodes.size();
  if (count == 0) return "nothing has to stay in float\n";
  const double share = static_cast<double>(count) /
                       static_cast<double>(std::max<std::uint64_t>(result.nodes_quantized, 1));
  std::string text = "stay in float: " + format_count(count) + " of " +
                     counted(result.nodes_quantized, "node") + " (" + text_form::share(share) +
                     ")\n";
  for (std::size_t i = 0; i < std::min(count, most_nodes); ++i)
    text += "  " + printable(result.float_nodes[i]) + "\n";
  if (count > most_nodes) text += "  ... and " + std::to_string(count - most_nodes) + " more\n";
  return text;
}

}  // namespace

std::string describe_fix(const FixResult& result) {
  std::string text = result.score_name + ": " + score_text(result, result.before) + " -> " +
                     score_text(result, result.after) + ", target " +
                     score_text(result, result.target) +
                     (result.is_reached ? "" : ": NOT reached") + "\n";
  if (result.held_out) {
    text += "on held-out data: " + score_text(result, *result.held_out) + ", target " +
            score_text(result, result.held_out_target.value_or(0)) + "\n";
  }
  text += nodes_text(result);
  text += counted(result.trials, "model") + " made and run";
  if (result.trials_known > 0) text += ", " + format_count(result.trials_known) + " known before";
  text += "\n";
  if (result.overrides) text += "overrides: " + printable(*result.overrides) + "\n";
  if (result.cost) {
    text += "what that costs, beside everything quantized\n" + describe_comparison(*result.cost);
  }
  for (const std::string& note : result.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace hone
