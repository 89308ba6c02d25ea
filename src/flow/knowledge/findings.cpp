#include "flow/knowledge/findings.h"

#include <algorithm>

#include "base/utc.h"
#include "flow/given_model.h"
#include "flow/knowledge/mine.h"
#include "flow/search/environment.h"
#include "flow/search/known_names.h"
#include "flow/transform_tools.h"
#include "flow/where.h"
#include "inspect/analyze/analyze.h"
#include "knowledge/advice.h"
#include "knowledge/check.h"
#include "knowledge/confirmation.h"
#include "knowledge/lifecycle.h"
#include "knowledge/predicate.h"
#include "knowledge/store.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

constexpr std::uint64_t largest_file = 16 << 20;

ListedFinding listed(const StoredFinding& stored) {
  ListedFinding one{.finding = stored.finding, .replaces_shipped = stored.replaces_shipped};
  if (!stored.is_shipped()) one.file = stored.file.string();
  if (stored.finding.status == FindingStatus::draft)
    one.missing = missing_for_confirmation(stored.finding);
  return one;
}

// May it hold on that EP and device? Empty ones were not asked for.
bool may_hold_on(const Finding& finding, const std::string& ep, const std::string& device) {
  Situation situation;
  situation.ep = ep_short_name(ep);
  situation.device = device;
  return evaluate(finding.when, situation) != Truth::no;
}

// Without a path: what is shipped, and the user's own.
Result<std::vector<FindingSource>> sources_of(const std::string& path, const Path& folder) {
  if (!path.empty()) return read_sources(path);
  std::vector<FindingSource> sources;
  for (const EmbeddedFile& file : embedded_findings()) {
    sources.push_back({std::string(file.name), std::string(file.text)});
  }
  if (!std::filesystem::exists(folder)) return sources;
  HONE_TRY(std::vector<FindingSource> own, read_sources(folder));
  for (FindingSource& source : own) sources.push_back(std::move(source));
  return sources;
}

// Keeps the finding among the user's own, as it is now.
Result<ListedFinding> keep_finding(const Path& folder, const Finding& finding) {
  HONE_TRY_DO(save_finding(folder, finding));
  return show_finding(folder, finding.id);
}

// One step for each finding of a file.
using Step = Result<Finding> (*)(const Finding& given, const StoredFinding* known);

Result<Finding> step_of_add(const Finding& given, const StoredFinding* known) {
  if (known != nullptr) {
    return fail(Fault::bad_input, "there is a finding '" + given.id + "' already", {},
                "`hone kb import` joins what was seen with it");
  }
  return added(given, FindingAction::added, utc_now());
}

Result<Finding> step_of_import(const Finding& given, const StoredFinding* known) {
  if (known == nullptr) return added(given, FindingAction::imported, utc_now());
  return joined(known->finding, given, utc_now());
}

// Of the EP where it is installed here; else empty.
std::string version_here(const Host& host, const Target& target) {
  Where where;
  where.host = host;
  where.ep = target.ep;
  const auto environment = find_environment(where, target);
  if (!environment) return {};
  const auto version = environment->facts.find("ep_version");
  return version != environment->facts.end() ? version->second : std::string();
}

Result<Situation> look_at(const WhyOrder& order, const Watch& watch) {
  const Host& host = order.where.host;
  HONE_TRY(const SettledWhere settled, settle_where(order.where));
  HONE_TRY(const Path path, find_model_file(order.model, host));
  HONE_TRY(const Model model, load_model(path));
  HONE_TRY(const TransformTools tools, make_tools(host, watch));
  AnalyzeJob job;
  job.target = {.ep = settled.where.ep, .device = settled.where.device, .options = {}};
  job.looks_at_kernels = false;
  HONE_TRY(const Analysis analysis, analyze(tools, model, job));
  Situation situation = situation_of(analysis);
  situation.ort_version = tools.runtime->version();
  situation.ep_version = order.ep_version;
  if (situation.ep_version.empty()) situation.ep_version = version_here(host, job.target);
  situation.driver = order.driver;
  if (!order.precision.empty()) situation.precision = order.precision;
  return situation;
}

}  // namespace

