#include "app/search_outcome.h"

#include <algorithm>

#include "app/noise_store.h"
#include "app/own_command.h"
#include "app/utc.h"
#include "base/hash.h"
#include "base/text.h"
#include "pipeline/build.h"
#include "pipeline/policy.h"
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
  std::vector<std::string> words = {"hone", "compare"};
  for (const SearchArm* arm : {&baseline, &champion}) {
    const Recipe& recipe = arm->hypothesis.recipe;
    std::string text = arm == &baseline ? "baseline" : "champion";
    text += ":model=" + arm->built->model + ",ep=" + recipe.target.ep;
    if (recipe.session.threads > 0) text += ",threads=" + std::to_string(recipe.session.threads);
    for (const auto& [key, value] : recipe.session.options) text += ",session." + key + "=" + value;
    for (const auto& [key, value] : recipe.target.options) text += ",option." + key + "=" + value;
    words.insert(words.end(), {"--arm", text});
  }
  add_inputs(outcome.site, words);
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

// A folder with the champion's build, in the place of an earlier one once it is whole.
Status keep_champion(const SearchOutcome& outcome, const SearchArm& champion) {
  const Path from = arm_folder(outcome.site, champion.hypothesis.recipe);
  const Path to = outcome.site.folder / "champion";
  const Path fresh = outcome.site.folder / ".champion.new";
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
  std::filesystem::remove_all(to, problem);
  std::filesystem::rename(fresh, to, problem);
  if (problem)
    return fail(Fault::io, "cannot keep the champion in '" + to.string() + "'", problem.message());
  return done();
}

// Where the baseline ships, an earlier search's champion would be taken for this one's.
Status drop_champion(const SearchOutcome& outcome) {
  const Path folder = outcome.site.folder / "champion";
  std::error_code problem;
  std::filesystem::remove_all(folder, problem);
  if (!problem) return done();
  return fail(Fault::io, "cannot remove the champion of an earlier search", problem.message(),
              "remove '" + folder.string() + "': the baseline ships");
}

// A search that is done is not lost for a certificate.
std::optional<NoiseCertificate> find_certificate(const SearchOutcome& outcome,
                                                 SearchResult& result) {
  auto certificate = load_certificate(outcome.environment);
  if (certificate) return *std::move(certificate);
  const auto cache = cache_folder();
  constexpr std::size_t enough = 16;
  const std::string name = noise_key(outcome.environment).substr(0, enough) + ".json";
  const Path file = (cache ? *cache : Path()) / "noise" / name;
  result.notes.push_back("the noise certificate '" + file.string() + "' cannot be read: " +
                         certificate.error().what + "; `hone doctor noise` makes another");
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

// Holds for the same EP and device, and for models that have what the arm changed.
Predicate predicate_of(const Target& target, const Change& change) {
  Predicate when;
  Predicate ep;
  ep.ep = target.ep;
  when.all.push_back(std::move(ep));
  if (change.dimension != "optimize") return when;
  for (const std::string& capability : change.keys) {
    Predicate pattern;
    pattern.pattern = capability;
    pattern.at_least = 1;
    when.all.push_back(std::move(pattern));
  }
  return when;
}

// Of the claim: what another search finds of the same kind is the same finding.
std::string id_of(const Target& target, const Change& change, Verdict verdict) {
  Sha256 hash;
  hash.add_field(change.dimension);
  for (const std::string& key : change.keys) hash.add_field(key);
  hash.add_field(name_of(verdict));
  constexpr std::size_t enough = 10;
  return target.ep + "-" + usual_device(target) + "-" + hash.finish().hex().substr(0, enough);
}

Finding draft_of(const SearchOutcome& outcome, const SearchResult& result, const SearchArm& arm,
                 const Change& change, const std::string& evidence) {
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
  FindingTrial trial;
  trial.model = Path(result.model).filename().string();
  trial.ep = result.target.ep;
  trial.device = usual_device(result.target);
  const auto version = outcome.environment.facts.find("ort_version");
  if (version != outcome.environment.facts.end()) trial.ort_version = version->second;
  const auto ep_version = outcome.environment.facts.find("ep_version");
  if (ep_version != outcome.environment.facts.end()) trial.ep_version = ep_version->second;
  trial.machine = outcome.environment.key;
  trial.evidence = evidence;
  finding.scope.validated_on = {trial};
  finding.evidence = {{evidence, "the search's result, with all samples of the confirmation"}};
  finding.history = {{utc_today(), FindingAction::added, "measured by a search"}};
  return finding;
}

}  // namespace

std::vector<Finding> draft_findings(const SearchOutcome& outcome, const SearchResult& result,
                                    const std::string& evidence) {
  std::vector<Finding> drafts;
  for (const SearchArm& arm : result.arms) {
    if (!arm.confirmed) continue;
    const Verdict verdict = arm.confirmed->verdict;
    if (verdict != Verdict::faster && verdict != Verdict::slower) continue;
    const std::vector<Change> changes = changes_of(outcome.baseline, arm.hypothesis.recipe);
    // A mix says nothing of its parts.
    if (changes.size() != 1) continue;
    drafts.push_back(draft_of(outcome, result, arm, changes.front(), evidence));
  }
  return drafts;
}

Status write_outcome(const SearchOutcome& outcome, SearchResult& result) {
  const Path& folder = outcome.site.folder;
  const SearchArm* champion = arm_of(result, result.champion);
  result.environment_facts = outcome.environment.facts;
  result.features = hone::situation_of(outcome.found.analysis).features;
  for (const std::string& note : outcome.found.notes) result.notes.push_back(note);
  result.certificate = find_certificate(outcome, result);
  add_commands(outcome, champion, result);
  HONE_TRY_DO(champion != nullptr ? keep_champion(outcome, *champion) : drop_champion(outcome));
  const SearchTraces traces = trace_both(outcome, champion, result);
  explain_hazard(outcome, result);
  result.report = (folder / "report.html").string();
  const std::string document = to_document(result, search_schema_version).dump() + "\n";
  HONE_TRY_DO(write_file(folder / "search.json", document));
  HONE_TRY_DO(write_file(folder / "results.tsv", search_tsv(result)));
  HONE_TRY_DO(write_file(folder / "report.html", search_page(result, traces)));
  const FindingFile drafts{draft_findings(outcome, result, sha256(document).hex())};
  return write_file(folder / "findings.json",
                    to_document(drafts, finding_schema_version).dump() + "\n");
}

}  // namespace hone::app
