#include "app/kb_models.h"

#include <array>

#include "app/actions.h"
#include "base/misuse.h"
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
};

constexpr auto help = "hone help kb";

Result<ExitCode> answer_family(const ListedFamily& listed, const std::string& text,
                               const Call& call) {
  HONE_TRY_DO(call.answer(to_document(listed, model_knowledge_schema_version), text));
  return ExitCode::done;
}

Result<ExitCode> list(const Job& job, const Call& call) {
  HONE_TRY(std::vector<ListedFamily> families, load_families(job.given.folder));
  const FamilyList all{.families = std::move(families)};
  HONE_TRY_DO(
      call.answer(to_document(all, model_knowledge_schema_version), describe_families(all)));
  return ExitCode::done;
}

Result<ExitCode> show(const Job& job, const Call& call) {
  HONE_TRY(const std::vector<ListedFamily> families, load_families(job.given.folder));
  HONE_TRY(const ListedFamily* found, find_family(families, job.given.what.front()));
  return answer_family(*found, describe_family(*found), call);
}

Result<ExitCode> check(const Job& job, const Call& call) {
  HONE_TRY(const KnowledgeCheck result, check_families({.paths = job.given.what,
                                                        .against = job.arguments.against,
                                                        .folder = job.given.folder}));
  HONE_TRY_DO(call.answer(to_document(result, knowledge_schema_version), describe_check(result)));
  return result.problems.empty() ? ExitCode::done : ExitCode::not_held;
}

// "model@w8a8@qnn/npu".
Result<ModelTrial> read_trial(const std::string& text) {
  const std::size_t last = text.rfind('@');
  const std::size_t first =
      last == 0 || last == std::string::npos ? std::string::npos : text.rfind('@', last - 1);
  if (first == 0 || first == std::string::npos || first + 1 == last || last + 1 == text.size()) {
    return misuse("'" + text + "' is no value for --on: it takes MODEL@PRECISION@EP", help);
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
    return misuse("hone kb models " + job.given.action + " needs one --on MODEL@PRECISION@EP",
                  help);
  }
  return read_order(job);
}

Result<ExitCode> answer_kept(const KeptFinding& kept, const Call& call) {
  return answer_family(kept.family, describe_model_finding(kept.finding), call);
}

Result<ExitCode> add(const Job& job, const Call& call) {
  HONE_TRY(const FamilyOrder order, read_order(job));
  HONE_TRY(const KeptFinding kept, add_to_family(order));
  return answer_kept(kept, call);
}

Result<ExitCode> falsify(const Job& job, const Call& call) {
  HONE_TRY(const FamilyOrder order, read_order_of_one(job));
  HONE_TRY(const KeptFinding kept, falsify_in_family(order));
  return answer_kept(kept, call);
}

Result<ExitCode> add_where_it_held(const Job& job, const Call& call) {
  HONE_TRY(const FamilyOrder order, read_order_of_one(job));
  HONE_TRY(const KeptFinding kept, validate_in_family(order));
  return answer_kept(kept, call);
}

Result<ExitCode> mine(const Job& job, const Call& call) {
  if (job.arguments.family.empty()) return misuse("hone kb models mine needs --family NAME", help);
  const Path folder = job.given.what.front();
  const Path output =
      job.arguments.output.empty() ? folder / "finding.json" : Path(job.arguments.output);
  HONE_TRY(const ModelFindingDraft draft, mine_build({.build = folder,
                                                      .family = job.arguments.family,
                                                      .perf = job.arguments.perf,
                                                      .output = output,
                                                      .overwrite = job.arguments.overwrite}));
  call.note("draft in '" + output.string() + "': read it, write what it means, and `hone kb " +
            "models add " + draft.family + " --draft` it");
  HONE_TRY_DO(call.answer(to_document(draft, model_knowledge_schema_version),
                          describe_model_finding(draft.finding)));
  return ExitCode::done;
}

constexpr std::array<Action<Job>, 7> actions = {{
    {{.name = "list"}, list},
    {{.name = "show", .takes = "FAMILY", .least = 1, .most = 1}, show},
    {{.name = "check", .most = any_number}, check},
    {{.name = "add", .takes = "FAMILY", .least = 1, .most = 1}, add},
    {{.name = "falsify", .takes = "ID", .least = 1, .most = 1}, falsify},
    {{.name = "held", .takes = "ID", .least = 1, .most = 1}, add_where_it_held},
    {{.name = "mine", .takes = "FOLDER", .least = 1, .most = 1}, mine},
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
  HONE_TRY(const auto* action, find_action("kb models", actions, given.action, given.what));
  return action->run({arguments, given}, call);
}

}  // namespace hone::app
