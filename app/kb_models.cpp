#include "app/kb_models.h"

#include <array>
#include <limits>

#include "app/family_text.h"
#include "app/mine.h"
#include "base/counted.h"
#include "base/text.h"
#include "base/utc.h"
#include "knowledge/family.h"
#include "knowledge/family_check.h"
#include "knowledge/family_evidence.h"
#include "knowledge/family_store.h"
#include "knowledge/store.h"
#include "record/knowledge.h"
#include "runtime/ep_names.h"

namespace hone::app {
namespace {

constexpr std::uint64_t largest_file = 16 << 20;

// All that an action is handed.
struct Job {
  const FamilyArguments& arguments;
  const FamilyCall& given;
  const Call& call;
};

Failure misuse(std::string what) {
  return fail(Fault::bad_input, std::move(what), {}, "hone help kb");
}

Result<ExitCode> answer_family(const ListedFamily& listed, const std::string& text,
                               const Call& call) {
  HONE_TRY_DO(call.answer(to_document(listed, model_knowledge_schema_version), text));
  return ExitCode::done;
}

Result<ExitCode> list(const Job& job) {
  HONE_TRY(std::vector<ListedFamily> families, load_families(job.given.folder));
  const FamilyList all{.families = std::move(families)};
  HONE_TRY_DO(
      job.call.answer(to_document(all, model_knowledge_schema_version), describe_families(all)));
  return ExitCode::done;
}

Result<ExitCode> show(const Job& job) {
  HONE_TRY(const std::vector<ListedFamily> families, load_families(job.given.folder));
  HONE_TRY(const ListedFamily* found, find_family(families, job.given.what.front()));
  return answer_family(*found, describe_family(*found), job.call);
}

// What is checked: the given files, else what is shipped and the user's own.
Result<std::vector<FindingSource>> sources_to_check(const Job& job) {
  std::vector<FindingSource> sources;
  const auto add = [&](const Path& path) -> Status {
    HONE_TRY(std::vector<FindingSource> more, read_sources(path));
    for (FindingSource& source : more) sources.push_back(std::move(source));
    return done();
  };
  for (const std::string& path : job.given.what) {
    // A shell's model_knowledge/*.json names the schema too.
    const bool is_schema = Path(path).filename() == "schema.json" && job.given.what.size() > 1;
    if (!is_schema) HONE_TRY_DO(add(path));
  }
  if (!job.given.what.empty()) return sources;
  for (const EmbeddedFile& file : embedded_families()) {
    sources.push_back({std::string(file.name), std::string(file.text)});
  }
  std::error_code error;
  if (std::filesystem::exists(job.given.folder, error)) HONE_TRY_DO(add(job.given.folder));
  return sources;
}

// Families to hold others against. What cannot be read cannot be compared with.
Result<std::vector<FamilyKnowledge>> read_earlier(const Job& job) {
  std::vector<FamilyKnowledge> earlier;
  if (!job.arguments.against.empty()) {
    HONE_TRY(const std::vector<FindingSource> sources, read_sources(job.arguments.against));
    for (const FindingSource& source : sources) {
      HONE_TRY(FamilyKnowledge knowledge, parse_family(source.name, source.text));
      earlier.push_back(std::move(knowledge));
    }
    return earlier;
  }
  // A user's copy goes on where the shipped family ends.
  for (const EmbeddedFile& file : embedded_families()) {
    HONE_TRY(FamilyKnowledge knowledge, parse_family(file.name, file.text));
    earlier.push_back(std::move(knowledge));
  }
  return earlier;
}

std::vector<std::string> problems_beside(const FamilyKnowledge& knowledge,
                                         const std::vector<FamilyKnowledge>& earlier) {
  std::vector<std::string> problems = problems_of(knowledge);
  for (const FamilyKnowledge& before : earlier) {
    if (before.family != knowledge.family) continue;
    for (const std::string& rewrite : rewrites_of_history(before, knowledge)) {
      problems.push_back("beside the version before: " + rewrite);
    }
  }
  return problems;
}

// A family of the version before that no file is of is gone.
void add_lost_families(const std::vector<FamilyKnowledge>& earlier,
                       const std::vector<std::string>& seen, KnowledgeCheck& result) {
  for (const FamilyKnowledge& before : earlier) {
    if (std::ranges::find(seen, before.family) != seen.end()) continue;
    result.problems.push_back("beside the version before: the family '" + printable(before.family) +
                              "' is gone");
  }
}

Result<ExitCode> check(const Job& job) {
  HONE_TRY(const std::vector<FindingSource> sources, sources_to_check(job));
  HONE_TRY(const std::vector<FamilyKnowledge> earlier, read_earlier(job));
  KnowledgeCheck result{.files = sources.size(), .findings = 0, .problems = {}};
  std::vector<std::string> seen;
  for (const FindingSource& source : sources) {
    const auto knowledge = parse_family(source.name, source.text);
    if (!knowledge) {
      result.problems.push_back(source.name + ": " + knowledge.error().cause);
      continue;
    }
    seen.push_back(knowledge->family);
    result.findings += knowledge->findings.size();
    std::vector<std::string> problems = problems_beside(*knowledge, earlier);
    if (!job.given.what.empty() && has_evidence_beside(*knowledge)) {
      const Path folder = Path(source.name).parent_path();
      for (std::string& problem : evidence_problems(*knowledge, folder))
        problems.push_back(std::move(problem));
    }
    for (const std::string& problem : problems)
      result.problems.push_back(source.name + ": " + problem);
  }
  if (!job.arguments.against.empty()) add_lost_families(earlier, seen, result);
  std::string text;
  for (const std::string& problem : result.problems) text += printable(problem) + "\n";
  text += counted(result.findings, "finding") + " in " + counted(result.files, "file") + ", " +
          counted(result.problems.size(), "problem") + "\n";
  HONE_TRY_DO(job.call.answer(to_document(result, knowledge_schema_version), text));
  return result.problems.empty() ? ExitCode::done : ExitCode::not_held;
}

// "model@w8a8@qnn/npu".
Result<ModelTrial> read_trial(const std::string& text) {
  const std::size_t last = text.rfind('@');
  const std::size_t first =
      last == 0 || last == std::string::npos ? std::string::npos : text.rfind('@', last - 1);
  if (first == 0 || first == std::string::npos || first + 1 == last || last + 1 == text.size()) {
    return misuse("'" + text + "' is no value for --on: it takes MODEL@PRECISION@EP");
  }
  const std::string target = text.substr(last + 1);
  const std::size_t slash = std::min(target.find('/'), target.size());
  return ModelTrial{
      .model = text.substr(0, first),
      .precision = text.substr(first + 1, last - first - 1),
      .ep = std::string(ep_short_name(target.substr(0, slash))) + target.substr(slash)};
}

// Of --on, each with the first file of --evidence.
Result<std::vector<ModelTrial>> read_trials(const Job& job,
                                            const std::vector<ModelEvidence>& evidence) {
  std::vector<ModelTrial> trials;
  for (const std::string& text : job.given.on) {
    HONE_TRY(ModelTrial trial, read_trial(text));
    if (!evidence.empty()) trial.evidence = evidence.front().sha256;
    if (!job.given.ort_version.empty()) trial.ort_version = job.given.ort_version;
    trials.push_back(std::move(trial));
  }
  return trials;
}

Result<std::vector<ModelEvidence>> read_evidence(const Job& job) {
  std::vector<ModelEvidence> all;
  for (const std::string& file : job.given.evidence) {
    HONE_TRY(ModelEvidence evidence, evidence_of(file));
    all.push_back(std::move(evidence));
  }
  return all;
}

// What --draft holds, else nothing; options are put over it.
Result<ModelFinding> read_base(const Job& job, const std::string& family) {
  if (job.arguments.draft.empty()) return ModelFinding{};
  HONE_TRY(const std::string text, read_file(job.arguments.draft, largest_file));
  HONE_TRY(ModelFindingDraft draft, parse_draft(job.arguments.draft, text));
  if (draft.family == family) return std::move(draft.finding);
  return misuse("'" + job.arguments.draft + "' is a draft for the family '" +
                printable(draft.family) + "'");
}

void put_over(std::string& member, const std::string& given) {
  if (!given.empty()) member = given;
}

// Trials of --on are the caller's to place.
Result<ModelFinding> read_finding(const Job& job, const std::string& family) {
  const FamilyArguments& arguments = job.arguments;
  HONE_TRY(ModelFinding finding, read_base(job, family));
  put_over(finding.title, arguments.title);
  put_over(finding.observation, arguments.observation);
  put_over(finding.effort, arguments.effort);
  put_over(finding.mechanism.notes, arguments.mechanism);
  if (!arguments.goal.empty()) finding.goal_reached = arguments.goal;
  if (finding.effort.empty()) finding.effort = "L0";
  if (finding.date.empty()) finding.date = utc_today();
  finding.gotchas.insert(finding.gotchas.end(), arguments.gotchas.begin(), arguments.gotchas.end());
  finding.gaps.insert(finding.gaps.end(), arguments.gaps.begin(), arguments.gaps.end());
  HONE_TRY(const std::vector<ModelEvidence> evidence, read_evidence(job));
  finding.evidence.insert(finding.evidence.end(), evidence.begin(), evidence.end());
  return finding;
}

// Keeps the family among the user's own, and shows its last finding or the one of `id`.
Result<ExitCode> keep(const Job& job, const FamilyKnowledge& knowledge, std::string_view id) {
  HONE_TRY_DO(save_family(job.given.folder, knowledge));
  HONE_TRY(const std::vector<ListedFamily> families, load_families(job.given.folder));
  HONE_TRY(const ListedFamily* kept, find_family(families, knowledge.family));
  const auto& findings = kept->knowledge.findings;
  const auto found = std::ranges::find(findings, id, &ModelFinding::id);
  return answer_family(
      *kept, describe_model_finding(found == findings.end() ? findings.back() : *found), job.call);
}

// The family as it is, or a new one.
Result<FamilyKnowledge> family_to_add_to(const Job& job, const std::string& family) {
  HONE_TRY(const std::vector<ListedFamily> families, load_families(job.given.folder));
  if (const auto found = find_family(families, family)) return (*found)->knowledge;
  if (job.arguments.model_type.empty()) {
    return misuse("nothing is known of a family '" + printable(family) +
                  "': the first finding needs --model-type");
  }
  return FamilyKnowledge{.family = family, .model_type = job.arguments.model_type};
}

Result<ExitCode> add(const Job& job) {
  const std::string& family = job.given.what.front();
  HONE_TRY(FamilyKnowledge knowledge, family_to_add_to(job, family));
  HONE_TRY(ModelFinding finding, read_finding(job, family));
  HONE_TRY(const std::vector<ModelTrial> trials, read_trials(job, finding.evidence));
  std::vector<ModelTrial>& held = finding.scope.validated_on;
  held.insert(held.end(), trials.begin(), trials.end());
  HONE_TRY(knowledge, appended(std::move(knowledge), std::move(finding)));
  return keep(job, knowledge, {});
}

// The family of an id, and the trial of --on.
struct AboutFinding {
  FamilyKnowledge knowledge;
  ModelTrial trial;
};
Result<AboutFinding> look_up(const Job& job, const std::vector<ModelEvidence>& evidence) {
  if (job.given.on.size() != 1) {
    return misuse("hone kb models " + job.given.action + " needs one --on MODEL@PRECISION@EP");
  }
  HONE_TRY(std::vector<ModelTrial> trials, read_trials(job, evidence));
  HONE_TRY(const std::vector<ListedFamily> families, load_families(job.given.folder));
  const std::string& id = job.given.what.front();
  const std::string family = family_of_id(id);
  HONE_TRY(const ListedFamily* found, find_family(families, family.empty() ? id : family));
  return AboutFinding{found->knowledge, std::move(trials.front())};
}

Result<ExitCode> falsify(const Job& job) {
  const std::string& id = job.given.what.front();
  HONE_TRY(ModelFinding counter, read_finding(job, family_of_id(id)));
  HONE_TRY(AboutFinding about, look_up(job, counter.evidence));
  HONE_TRY(const FamilyKnowledge knowledge,
           falsified(std::move(about.knowledge), id, std::move(about.trial), std::move(counter)));
  return keep(job, knowledge, {});
}

Result<ExitCode> add_where_it_held(const Job& job) {
  const std::string& id = job.given.what.front();
  HONE_TRY(const std::vector<ModelEvidence> evidence, read_evidence(job));
  HONE_TRY(AboutFinding about, look_up(job, evidence));
  HONE_TRY(const FamilyKnowledge knowledge,
           validated(std::move(about.knowledge), id, std::move(about.trial)));
  return keep(job, knowledge, id);
}

Result<ExitCode> mine(const Job& job) {
  const Path folder = job.given.what.front();
  if (job.arguments.family.empty()) return misuse("hone kb models mine needs --family NAME");
  const Path output =
      job.arguments.output.empty() ? folder / "finding.json" : Path(job.arguments.output);
  HONE_TRY(const BuildRemains remains, read_remains(folder, job.arguments.perf));
  HONE_TRY_DO(refuse_existing(output, job.arguments.overwrite));
  const ModelFindingDraft draft{.family = job.arguments.family,
                                .finding = draft_of(remains, utc_today())};
  HONE_TRY_DO(write_file(output, write_draft(draft)));
  job.call.note("draft in '" + output.string() + "': read it, write what it means, and `hone kb " +
                "models add " + draft.family + " --draft` it");
  HONE_TRY_DO(job.call.answer(to_document(draft, model_knowledge_schema_version),
                              describe_model_finding(draft.finding)));
  return ExitCode::done;
}

struct Action {
  std::string_view name;
  std::string_view takes;  // empty: nothing it could not do without
  std::size_t most;        // words it takes
  Result<ExitCode> (*run)(const Job& job);
};

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
constexpr std::array<Action, 7> actions = {{
    {"list", "", 0, list},
    {"show", "FAMILY", 1, show},
    {"check", "", any_number, check},
    {"add", "FAMILY", 1, add},
    {"falsify", "ID", 1, falsify},
    {"held", "ID", 1, add_where_it_held},
    {"mine", "FOLDER", 1, mine},
}};

std::vector<std::string> words_of(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}

}  // namespace

void declare_models(Options& options, FamilyArguments& arguments) {
  options.text("--family NAME", arguments.family, "models mine: the family of the model");
  options.text("--model-type NAME", arguments.model_type, "models add: of a new family");
  options.text("--title TEXT", arguments.title, "models add, falsify: a claim that can be wrong");
  options.text("--observation TEXT", arguments.observation, "models add, falsify: what was seen");
  options.choice("--effort TIER", arguments.effort, words_of(known_efforts()),
                 "models add, falsify: what support took (L0)");
  options.choice("--goal TIER", arguments.goal, words_of(known_goals()),
                 "models add, falsify: what was reached");
  options.text("--mechanism TEXT", arguments.mechanism, "models add, falsify: why it may be so");
  options.texts("--gotcha TEXT", arguments.gotchas, "models add, falsify: what to mind");
  options.texts("--gap TEXT", arguments.gaps, "models add, falsify: what hone or an EP lacks");
  options.text("--draft FILE", arguments.draft, "models add, falsify: begin with this draft");
  options.text("--against PATH", arguments.against,
               "models check: the version before, a file or folder");
  options.text("--perf FILE", arguments.perf,
               "models mine: a result of `hone perf`; else perf.json there");
  options.text("-o,--output FILE", arguments.output,
               "models mine: the draft; else finding.json there");
  options.flag("--overwrite", arguments.overwrite, "models mine: replace a draft that is there");
}

Result<ExitCode> run_models(const FamilyArguments& arguments, const FamilyCall& given,
                            const Call& call) {
  const auto action = std::ranges::find(actions, given.action, &Action::name);
  std::vector<std::string> names;
  for (const Action& one : actions) names.emplace_back(one.name);
  if (given.action.empty()) return misuse("hone kb models needs one of " + join(names, ", "));
  if (action == actions.end()) {
    return misuse("hone kb models has no '" + given.action + "'" +
                  did_you_mean(given.action, names));
  }
  if (!action->takes.empty() && given.what.empty()) {
    return misuse("hone kb models " + given.action + " needs " + std::string(action->takes));
  }
  if (given.what.size() > action->most) {
    return misuse("unexpected argument '" + given.what[action->most] + "'");
  }
  return action->run({arguments, given, call});
}

}  // namespace hone::app
