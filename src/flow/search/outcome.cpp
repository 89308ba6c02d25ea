#include "flow/search/outcome.h"

#include <algorithm>

#include "base/hash.h"
#include "base/machine.h"
#include "base/text.h"
#include "flow/search/champion.h"
#include "flow/search/findings.h"
#include "flow/search/noise_store.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "pipeline/policy.h"
#include "report/build/opening.h"
#include "report/search/repeat.h"
#include "report/search/search_html.h"
#include "report/search/search_tsv.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

const SearchArm* arm_of(const SearchResult& result, const std::optional<std::string>& id) {
  if (!id) return nullptr;
  const auto found = std::ranges::find_if(
      result.arms, [&](const SearchArm& arm) { return arm.hypothesis.id == *id; });
  return found != result.arms.end() ? &*found : nullptr;
}

void add_commands(const SearchOutcome& outcome, const SearchArm* champion, SearchResult& result) {
  const SearchSite& site = outcome.site;
  result.reproduce.push_back(outcome.command_line);
  if (champion == nullptr || !champion->built || !result.arms.front().built) return;
  result.reproduce.push_back(
      line_of_build(site.model.string(), (champion_of(site.folder) / "recipe.json").string()));
  result.reproduce.push_back(line_of_compare({.baseline = result.arms.front(),
                                              .champion = *champion,
                                              .margin = site.margin,
                                              .seed = site.seed,
                                              .input_data = site.input_data,
                                              .shape_config = site.shape_config,
                                              .host = site.where.host}));
}

// A search that is done is not lost for a certificate.
std::optional<NoiseCertificate> find_certificate(const SearchOutcome& outcome,
                                                 SearchResult& result) {
  const Host& host = outcome.site.where.host;
  if (auto certificate = load_certificate(host, outcome.environment, result.target))
    return certificate;
  const auto file = certificate_path(host, outcome.environment, result.target);
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

// Where the search was held: `evidence` is the SHA-256 of its result.
Result<FindingTrial> trial_of(const SearchOutcome& outcome, const SearchResult& result,
                              const std::string& evidence) {
  HONE_TRY(const Model model, load_model(outcome.site.model));
  HONE_TRY(const Digest content, content_fingerprint(model));
  FindingTrial trial;
  trial.model = Path(result.model).filename().string();
  trial.model_fingerprint = content.hex();
  trial.ep = result.target.ep;
  trial.device = usual_device(result.target);
  trial.ort_version = outcome.environment.fact("ort_version");
  trial.ep_version = outcome.environment.fact("ep_version");
  trial.hardware = hardware_key(read_machine());
  trial.evidence = evidence;
  return trial;
}

}  // namespace

Status write_outcome(const SearchOutcome& outcome, SearchResult& result) {
  const Path& folder = outcome.site.folder;
  const SearchArm* champion = arm_of(result, result.champion);
  result.environment_facts = outcome.environment.facts;
  result.features = situation_of(outcome.found.analysis).features;
  for (const auto* notes : {&outcome.site.notes, &outcome.found.notes})
    result.notes.insert(result.notes.end(), notes->begin(), notes->end());
  result.certificate = find_certificate(outcome, result);
  add_commands(outcome, champion, result);
  if (champion != nullptr) {
    const std::string opening = describe_opening(champion->hypothesis.recipe);
    if (!opening.empty()) result.notes.push_back("the champion: " + opening);
  }
  // What an earlier search kept stays until there is a decision in its place.
  if (champion != nullptr) {
    HONE_TRY_DO(keep_champion(arm_folder(outcome.site, champion->hypothesis.recipe), folder,
                              champion->built->sha256));
  }
  if (champion == nullptr && !result.stopped) HONE_TRY_DO(drop_champion(folder));
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

}  // namespace hone
