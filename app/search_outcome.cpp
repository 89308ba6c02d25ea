#include "app/search_outcome.h"

#include <algorithm>
#include <cstdio>

#include "app/arms.h"
#include "app/changes.h"
#include "app/noise_store.h"
#include "app/own_command.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/replace_folder.h"
#include "base/text.h"
#include "base/utc.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "pipeline/build.h"
#include "pipeline/policy.h"
#include "report/build/opening.h"
#include "report/search/search_html.h"
#include "report/search/search_tsv.h"
#include "runtime/ep_names.h"

namespace hone::app {
namespace {

const SearchArm* arm_of(const SearchResult& result, const std::optional<std::string>& id) {
  if (!id) return nullptr;
  const auto found = std::ranges::find_if(
      result.arms, [&](const SearchArm& arm) { return arm.hypothesis.id == *id; });
  return found != result.arms.end() ? &*found : nullptr;
}

std::vector<std::string> compare_words(const SearchOutcome& outcome, const SearchArm& baseline,
                                       const SearchArm& champion) {
  const SearchSite& site = outcome.site;
  std::vector<std::string> words = {"hone", "compare"};
  for (const SearchArm* arm : {&baseline, &champion}) {
    const std::string name = arm == &baseline ? "baseline" : "champion";
    words.insert(words.end(),
                 {"--arm", word_of_arm(name, arm->built->model, arm->hypothesis.recipe)});
  }
  char percent[32];
  std::snprintf(percent, sizeof percent, "%g", site.margin * 100);
  words.insert(words.end(), {"--margin", percent, "--seed", std::to_string(site.seed)});
  if (!site.input_data.empty()) words.insert(words.end(), {"--input-data", site.input_data});
  if (!site.shape_config.empty()) words.insert(words.end(), {"--shape-config", site.shape_config});
  const std::vector<std::string> runtime = runtime_words(site.where);
  words.insert(words.end(), runtime.begin(), runtime.end());
  return words;
}

void add_commands(const SearchOutcome& outcome, const SearchArm* champion, SearchResult& result) {
  result.reproduce.push_back(outcome.command_line);
  if (champion == nullptr || !champion->built || !result.arms.front().built) return;
  const Path folder = outcome.site.folder / "champion";
  result.reproduce.push_back(
      to_shell(std::vector<std::string>{"hone", "build", outcome.site.model.string(), "-c",
                                        (folder / "recipe.json").string(), "-o", "build"}));
  result.reproduce.push_back(to_shell(compare_words(outcome, result.arms.front(), *champion)));
}

// Of a champion that is made, and of one that goes.
constexpr auto leaving_name = ".champion.new";

// A folder with the champion's build, in the place of an earlier one once it is whole.
Status keep_champion(const SearchOutcome& outcome, const SearchArm& champion) {
  const Path from = arm_folder(outcome.site, champion.hypothesis.recipe);
  const Path to = outcome.site.folder / "champion";
  const Path fresh = outcome.site.folder / leaving_name;
  std::error_code problem;
  std::filesystem::remove_all(fresh, problem);
  std::filesystem::create_directories(fresh, problem);
  for (const auto& entry : std::filesystem::directory_iterator(from, problem)) {
    if (entry.is_regular_file())
      std::filesystem::copy_file(entry.path(), fresh / entry.path().filename(), problem);
    if (problem) break;
  }
  if (problem)
    return fail(Fault::io, "cannot keep the champion in '" + to.string() + "'", problem.message());
  const auto hash = hash_of_model_files(fresh / "model.onnx");
  if (!hash || *hash != champion.built->sha256)
    return fail(Fault::io, "the copy of the champion is not what was measured", to.string());
  return replace_folder(fresh, to);
}

// Where the baseline ships, an earlier search's champion would be taken for this one's.
Status drop_champion(const SearchOutcome& outcome) {
  const Path folder = outcome.site.folder / "champion";
  const Status dropped = drop_folder(folder, outcome.site.folder / leaving_name);
  if (dropped) return done();
  return fail(Fault::io, "cannot remove the champion of an earlier search", dropped.error().cause,
              "remove '" + folder.string() + "': the baseline ships");
}

// A search that is done is not lost for a certificate.
std::optional<NoiseCertificate> find_certificate(const SearchOutcome& outcome,
                                                 SearchResult& result) {
  const auto certificate = load_certificate(outcome.environment, result.target);
  if (certificate && *certificate) return **certificate;
  const auto file = certificate_path(outcome.environment, result.target);
  std::error_code unknown;
  if (file && std::filesystem::exists(*file, unknown)) {
    result.notes.push_back("the noise certificate '" + file->string() +
                           "' cannot be read; `hone doctor noise` makes another");
  }
  return std::nullopt;
}

SearchTraces trace_both(const SearchOutcome& outcome, const SearchArm* champion,
                        SearchResult& result) {
  SearchTraces traces;
  traces.before = outcome.found.trace;
  if (!outcome.traces || champion == nullptr || !champion->built) return traces;
  auto after = trace_model(outcome.site, champion->built->model, champion->hypothesis.recipe);
  if (after) {
    traces.after = *std::move(after);
  } else {
    result.notes.push_back("the champion was not traced: " + after.error().what);
  }
  return traces;
}

// What of an arm ran on the CPU although another EP was asked for, by op type.
std::string fallback_in(const Placement& placement) {
  std::vector<std::string> words;
  for (const EpShare& share : placement.shares) {
    if (ep_short_name(share.ep) != "cpu") continue;
    for (const auto& [type, count] : share.op_counts)
      words.push_back(type + " x" + std::to_string(count));
  }
  return join(words, ", ");
}

// Why the slowest arm is slow, as far as its placement tells.
void explain_hazard(const SearchOutcome& outcome, SearchResult& result) {
  if (!result.hazard || result.hazard->arms.empty()) return;
  if (ep_short_name(result.target.ep) == "cpu") return;
  const std::string& id = result.hazard->arms.front().name;
  const SearchArm* arm = arm_of(result, id);
  if (arm == nullptr || !arm->built) return;
  const auto placement = place_model(outcome.site, arm->built->model, arm->hypothesis.recipe);
  if (!placement) return;
  const std::string fallback = fallback_in(*placement);
  if (!fallback.empty()) result.notes.push_back(id + " runs on the CPU in part: " + fallback);
}

FindingCategory category_of(const std::string& dimension, Verdict verdict) {
  if (dimension == "opset") return FindingCategory::opset;
  if (dimension == "precision") return FindingCategory::precision;
  if (dimension == "compile") return FindingCategory::compile;
  return verdict == Verdict::faster ? FindingCategory::fusion_benefit
                                    : FindingCategory::fusion_hazard;
}

bool is_capability(const std::string& key) {
  const bool is_other = std::ranges::any_of(
      optimize_words, [&](std::string_view word) { return key.starts_with(word); });
  return !is_other && key.find('=') == std::string::npos;
}

// Holds for the same EP and device, and for models that have what the arm fuses.
Predicate predicate_of(const Target& target, const Change& change) {
  Predicate when;
  when.all.resize(2);
  when.all[0].ep = target.ep;
  when.all[1].device = usual_device(target);
  if (change.dimension != "optimize") return when;
  for (const std::string& key : change.keys) {
    if (!is_capability(key)) continue;
    Predicate pattern;
    pattern.pattern = key;
    pattern.at_least = 1;
    when.all.push_back(std::move(pattern));
  }
  return when;
}

// Of the claim: what another search finds of the same kind is the same finding.
std::string id_of(const Target& target, const Change& change, Verdict verdict) {
  Sha256 hash;
  hash.add_field(to_json(predicate_of(target, change)).canonical());
  hash.add_field(change.dimension);
  for (const std::string& key : change.keys) hash.add_field(key);
  hash.add_field(name_of(verdict));
  constexpr std::size_t enough = 10;
  return target.ep + "-" + usual_device(target) + "-" + hash.finish().hex().substr(0, enough);
}

Finding draft_of(const SearchResult& result, const SearchArm& arm, const Change& change,
                 const FindingTrial& trial) {
  const ComparedArm& speed = *arm.confirmed;
  Finding finding;
  finding.id = id_of(result.target, change, speed.verdict);
  finding.title = arm.hypothesis.title + " on " + Path(result.model).filename().string();
  finding.category = category_of(change.dimension, speed.verdict);
  finding.when = predicate_of(result.target, change);
  finding.change = change;
  FindingEffect& effect = finding.effect.emplace();
  const bool is_faster = speed.verdict == Verdict::faster;
  effect.direction = is_faster ? EffectDirection::faster : EffectDirection::slower;
  effect.ratio = speed.ratio;
  effect.interval = speed.interval;
  effect.method = EffectMethod::interleaved;
  const auto& comparison = arm.outcome == ArmOutcome::confirmed && !is_faster && result.hazard
                               ? result.hazard
                               : result.confirmation;
  if (comparison) effect.sessions = comparison->sessions;
  // Once it is confirmed, what is slower by a twentieth is not worth another try.
  constexpr double clearly_slower = 1.05;
  const bool is_hazard =
      !is_faster && speed.interval.size() == 2 && speed.interval.front() > clearly_slower;
  finding.advice = is_faster   ? FindingAdvice::prefer
                   : is_hazard ? FindingAdvice::skip
                               : FindingAdvice::avoid;
  finding.observation = std::string(name_of(speed.verdict)) +
                        " than the baseline: " + std::to_string(speed.ratio) +
                        " of its time, on fresh sessions that took turns";
  finding.scope.validated_on = {trial};
  if (trial.evidence) {
    finding.evidence = {
        {*trial.evidence, "the search's result, with all samples of the confirmation"}};
  }
  finding.history = {{utc_today(), FindingAction::added, "measured by a search"}};
  return finding;
}

// Where the search was held: `evidence` is the SHA-256 of its result.
Result<FindingTrial> trial_of(const SearchOutcome& outcome, const SearchResult& result,
                              const std::string& evidence) {
  const auto fact = [&](const char* name) {
    const auto found = outcome.environment.facts.find(name);
    return found != outcome.environment.facts.end() ? found->second : std::string();
  };
  HONE_TRY(const Model model, load_model(outcome.site.model));
  HONE_TRY(const Digest content, content_fingerprint(model));
  FindingTrial trial;
  trial.model = Path(result.model).filename().string();
  trial.model_fingerprint = content.hex();
  trial.ep = result.target.ep;
  trial.device = usual_device(result.target);
  trial.ort_version = fact("ort_version");
  trial.ep_version = fact("ep_version");
  trial.hardware = hardware_key(read_machine());
  trial.evidence = evidence;
  return trial;
}

}  // namespace

std::string hardware_key(const MachineFacts& machine) {
  Sha256 hash;
  hash.add_field(machine.arch).add_field(machine.board).add_field(machine.cpu.model);
  hash.add_number(static_cast<std::uint64_t>(machine.cpu.online));
  constexpr std::size_t enough = 16;
  return hash.finish().hex().substr(0, enough);
}

std::vector<Finding> draft_findings(const Recipe& baseline, const SearchResult& result,
                                    const FindingTrial& trial) {
  std::vector<Finding> drafts;
  for (const SearchArm& arm : result.arms) {
    if (!arm.confirmed) continue;
    const Verdict verdict = arm.confirmed->verdict;
    if (verdict != Verdict::faster && verdict != Verdict::slower) continue;
    const std::vector<Change> changes = changes_of(baseline, arm.hypothesis.recipe);
    // A mix says nothing of its parts, and a change that is not all of it is not what was measured.
    const bool is_all =
        changes.size() == 1 && is_whole(baseline, changes.front(), arm.hypothesis.recipe);
    if (is_all) drafts.push_back(draft_of(result, arm, changes.front(), trial));
  }
  return drafts;
}

Status write_outcome(const SearchOutcome& outcome, SearchResult& result) {
  const Path& folder = outcome.site.folder;
  const SearchArm* champion = arm_of(result, result.champion);
  result.environment_facts = outcome.environment.facts;
  result.features = hone::situation_of(outcome.found.analysis).features;
  for (const auto* notes : {&outcome.site.notes, &outcome.found.notes})
    result.notes.insert(result.notes.end(), notes->begin(), notes->end());
  result.certificate = find_certificate(outcome, result);
  add_commands(outcome, champion, result);
  if (champion != nullptr) {
    const std::string opening = describe_opening(champion->hypothesis.recipe);
    if (!opening.empty()) result.notes.push_back("the champion: " + opening);
  }
  // What an earlier search kept stays until there is a decision in its place.
  if (champion != nullptr) HONE_TRY_DO(keep_champion(outcome, *champion));
  if (champion == nullptr && !result.stopped) HONE_TRY_DO(drop_champion(outcome));
  const SearchTraces traces = trace_both(outcome, result.stopped ? nullptr : champion, result);
  if (!result.stopped) explain_hazard(outcome, result);
  result.report = (folder / "report.html").string();
  const std::string document = to_document(result, search_schema_version).dump() + "\n";
  // Drafts rest on the bytes of search.json: none are better than those of an earlier one.
  std::error_code ignored;
  std::filesystem::remove(folder / "findings.json", ignored);
  HONE_TRY_DO(write_file(folder / "search.json", document));
  HONE_TRY_DO(write_file(folder / "results.tsv", search_tsv(result)));
  HONE_TRY_DO(write_file(folder / "report.html", search_page(result, traces)));
  HONE_TRY(const FindingTrial trial, trial_of(outcome, result, sha256(document).hex()));
  const FindingFile drafts{draft_findings(outcome.baseline, result, trial)};
  return write_file(folder / "findings.json",
                    to_document(drafts, finding_schema_version).dump() + "\n");
}

}  // namespace hone::app
