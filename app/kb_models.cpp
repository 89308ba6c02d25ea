#include "app/kb_models.h"

#include <array>
#include <limits>

#include "base/text.h"
#include "flow/knowledge/family_files.h"
#include "knowledge/family_check.h"
#include "knowledge/family_store.h"
#include "report/knowledge/family_text.h"
#include "report/knowledge/finding_text.h"
#include "runtime/ep_names.h"

namespace hone::app {
namespace {

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

Result<ExitCode> check(const Job& job) {
  HONE_TRY(const KnowledgeCheck result, check_families({.paths = job.given.what,
                                                        .against = job.arguments.against,
                                                        .folder = job.given.folder}));
  HONE_TRY_DO(
      job.call.answer(to_document(result, knowledge_schema_version), describe_check(result)));
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

Result<FamilyOrder> read_order(const Job& job) {
  FamilyOrder order{.folder = job.given.folder,
                    .about = job.given.what.front(),
                    .model_type = job.arguments.model_type,
                    .said = job.arguments.said,
                    .trials = {}};
  order.said.evidence = job.given.evidence;
  for (const std::string& text : job.given.on) {
    HONE_TRY(ModelTrial trial, read_trial(text));
    if (!job.given.ort_version.empty()) trial.ort_version = job.given.ort_version;
    order.trials.push_back(std::move(trial));
  }
  return order;
}

// Of one trial.
Result<FamilyOrder> read_order_of_one(const Job& job) {
  if (job.given.on.size() != 1) {
    return misuse("hone kb models " + job.given.action + " needs one --on MODEL@PRECISION@EP");
  }
  return read_order(job);
}

Result<ExitCode> answer_kept(const KeptFinding& kept, const Call& call) {
  return answer_family(kept.family, describe_model_finding(kept.finding), call);
}

Result<ExitCode> add(const Job& job) {
  HONE_TRY(const FamilyOrder order, read_order(job));
  HONE_TRY(const KeptFinding kept, add_to_family(order));
  return answer_kept(kept, job.call);
}

Result<ExitCode> falsify(const Job& job) {
  HONE_TRY(const FamilyOrder order, read_order_of_one(job));
  HONE_TRY(const KeptFinding kept, falsify_in_family(order));
  return answer_kept(kept, job.call);
}

Result<ExitCode> add_where_it_held(const Job& job) {
  HONE_TRY(const FamilyOrder order, read_order_of_one(job));
  HONE_TRY(const KeptFinding kept, validate_in_family(order));
  return answer_kept(kept, job.call);
}

Result<ExitCode> mine(const Job& job) {
  if (job.arguments.family.empty()) return misuse("hone kb models mine needs --family NAME");
  const Path folder = job.given.what.front();
  const Path output =
      job.arguments.output.empty() ? folder / "finding.json" : Path(job.arguments.output);
  HONE_TRY(const ModelFindingDraft draft, mine_build({.build = folder,
                                                      .family = job.arguments.family,
                                                      .perf = job.arguments.perf,
                                                      .output = output,
                                                      .overwrite = job.arguments.overwrite}));
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
  options.text("--title TEXT", arguments.said.title,
               "models add, falsify: a claim that can be wrong");
  options.text("--observation TEXT", arguments.said.observation,
               "models add, falsify: what was seen");
  options.choice("--effort TIER", arguments.said.effort, words_of(known_efforts()),
                 "models add, falsify: what support took (L0)");
  options.choice("--goal TIER", arguments.said.goal, words_of(known_goals()),
                 "models add, falsify: what was reached");
  options.text("--mechanism TEXT", arguments.said.mechanism,
               "models add, falsify: why it may be so");
  options.texts("--gotcha TEXT", arguments.said.gotchas, "models add, falsify: what to mind");
  options.texts("--gap TEXT", arguments.said.gaps, "models add, falsify: what hone or an EP lacks");
  options.text("--draft FILE", arguments.said.draft, "models add, falsify: begin with this draft");
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