Result<KnowledgeList> list_findings(const Path& folder, const FindingFilter& filter) {
  HONE_TRY(const std::vector<StoredFinding> stored, load_stored(folder));
  KnowledgeList findings;
  for (const StoredFinding& one : stored) {
    const bool is_asked = filter.status.empty() || name_of(one.finding.status) == filter.status;
    const bool may_hold = may_hold_on(one.finding, filter.ep, filter.device);
    if (may_hold && is_asked) findings.findings.push_back(listed(one));
  }
  return findings;
}

Result<ListedFinding> show_finding(const Path& folder, const std::string& id) {
  HONE_TRY(const std::vector<StoredFinding> stored, load_stored(folder));
  HONE_TRY(const StoredFinding* found, find_finding(stored, id));
  return listed(*found);
}

Result<KnowledgeCheck> check_findings(const std::string& path, const Path& folder) {
  HONE_TRY(const std::vector<FindingSource> sources, sources_of(path, folder));
  KnowledgeCheck result{.files = sources.size(), .findings = 0, .problems = {}};
  for (const FindingSource& source : sources) {
    const auto findings = parse_findings(source.name, source.text);
    if (!findings) {
      result.problems.push_back(source.name + ": " + findings.error().cause);
      continue;
    }
    result.findings += findings->size();
    for (const std::string& problem : problems_of_all(*findings, known_names())) {
      result.problems.push_back(source.name + ": " + problem);
    }
  }
  return result;
}

Result<KnowledgeList> take_in_findings(const Path& folder, const std::string& file, TakeIn what) {
  const Step step = what == TakeIn::new_ones ? step_of_add : step_of_import;
  HONE_TRY(const std::string text, read_file(file, largest_file));
  HONE_TRY(const std::vector<Finding> given, read_findings(file, text, known_names()));
  HONE_TRY(const std::vector<StoredFinding> stored, load_stored(folder));
  std::vector<Finding> results;
  for (const Finding& finding : given) {
    const auto known = find_finding(stored, finding.id);
    HONE_TRY(Finding result, step(finding, known ? *known : nullptr));
    results.push_back(std::move(result));
  }
  for (Finding& one : reopened(stored, given, utc_now())) results.push_back(std::move(one));
  KnowledgeList kept;
  for (const Finding& result : results) {
    HONE_TRY(ListedFinding one, keep_finding(folder, result));
    kept.findings.push_back(std::move(one));
  }
  return kept;
}

Result<ListedFinding> falsify_finding(const FalsifyOrder& order) {
  HONE_TRY(const std::vector<StoredFinding> stored, load_stored(order.folder));
  HONE_TRY(const StoredFinding* found, find_finding(stored, order.id));
  Finding finding = found->finding;
  FindingTrial trial = order.trial;
  for (const std::string& file : order.evidence) {
    HONE_TRY(const ModelEvidence shown, evidence_of(file));
    if (!trial.evidence) trial.evidence = shown.sha256;
    finding.evidence.push_back({shown.sha256, shown.file});
  }
  finding = falsified(std::move(finding), std::move(trial), order.why, utc_now());
  return keep_finding(order.folder, finding);
}

Result<ListedFinding> promote_finding(const Path& folder, const std::string& id) {
  HONE_TRY(const std::vector<StoredFinding> stored, load_stored(folder));
  HONE_TRY(const Finding finding, promoted_among(stored, id, utc_now()));
  return keep_finding(folder, finding);
}

Result<KnowledgeAnswer> explain_findings(const WhyOrder& order, const Watch& watch) {
  HONE_TRY(const std::vector<StoredFinding> stored, load_stored(order.folder));
  HONE_TRY(const Situation situation, look_at(order, watch));
  std::vector<Finding> findings;
  for (const StoredFinding& one : stored) {
    if (may_hold_on(one.finding, situation.ep, situation.device)) findings.push_back(one.finding);
  }
  KnowledgeAnswer answer{.model = order.model,
                         .target = {situation.ep, situation.device, {}},
                         .ort_version = situation.ort_version,
                         .ep_version = ep_version_of(situation),
                         .driver = situation.driver,
                         .precision = situation.precision,
                         .other_targets = stored.size() - findings.size(),
                         .changes = {}};
  for (const Change& change : known_changes(findings)) {
    const Advice advice = advise(findings, situation, change);
    answer.changes.push_back(
        {change, advice.priority_delta, advice.prunes, rule_on(findings, situation, change)});
  }
  return answer;
}

}  // namespace hone
