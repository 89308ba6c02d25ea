#include "support/review.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "knowledge/family.h"
#include "record/analyze.h"
#include "record/recipe_hash.h"
#include "record/target_name.h"
#include "support/claim.h"
#include "support/ladder.h"
#include "support/lines.h"
#include "support/plain_name.h"
#include "support/recipe_file.h"
#include "support/weights.h"

namespace hone {
namespace {

class BundleCheck {
 public:
  explicit BundleCheck(const Bundle& bundle) : bundle_(bundle) {}

  std::vector<ReviewLine> run() {
    check_recipe();
    check_files();
    check_index();
    if (was_built()) {
      check_receipt();
      check_artifacts();
    }
    check_weights();
    check_notes();
    check_coverage();
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

  // Where the build itself failed there is no receipt to hold against anything.
  bool was_built() const {
    const std::vector<TierProof>& tiers = bundle_.ladder.tiers;
    return tiers.empty() || tiers.front().verdict != TierVerdict::fail || tiers.front().structure;
  }

  // The nine items, the skeleton, and what findings cite: a bundle carries nothing else.
  void check_files() {
    constexpr std::array<std::string_view, 9> items = {
        "artifacts.json", "claim.json", "coverage.json", "findings.json", "index.json",
        "ladder.json",    "notes.json", "receipt.json",  "recipe.json"};
    const ModelSource& source = bundle_.recipe.source;
    std::set<std::string> wanted(items.begin(), items.end());
    if (source.skeleton) {
      const std::string skeleton = std::string(bundle_source_folder) + "/" + source.file;
      const std::string statistics = statistics_of(skeleton).generic_string();
      check_source(skeleton, *source.skeleton);
      check_source(statistics, source.statistics.value_or(""));
      wanted.insert({skeleton, statistics});
    }
    for (const ModelFinding& finding : bundle_.findings.findings)
      for (const ModelEvidence& cited : finding.evidence) wanted.insert(cited.file);
    for (const PackageEntry& entry : bundle_.manifest.files) {
      if (wanted.contains(entry.path) && is_plain_path(entry.path)) continue;
      lines_.require("bundle.files", false, LineVerdict::reject, printable(entry.path),
                     "nothing in a bundle needs it");
    }
  }

  void check_source(const std::string& file, const std::string& hash) {
    const auto found = std::ranges::find(bundle_.manifest.files, file, &PackageEntry::path);
    lines_.require("bundle.source", found != bundle_.manifest.files.end() && found->sha256 == hash,
                   LineVerdict::reject, "recipe.json#/source",
                   "the manifest does not have '" + printable(file) + "' with the recipe's hash");
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
    const std::string artifact = receipt.final_artifact.value_or("");
    const bool has_artifact =
        std::ranges::find(bundle_.artifacts.files, artifact, &PackageEntry::path) !=
        bundle_.artifacts.files.end();
    lines_.require("receipt.artifact", has_artifact, LineVerdict::reject,
                   "receipt.json#/final_artifact", "it is not among the artifacts");
    lines_.require("receipt.source", receipt.model == bundle_.recipe.source.file,
                   LineVerdict::reject, "receipt.json#/model",
                   "the recipe's model has another name");
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
    std::set<std::string> paths;
    for (const PackageEntry& file : files) paths.insert(file.path);
    lines_.require("artifacts.paths", paths.size() == files.size(), LineVerdict::reject,
                   "artifacts.json#/files", "a file is there twice");
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
    const bool says_something = std::ranges::none_of(notes.surprises, [](const std::string& text) {
      return text.find_first_not_of(" \t\r\n") == std::string::npos;
    });
    lines_.require("notes", says_something && notes.surprises.empty() == notes.without_friction,
                   LineVerdict::changes, "notes.json",
                   "either something was surprising, or it says that nothing was");
  }

  void check_coverage() {
    const auto analysis = from_document<Analysis>(bundle_.coverage, analyze_schema_version);
    lines_.require(
        "coverage", analysis.has_value(), LineVerdict::reject, "coverage.json",
        analysis ? std::string() : "it is no analysis: " + what_and_why(analysis.error()));
    if (!analysis) return;
    lines_.require("coverage.target",
                   to_json(analysis->target) == to_json(bundle_.recipe.recipe.target),
                   LineVerdict::reject, "coverage.json#/target", "it is of another target");
  }

  // What findings say is well-formed, and what they cite is in the bundle with that hash.
  void check_findings() {
    const std::vector<ModelFinding>& findings = bundle_.findings.findings;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const std::string place = "findings.json#/findings/" + std::to_string(i);
      const auto fits = appended({.family = "bundle", .model_type = "bundle"}, findings[i]);
      lines_.require("findings", fits.has_value(), LineVerdict::changes, place,
                     fits ? std::string() : what_and_why(fits.error()));
      check_finding(findings[i], place);
      for (std::size_t k = 0; k < findings[i].evidence.size(); ++k) {
        const ModelEvidence& cited = findings[i].evidence[k];
        check_link(cited.file, cited.sha256, place + "/evidence/" + std::to_string(k));
      }
    }
  }

  // A finding goes with this work: what it took, how far it came, and on what.
  void check_finding(const ModelFinding& finding, const std::string& place) {
    lines_.require("findings.effort", finding.effort == name_of(bundle_.claim.effort),
                   LineVerdict::changes, place + "/effort", "the claim has another effort");
    const std::optional<Tier> top = reached(bundle_.ladder);
    const bool is_reached = top ? finding.goal_reached == std::string(name_of(*top))
                                : !finding.goal_reached.has_value();
    lines_.require("findings.goal", is_reached, LineVerdict::changes, place + "/goal_reached",
                   "the ladder reached another tier");
    for (std::size_t k = 0; k < finding.scope.validated_on.size(); ++k)
      lines_.require("findings.scope", is_own(finding.scope.validated_on[k]), LineVerdict::changes,
                     place + "/scope/validated_on/" + std::to_string(k),
                     "the bundle shows another model, precision, target or version");
  }

  bool is_own(const ModelTrial& trial) const {
    const RecipeFile& file = bundle_.recipe;
    const Target& target = file.recipe.target;
    const std::string ep = target_name(target);
    const bool is_model =
        trial.model == file.model || trial.model == Path(file.source.file).stem().string();
    const bool has_evidence =
        !trial.evidence || std::ranges::any_of(bundle_.manifest.files, [&](const auto& entry) {
          return entry.sha256 == *trial.evidence;
        });
    return is_model && trial.precision == file.precision && trial.ep == ep && has_evidence &&
           trial.ort_version.value_or(bundle_.ladder.ort_version) == bundle_.ladder.ort_version;
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

ReviewVerdict verdict_of(std::span<const ReviewLine> lines) {
  ReviewVerdict verdict = lines.empty() ? ReviewVerdict::request_changes : ReviewVerdict::approve;
  for (const ReviewLine& line : lines) {
    if (line.verdict == LineVerdict::reject) return ReviewVerdict::reject;
    if (line.verdict == LineVerdict::changes) verdict = ReviewVerdict::request_changes;
  }
  return verdict;
}

}  // namespace hone
