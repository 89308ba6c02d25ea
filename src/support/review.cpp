#include "support/review.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "knowledge/family.h"
#include "record/recipe_hash.h"
#include "support/claim.h"
#include "support/ladder.h"
#include "support/lines.h"
#include "support/recipe_file.h"
#include "support/weights.h"

namespace hone {
namespace {

class BundleCheck {
 public:
  explicit BundleCheck(const Bundle& bundle) : bundle_(bundle) {}

  std::vector<ReviewLine> run() {
    check_recipe();
    check_index();
    check_receipt();
    check_artifacts();
    check_weights();
    check_notes();
    check_findings();
    lines_.add(check_claim(bundle_.claim, bundle_.recipe, bundle_.findings.findings.size()));
    lines_.add(check_ladder(bundle_.ladder, bundle_.claim, bundle_.recipe));
    return lines_.take();
  }

 private:
  void check_recipe() {
    const RecipeFile& recipe = bundle_.recipe;
    const std::vector<std::string> problems = problems_of(recipe, {});
    lines_.require("recipe", problems.empty(), LineVerdict::reject, "recipe.json",
                   join(problems, "; "));
    lines_.require("recipe.status", recipe.status.empty(), LineVerdict::changes,
                   "recipe.json#/_status", "it is marked: " + printable(recipe.status));
    const BundleManifest& manifest = bundle_.manifest;
    lines_.require("bundle.subject", manifest.model == recipe.model && manifest.task == recipe.task,
                   LineVerdict::reject, "manifest.json#/model",
                   "the manifest is about another model or task");
  }

  void check_index() {
    const RecipeFile& recipe = bundle_.recipe;
    const IndexRow& row = bundle_.index;
    const bool is_same = row.model == recipe.model && row.task == recipe.task &&
                         row.precision == recipe.precision &&
                         row.target == target_word(recipe.recipe.target) &&
                         row.recipe == recipe_path(recipe).generic_string();
    lines_.require("index.subject", is_same, LineVerdict::reject, "index.json",
                   "the row is about another recipe");
    lines_.require("index.reached", row.reached == reached(bundle_.ladder), LineVerdict::reject,
                   "index.json#/reached", "the ladder reached another tier");
  }

  // Success is what the receipt says of bytes, never an exit code.
  void check_receipt() {
    const BuildReceipt& receipt = bundle_.receipt;
    const std::string recipe = hash_of(bundle_.recipe.recipe);
    lines_.require(
        "receipt.recipe", receipt.recipe_sha256 == recipe && hash_of(receipt.recipe) == recipe,
        LineVerdict::reject, "receipt.json#/recipe_sha256", "it was built with another recipe");
    lines_.require("receipt.model", receipt.model_sha256 == bundle_.recipe.source.sha256,
                   LineVerdict::reject, "receipt.json#/model_sha256",
                   "it was built of another model");
    const bool has_failed = std::ranges::any_of(receipt.stages, [](const StageReceipt& stage) {
      return stage.status == StageStatus::failed;
    });
    lines_.require("receipt.stages", !has_failed && !receipt.stages.empty(), LineVerdict::reject,
                   "receipt.json#/stages", "a stage failed, or there are none");
    lines_.require("receipt.finished", receipt.final_sha256.has_value(), LineVerdict::reject,
                   "receipt.json#/final_sha256", "the build did not finish");
    lines_.require("receipt.versions",
                   receipt.tool_version == bundle_.ladder.tool_version &&
                       receipt.ort_version == bundle_.ladder.ort_version,
                   LineVerdict::reject, "receipt.json#/tool_version",
                   "building and climbing were done by other versions");
  }

  void check_artifacts() {
    const std::vector<PackageEntry>& files = bundle_.artifacts.files;
    const bool has_model = std::ranges::any_of(
        files, [](const PackageEntry& file) { return file.path.ends_with(".onnx"); });
    lines_.require("artifacts", has_model, LineVerdict::reject, "artifacts.json",
                   "no model is among them");
  }

