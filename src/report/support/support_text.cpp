#include "report/support/support_text.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "record/target_name.h"
#include "report/trace/text.h"

namespace hone {
namespace {

std::string structure_text(const StructureProof& proof) {
  return "opset " + std::to_string(proof.opset) + ", " + counted(proof.nodes, "node") + ", " +
         counted(proof.checks.size(), "check") + ", model " + proof.model_sha256.substr(0, 12);
}

std::string speed_text(const Comparison& speed) {
  std::string text = "; " + text_form::fixed(speed.ratio, 3);
  if (speed.interval.size() == 2)
    text += " [" + text_form::fixed(speed.interval.front(), 3) + ", " +
            text_form::fixed(speed.interval.back(), 3) + "]";
  return text + " of the time of the model as it came, " + std::string(name_of(speed.verdict));
}

std::string run_text(const RunProof& run) {
  if (run.kind != RunClass::ran)
    return run.target.ep + " did not run it (" + std::string(name_of(run.kind)) + ")";
  std::string text = run.target.ep + " " + text_form::fixed(run.p50_ms.value_or(0), 2) + " ms, " +
                     text_form::share(run.placement.value_or(0)) + " of the nodes there, " +
                     format_bytes(run.peak_bytes.value_or(0));
  if (run.speed) text += speed_text(*run.speed);
  return text;
}

std::string task_text(const TaskProof& proof) {
  std::string text = proof.metric.name + " " + text_form::fixed(proof.metric.model.value, 4);
  if (proof.metric.reference)
    text += ", reference " + text_form::fixed(proof.metric.reference->value, 4);
  if (proof.metric.difference)
    text += ", difference " + text_form::fixed(proof.metric.difference->low, 4) + " to " +
            text_form::fixed(proof.metric.difference->high, 4);
  return text + ", " + counted(proof.samples, "sample");
}

std::string verdict_line(const Review& review) {
  const auto open = std::ranges::count_if(
      review.lines, [](const ReviewLine& line) { return line.verdict != LineVerdict::holds; });
  return printable(review.bundle) + ": " + std::string(name_of(review.verdict)) + ", " +
         counted(review.lines.size(), "check") +
         (open > 0 ? ", " + std::to_string(open) + " of them not" : "") + "\n";
}

// Words of a stranger between ours: no table, tag, link or picture of theirs.
std::string cell(const std::string& text) {
  constexpr std::string_view meaning = "|<`\\";
  std::string plain;
  for (const char c : printable(text)) {
    const bool is_link = c == '(' && plain.ends_with(']');
    if (is_link || meaning.find(c) != std::string_view::npos) plain += '\\';
    plain += c;
  }
  return plain;
}

// A line of a block of code, which nothing in it may end.
std::string code_line(const std::string& text) {
  return (text.starts_with("```") ? " " : "") + printable(text) + "\n";
}

std::string doubts_text(const std::vector<std::string>& doubts) {
  if (doubts.empty()) return {};
  std::string text = "\n**This is not what the manifest says:**\n\n";
  for (const std::string& doubt : doubts) text += "- " + cell(doubt) + "\n";
  return text + "\n";
}

std::string row(std::string_view name, const std::string& value) {
  return "| " + std::string(name) + " | " + cell(value) + " |\n";
}

}  // namespace

std::string describe_parity(const ParityProof& proof) {
  double least = 1;
  bool has_cosine = false;
  for (const OutputComparison& output : proof.outputs) {
    if (!output.cosine) continue;
    least = std::min(least, output.cosine->low);
    has_cosine = true;
  }
  const std::string level =
      has_cosine ? "cosine at least " + text_form::fixed(least, 5) : "the same bits";
  return level + " over " + counted(proof.samples, "sample") + " and " +
         counted(proof.outputs.size(), "output") + "; " + text_form::fixed(proof.least_cosine, 3) +
         " are asked for";
}

std::string evidence_text(const TierProof& tier) {
  if (tier.structure) return structure_text(*tier.structure);
  std::vector<std::string> runs;
  for (const RunProof& run : tier.runs) runs.push_back(run_text(run));
  if (!runs.empty()) return join(runs, "; ");
  if (tier.parity) return describe_parity(*tier.parity);
  if (tier.task) return task_text(*tier.task);
  return {};
}

std::string ran_text(const Ladder& ladder) {
  std::vector<std::string> names;
  for (const TierProof& tier : ladder.tiers) {
    for (const RunProof& run : tier.runs) {
      if (run.kind == RunClass::ran) names.push_back(target_name(run.target));
    }
  }
  return names.empty() ? "nowhere" : join(names, ", ");
}

std::string describe_checked(const CheckedRecipes& checked) {
  std::string text;
  std::size_t wrong = 0;
  for (const CheckedRecipe& one : checked.recipes) {
    if (one.problems.empty() && one.status.empty()) continue;
    wrong += one.problems.empty() ? 0 : 1;
    text += printable(one.file) + "\n";
    if (!one.status.empty()) text += "  marked: " + printable(one.status) + "\n";
    for (const std::string& problem : one.problems) text += "  " + printable(problem) + "\n";
  }
  const std::string count = counted(checked.recipes.size(), "recipe");
  return text + count +
         (wrong == 0 ? ", all of them good\n" : ", " + std::to_string(wrong) + " with problems\n");
}

std::string describe_recipe_file(const RecipeFile& file, const std::string& path) {
  std::string text = printable(path) + "\n  " + file.model + ", " + file.task + ", " +
                     file.precision + " on " + file.recipe.target.ep + ", opset " +
                     std::to_string(file.opset) + "\n";
  for (const auto& [name, is_on] : file.recipe.optimize)
    text += "  " + name + (is_on ? " on\n" : " off\n");
  return text;
}

std::string describe_ladder(const RecipeFile& file, const Ladder& ladder,
                            const std::string& bundle) {
  std::string text =
      file.model + ", " + file.task + "_" + file.precision + " on " + file.recipe.target.ep + "\n";
  for (const TierProof& tier : ladder.tiers) {
    text += "  " + std::string(name_of(tier.tier)) + "  " + std::string(name_of(tier.verdict));
    const std::string shown = evidence_text(tier);
    if (!shown.empty()) text += "  " + shown;
    if (!tier.reason.empty()) text += "\n      " + printable(tier.reason);
    text += "\n";
  }
  return text + "bundle: " + printable(bundle) + "\n";
}

std::string describe_reviews(const Reviews& reviews, bool all_lines) {
  std::string text;
  for (const Review& review : reviews.reviews) {
    text += verdict_line(review);
    for (const ReviewLine& line : review.lines) {
      if (line.verdict == LineVerdict::holds && !all_lines) continue;
      text += "  " + std::string(name_of(line.verdict)) + "  " + line.check + "  " +
              printable(line.citation);
      if (!line.what.empty()) text += "\n    " + printable(line.what);
      text += "\n";
    }
  }
  return text;
}

std::string bundle_markdown(const Bundle& bundle, const std::vector<std::string>& doubts) {
  const RecipeFile& file = bundle.recipe;
  std::string text = "# " + cell(file.model) + "\n" + doubts_text(doubts) + "\n| | |\n|---|---|\n";
  text += row("task", file.task);
  text += row("target", bundle.index.target);
  text += row("ran on", ran_text(bundle.ladder));
  text += row("precision", file.precision);
  text += row("recipe", bundle.index.recipe);
  text += row("source", file.source.file + ", " + file.source.sha256);
  text += row("effort, goal, outcome", std::string(name_of(bundle.claim.effort)) + ", " +
                                           std::string(name_of(bundle.claim.goal)) + ", " +
                                           std::string(name_of(bundle.claim.outcome)));
  text += row("built by",
              "hone " + bundle.ladder.tool_version + ", ONNX Runtime " + bundle.ladder.ort_version);
  text += "\n## Ladder\n\n| tier | verdict | evidence |\n|---|---|---|\n";
  for (const TierProof& tier : bundle.ladder.tiers) {
    const std::string shown = evidence_text(tier);
    text += "| " + std::string(name_of(tier.tier)) + " | " + std::string(name_of(tier.verdict)) +
            " | " + cell(tier.reason.empty() ? shown : shown + " " + tier.reason) + " |\n";
  }
  text += "\n## Artifacts\n\n| file | bytes | SHA-256 |\n|---|---|---|\n";
  for (const PackageEntry& entry : bundle.artifacts.files)
    text += "| " + cell(entry.path) + " | " + std::to_string(entry.bytes) + " | " +
            cell(entry.sha256.substr(0, 16)) + " |\n";
  text += "\n## Notes\n\n";
  if (bundle.notes.surprises.empty()) text += "Nothing was surprising.\n";
  for (const std::string& surprise : bundle.notes.surprises) text += "- " + cell(surprise) + "\n";
  text += "\n## Repeat\n\n```\n";
  for (const TierProof& tier : bundle.ladder.tiers)
    for (const std::string& command : tier.commands) text += code_line(command);
  return text + "```\n";
}

}  // namespace hone
