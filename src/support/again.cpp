#include "support/again.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "support/again_runs.h"
#include "support/lines.h"

namespace hone {
namespace {

void compare_structures(const StructureProof& claimed, const StructureProof& again,
                        const ReviewSite& site, const std::string& at, Lines& lines) {
  lines.require("again.L0.bytes", claimed.model_sha256 == again.model_sha256, unless_same(site),
                at + "/structure/model_sha256",
                "built again it is " + again.model_sha256 + ", and not " + claimed.model_sha256);
  lines.require("again.L0.structure",
                claimed.nodes == again.nodes && claimed.weight_bytes == again.weight_bytes &&
                    claimed.opset == again.opset,
                unless_same(site), at + "/structure", "built again it has other nodes or weights");
  lines.require("again.L0.checks", to_json(claimed.checks) == to_json(again.checks),
                unless_same(site), at + "/structure/checks",
                "looked at again, it says other things");
}

// Samples are the same ones: rounding moves a figure by far less than its interval is wide.
bool is_same(const Estimate& claimed, const Estimate& again, double slack) {
  constexpr double rounding = 1e-4;
  slack += (again.high - again.low) / 2 + rounding * std::abs(again.value);
  return claimed.samples == again.samples && claimed.method == again.method &&
         claimed.confidence == again.confidence && std::abs(claimed.value - again.value) <= slack &&
         std::abs(claimed.low - again.low) <= slack && std::abs(claimed.high - again.high) <= slack;
}

bool is_same(const std::optional<Estimate>& claimed, const std::optional<Estimate>& again,
             double slack = 0) {
  if (!claimed || !again) return claimed.has_value() == again.has_value();
  return is_same(*claimed, *again, slack);
}

bool is_same_output(const OutputComparison& claimed, const OutputComparison& again) {
  return claimed.output == again.output && claimed.samples == again.samples &&
         claimed.identical == again.identical && claimed.not_comparable == again.not_comparable &&
         is_same(claimed.sqnr_db, again.sqnr_db) && is_same(claimed.psnr_db, again.psnr_db) &&
         is_same(claimed.cosine, again.cosine) && is_same(claimed.max_abs, again.max_abs) &&
         is_same(claimed.top1_agreement, again.top1_agreement);
}

void compare_parity(const ParityProof& claimed, const ParityProof& again, const ReviewSite& site,
                    const std::string& at, Lines& lines) {
  lines.require("again.L2.samples",
                claimed.seed == again.seed && claimed.samples == again.samples &&
                    claimed.least_cosine == again.least_cosine,
                unless_same(site), at + "/parity/samples",
                "it is compared over " + std::to_string(again.samples) + " samples of seed " +
                    std::to_string(again.seed));
  bool is_same = claimed.outputs.size() == again.outputs.size();
  for (std::size_t i = 0; is_same && i < claimed.outputs.size(); ++i)
    is_same = is_same_output(claimed.outputs[i], again.outputs[i]);
  lines.require("again.L2.parity", is_same, unless_same(site), at + "/parity",
                "compared again, outputs differ by other figures");
}

// As many, but for one that fell on the other side by rounding.
bool is_same_count(const std::optional<std::uint64_t>& claimed,
                   const std::optional<std::uint64_t>& again) {
  if (!claimed || !again) return claimed.has_value() == again.has_value();
  return *claimed <= *again + 1 && *again <= *claimed + 1;
}

bool is_same_difference(const std::optional<MetricDifference>& claimed,
                        const std::optional<MetricDifference>& again, double slack) {
  if (!claimed || !again) return claimed.has_value() == again.has_value();
  const double wide = slack + (again->high - again->low) / 2;
  return claimed->method == again->method && std::abs(claimed->value - again->value) <= slack &&
         std::abs(claimed->low - again->low) <= wide &&
         std::abs(claimed->high - again->high) <= wide &&
         is_same_count(claimed->lost, again->lost) && is_same_count(claimed->gained, again->gained);
}

void compare_task(const TaskProof& claimed, const TaskProof& again, const ReviewSite& site,
                  const std::string& at, Lines& lines) {
  lines.require("again.L3.data", claimed.data_sha256 == again.data_sha256, LineVerdict::changes,
                at + "/task/data_sha256", "the samples here are others");
  if (claimed.data_sha256 != again.data_sha256) return;
  // One sample may fall on the other side by rounding, and of a few not even that.
  constexpr double most = 0.02;
  const double one = 1.5 / static_cast<double>(std::max<std::uint64_t>(again.samples, 1));
  const double slack = std::min(one, most);
  const EvalMetric& metric = again.metric;
  const bool holds = claimed.metric.name == metric.name && claimed.samples == again.samples &&
                     claimed.max_drop == again.max_drop &&
                     is_same(claimed.metric.model, metric.model, slack) &&
                     is_same(claimed.metric.reference, metric.reference, slack) &&
                     is_same_difference(claimed.metric.difference, metric.difference, slack);
  lines.require("again.L3.metric", holds, unless_same(site), at + "/task/metric",
                "here " + metric.name + " is " + std::to_string(metric.model.value) +
                    ", reference " +
                    std::to_string(metric.reference ? metric.reference->value : 0));
}

// A race takes as long as whoever runs it has time.
std::string without_limit(const std::string& command) {
  constexpr std::string_view limit = " --max-time ";
  const std::size_t at = command.find(limit);
  if (at == std::string::npos) return command;
  const std::size_t end = command.find_first_not_of("0123456789", at + limit.size());
  return command.substr(0, at) + (end == std::string::npos ? "" : command.substr(end));
}

bool are_same_commands(const std::vector<std::string>& claimed,
                       const std::vector<std::string>& again) {
  return std::ranges::equal(claimed, again, {}, without_limit, without_limit);
}

bool has_evidence(const TierProof& tier) {
  return tier.structure.has_value() || tier.parity.has_value() || tier.task.has_value();
}

// A pass that the same tools call a fail by its figures is no pass. Where a command broke here, or
// time ran out, that is not shown.
LineVerdict verdict_against(const TierProof& claimed, const TierProof& again,
                            const ReviewSite& site) {
  const bool contradicts = claimed.verdict == TierVerdict::pass &&
                           again.verdict == TierVerdict::fail && has_evidence(again);
  return contradicts ? unless_same(site) : LineVerdict::changes;
}

// Whether everything that was said is said again, at any depth. Times (named ..._ms) differ from
// run to run. What was not said is no claim: reports gain and lose keys while a version is being
// made.
bool is_said_again(const Json& claimed, const Json& again) {
  if (const auto* items = claimed.as_array()) {
    const auto* others = again.as_array();
    return others != nullptr && std::ranges::equal(*items, *others, is_said_again);
  }
  const auto* members = claimed.as_object();
  if (members == nullptr) return claimed == again;
  return std::ranges::all_of(*members, [&](const auto& member) {
    const Json* other = again.find(member.first);
    if (member.first.ends_with("_ms")) return true;
    return other != nullptr ? is_said_again(member.second, *other) : member.second.is_null();
  });
}

// What a target takes, without how the rules came to be that tell it.
Json without_rules(const Json& coverage) {
  const auto* members = coverage.as_object();
  if (members == nullptr) return coverage;
  Json kept = Json::object();
  for (const auto& [key, value] : *members) {
    if (key != "rules") kept.set(key, without_rules(value));
  }
  return kept;
}

// What could be done to a model is a set: in which order it is listed is nobody's claim.
Json in_order(const std::string& key, const Json& value) {
  const auto* items = value.as_array();
  const bool is_set = key == "fusions" || key == "suggestions" || key == "withheld";
  if (items == nullptr || !is_set) return value;
  Json::Array sorted = *items;
  std::ranges::stable_sort(sorted, {}, [](const Json& item) {
    const Json* name = item.find("capability");
    return name != nullptr ? name->dump(-1) : std::string();
  });
  return Json(std::move(sorted));
}

Json in_order(const Json& coverage) {
  const auto* members = coverage.as_object();
  if (members == nullptr) return coverage;
  Json ordered = Json::object();
  for (const auto& [key, value] : *members) ordered.set(key, in_order(key, value));
  return ordered;
}

// Times differ from build to build, keys of caches from runtime to runtime, what a stage says of
// itself from version to version; why a stage had nothing to do is told in words.
bool is_same_stage(StageReceipt claimed, StageReceipt again, const ReviewSite& site) {
  if (site.same_versions && !is_said_again(claimed.effect, again.effect)) return false;
  for (StageReceipt* stage : {&claimed, &again}) {
    stage->elapsed_ms.reset();
    stage->key.reset();
    stage->effect = Json();
    if (stage->status == StageStatus::skipped) stage->reason.clear();
  }
  return to_json(claimed) == to_json(again);
}

}  // namespace

std::vector<ReviewLine> compare_tier(const TierProof& claimed, const TierProof& again,
                                     const ReviewSite& site) {
  Lines lines;
  const std::string at = "ladder.json#/tiers/" + std::to_string(static_cast<int>(claimed.tier));
  const std::string name = "again." + std::string(name_of(claimed.tier));
  lines.require(name, again.verdict == claimed.verdict, verdict_against(claimed, again, site),
                at + "/verdict",
                "done again it is " + std::string(name_of(again.verdict)) + ": " + again.reason);
  lines.require(name + ".commands", are_same_commands(claimed.commands, again.commands),
                LineVerdict::changes, at + "/commands",
                "it is done by other commands: " + join(again.commands, "; "));
  if (claimed.structure && again.structure)
    compare_structures(*claimed.structure, *again.structure, site, at, lines);
  if (claimed.tier == Tier::l1) compare_runs(claimed, again, site, at, lines);
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

std::vector<ReviewLine> compare_receipts(const BuildReceipt& claimed, const BuildReceipt& again,
                                         const ReviewSite& site) {
  Lines lines;
  lines.require(
      "again.receipt.artifact",
      claimed.final_artifact == again.final_artifact && claimed.final_sha256 == again.final_sha256,
      unless_same(site), "receipt.json#/final_artifact",
      "built again, it is " + again.final_artifact.value_or("nothing"));
  lines.require("again.receipt.stages", claimed.stages.size() == again.stages.size(),
                unless_same(site), "receipt.json#/stages",
                "built again, it has " + std::to_string(again.stages.size()) + " stages");
  const std::size_t both = std::min(claimed.stages.size(), again.stages.size());
  for (std::size_t i = 0; i < both; ++i) {
    const StageReceipt& stage = claimed.stages[i];
    const bool is_same =
        is_same_stage(stage, again.stages[i], site) && stage.elapsed_ms.value_or(0) >= 0;
    lines.require("again.receipt.stage", is_same, unless_same(site),
                  "receipt.json#/stages/" + std::to_string(i),
                  "built again, '" + again.stages[i].name + "' says other things");
  }
  lines.require("again.receipt.notes", claimed.notes == again.notes, LineVerdict::changes,
                "receipt.json#/notes", "built again, its notes are others");
  return lines.take();
}

std::vector<ReviewLine> compare_coverage(const Json& claimed, const Json& again,
                                         const ReviewSite& site) {
  Lines lines;
  lines.require("again.coverage", is_said_again(in_order(without_rules(claimed)), in_order(again)),
                unless_same(site), "coverage.json",
                "analyzed again, the target takes other things");
  return lines.take();
}

}  // namespace hone