  void check_weights() {
    const auto first = std::ranges::find(bundle_.ladder.tiers, Tier::l0, &TierProof::tier);
    if (first == bundle_.ladder.tiers.end() || !first->structure) return;
    const StructureProof& proof = *first->structure;
    lines_.require("ladder.L0.model", proof.model_sha256 == bundle_.receipt.final_sha256,
                   LineVerdict::reject, "ladder.json#/tiers/0/structure/model_sha256",
                   "another model than the receipt's was looked at");
    const std::string problem = weights_problem(bundle_.recipe.recipe, proof.weight_bytes);
    lines_.require("ladder.L0.weights", problem.empty(), LineVerdict::reject,
                   "ladder.json#/tiers/0/structure/weight_bytes", problem);
    lines_.require("ladder.L0.opset", proof.opset == bundle_.recipe.opset, LineVerdict::reject,
                   "ladder.json#/tiers/0/structure/opset", "the recipe declares another opset");
  }

  void check_notes() {
    const MethodNotes& notes = bundle_.notes;
    lines_.require("notes", notes.surprises.empty() == notes.without_friction, LineVerdict::changes,
                   "notes.json", "either something was surprising, or it says that nothing was");
    const bool has_coverage =
        bundle_.coverage.as_object() != nullptr && !bundle_.coverage.as_object()->empty();
    lines_.require("coverage", has_coverage, LineVerdict::changes, "coverage.json", "it is empty");
  }

  // What findings say is well-formed, and what they cite is in the bundle with that hash.
  void check_findings() {
    const std::vector<ModelFinding>& findings = bundle_.findings.findings;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const std::string place = "findings.json#/findings/" + std::to_string(i);
      const auto fits = appended({.family = "bundle", .model_type = "bundle"}, findings[i]);
      lines_.require("findings", fits.has_value(), LineVerdict::changes, place,
                     fits ? std::string() : fits.error().what + ": " + fits.error().cause);
      for (std::size_t k = 0; k < findings[i].evidence.size(); ++k) {
        const ModelEvidence& cited = findings[i].evidence[k];
        check_link(cited.file, cited.sha256, place + "/evidence/" + std::to_string(k));
      }
    }
  }

  void check_link(const std::string& file, const std::string& hash, const std::string& place) {
    const auto found = std::ranges::find(bundle_.manifest.files, file, &PackageEntry::path);
    if (found == bundle_.manifest.files.end()) {
      lines_.require("findings.link", false, LineVerdict::changes, place,
                     "'" + printable(file) + "' is not in the bundle");
      return;
    }
    lines_.require("findings.link", found->sha256 == hash, LineVerdict::reject, place,
                   "'" + printable(file) + "' has another SHA-256");
  }

  const Bundle& bundle_;
  Lines lines_;
};

std::string citation_of(const TierProof& tier) {
  return "ladder.json#/tiers/" + std::to_string(static_cast<int>(tier.tier));
}

// The same bytes are asked of the same tools; others may round differently.
LineVerdict unless_same(const ReviewSite& site) {
  return site.same_versions && site.same_machine ? LineVerdict::reject : LineVerdict::changes;
}

void compare_structures(const StructureProof& claimed, const StructureProof& again,
                        const ReviewSite& site, const std::string& at, Lines& lines) {
  lines.require("again.L0.bytes", claimed.model_sha256 == again.model_sha256, unless_same(site),
                at + "/structure/model_sha256",
                "built again it is " + again.model_sha256 + ", and not " + claimed.model_sha256);
  lines.require("again.L0.structure",
                claimed.nodes == again.nodes && claimed.weight_bytes == again.weight_bytes &&
                    claimed.opset == again.opset,
                unless_same(site), at + "/structure", "built again it has other nodes or weights");
}

// Two races agree when their intervals meet. Our own noise floor counts: identical arms are apart
// by as much. The claimed one does not: who forges a ratio would forge that, too.
bool overlap(const Comparison& claimed, const Comparison& again) {
  if (claimed.interval.size() != 2 || again.interval.size() != 2) return false;
  const double slack = 1 + again.margin + again.noise_floor.value_or(0);
  return claimed.interval.front() <= again.interval.back() * slack &&
         again.interval.front() <= claimed.interval.back() * slack;
}

bool is_opposite(Verdict a, Verdict b) {
  return (a == Verdict::faster && b == Verdict::slower) ||
         (a == Verdict::slower && b == Verdict::faster);
}

void compare_speed(const RunProof& claimed, const RunProof& again, const ReviewSite& site,
                   const std::string& at, Lines& lines) {
  if (!claimed.speed || !again.speed) return;
  const bool agrees = !is_opposite(claimed.speed->verdict, again.speed->verdict) &&
                      (!site.same_machine || overlap(*claimed.speed, *again.speed));
  lines.require("again.L1.speed", agrees, LineVerdict::changes, at + "/speed",
                "raced again it takes " + std::to_string(again.speed->ratio) + " of the time, " +
                    std::string(name_of(again.speed->verdict)));
}

void compare_run(const RunProof& claimed, const RunProof& again, const ReviewSite& site,
                 const std::string& at, Lines& lines) {
  lines.require("again.L1.runs", again.kind == RunClass::ran, LineVerdict::changes, at,
                "here it does not run: " + again.reason);
  if (again.kind != RunClass::ran) return;
  constexpr double least_share = 0.005;
  const double moved = std::abs(claimed.placement.value_or(-1) - again.placement.value_or(-1));
  lines.require("again.L1.placement", moved <= least_share, unless_same(site), at + "/placement",
                "here " + std::to_string(again.placement.value_or(0)) + " of the nodes ran there");
  // A single run's level says little of another day's; a latency that is off by this much was not
  // measured on this machine. Speed is judged by the race.
  constexpr double far = 4;
  const double ratio = claimed.p50_ms.value_or(0) / again.p50_ms.value_or(1);
  const bool is_near = !site.same_machine || (ratio < far && ratio > 1 / far);
  lines.require("again.L1.latency", is_near, LineVerdict::changes, at + "/p50_ms",
                "here it takes " + std::to_string(again.p50_ms.value_or(0)) + " ms");
  compare_speed(claimed, again, site, at, lines);
}

void compare_runs(const TierProof& claimed, const TierProof& again, const ReviewSite& site,
                  Lines& lines) {
  for (std::size_t i = 0; i < claimed.runs.size(); ++i) {
    const RunProof& run = claimed.runs[i];
    if (run.kind != RunClass::ran) continue;
    const auto same = std::ranges::find_if(again.runs, [&](const RunProof& other) {
      return to_json(other.target) == to_json(run.target);
    });
    if (same == again.runs.end()) continue;
    compare_run(run, *same, site, citation_of(claimed) + "/runs/" + std::to_string(i), lines);
  }
  lines.require("again.L1.any", !again.runs.empty(), LineVerdict::changes, citation_of(claimed),
                "no target was run again");
}

bool is_same_output(const OutputComparison& claimed, const OutputComparison& again,
                    const ReviewSite& site) {
  constexpr double rounding = 1e-4;
  if (claimed.output != again.output || claimed.samples != again.samples) return false;
  if (site.same_machine && claimed.identical != again.identical) return false;
  if (claimed.cosine.has_value() != again.cosine.has_value()) return !site.same_machine;
  if (!claimed.cosine) return true;
  return claimed.cosine->value >= again.cosine->low - rounding &&
         claimed.cosine->value <= again.cosine->high + rounding;
}

void compare_parity(const ParityProof& claimed, const ParityProof& again, const ReviewSite& site,
                    const std::string& at, Lines& lines) {
  bool is_same = claimed.outputs.size() == again.outputs.size();
  for (std::size_t i = 0; is_same && i < claimed.outputs.size(); ++i)
    is_same = is_same_output(claimed.outputs[i], again.outputs[i], site);
  lines.require("again.L2.parity", is_same, unless_same(site), at + "/parity",
                "compared again, outputs differ by other figures");
}

void compare_task(const TaskProof& claimed, const TaskProof& again, const ReviewSite& site,
                  const std::string& at, Lines& lines) {
  lines.require("again.L3.data", claimed.data_sha256 == again.data_sha256, LineVerdict::changes,
                at + "/task/data_sha256", "the samples here are others");
  if (claimed.data_sha256 != again.data_sha256) return;
  const Estimate& level = again.metric.model;
  // One sample may fall on the other side by rounding.
  const double rounding = 1.5 / static_cast<double>(std::max<std::uint64_t>(again.samples, 1));
  const bool is_same = claimed.metric.name == again.metric.name &&
                       claimed.samples == again.samples &&
                       std::abs(claimed.metric.model.value - level.value) <= rounding;
  lines.require("again.L3.metric", is_same, unless_same(site), at + "/task/metric",
                "here " + again.metric.name + " is " + std::to_string(level.value));
}

}  // namespace

std::vector<ReviewLine> check_bundle(const Bundle& bundle) { return BundleCheck(bundle).run(); }

std::vector<std::string> risks_of(const Bundle& bundle) {
  std::vector<std::string> found;
  const Recipe& recipe = bundle.recipe.recipe;
  const auto add = [&](bool is_there, const char* place) {
    if (is_there) found.emplace_back(place);
  };
  add(!recipe.target.options.empty(), "recipe.target.options");
  add(!recipe.session.options.empty(), "recipe.session.options");
  add(recipe.compile && !recipe.compile->provider_options.empty(), "recipe.compile");
  add(recipe.quantize && recipe.quantize->calibration_data, "recipe.quantize.calibration_data");
  add(recipe.quantize && recipe.quantize->overrides, "recipe.quantize.overrides");
  const auto& shapes = bundle.recipe.shape_config;
  add(shapes && !is_shape_text(*shapes), "shape_config");
  for (const TierProof& tier : bundle.ladder.tiers) {
    for (const RunProof& run : tier.runs) add(!run.target.options.empty(), "options of a run");
  }
  return found;
}

std::vector<ReviewLine> compare_tier(const TierProof& claimed, const TierProof& again,
                                     const ReviewSite& site) {
  Lines lines;
  const std::string at = citation_of(claimed);
  lines.require("again." + std::string(name_of(claimed.tier)), again.verdict == claimed.verdict,
                LineVerdict::changes, at + "/verdict",
                "done again it is " + std::string(name_of(again.verdict)) + ": " + again.reason);
  if (claimed.structure && again.structure)
    compare_structures(*claimed.structure, *again.structure, site, at, lines);
  if (claimed.tier == Tier::l1) compare_runs(claimed, again, site, lines);
  if (claimed.parity && again.parity)
    compare_parity(*claimed.parity, *again.parity, site, at, lines);
  if (claimed.task && again.task) compare_task(*claimed.task, *again.task, site, at, lines);
  return lines.take();
}

std::vector<ReviewLine> compare_artifacts(const ArtifactList& claimed, const ArtifactList& again,
                                          const ReviewSite& site) {
  Lines lines;
  for (std::size_t i = 0; i < claimed.files.size(); ++i) {
    const PackageEntry& file = claimed.files[i];
    const auto same = std::ranges::find(again.files, file.path, &PackageEntry::path);
    const bool is_same =
        same != again.files.end() && same->sha256 == file.sha256 && same->bytes == file.bytes;
    lines.require("again.artifact", is_same, unless_same(site),
                  "artifacts.json#/files/" + std::to_string(i),
                  "built again, '" + printable(file.path) + "' is not these bytes");
  }
  lines.require("again.artifacts", claimed.files.size() == again.files.size(), unless_same(site),
                "artifacts.json#/files", "built again, there are other files");
  return lines.take();
}

ReviewVerdict verdict_of(std::span<const ReviewLine> lines) {
  ReviewVerdict verdict = lines.empty() ? ReviewVerdict::request_changes : ReviewVerdict::approve;
  for (const ReviewLine& line : lines) {
    if (line.verdict == LineVerdict::reject) return ReviewVerdict::reject;
    if (line.verdict == LineVerdict::changes) verdict = ReviewVerdict::request_changes;
  }
  return verdict;
}

}  // namespace hone
