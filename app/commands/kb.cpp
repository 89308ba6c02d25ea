// The knowledge base: what is known of changes to a recipe, and what that does for a model.

#include <array>

#include "app/command.h"
#include "app/finding_text.h"
#include "app/kb_models.h"
#include "app/mine.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/counted.h"
#include "base/text.h"
#include "base/utc.h"
#include "flow/given_model.h"
#include "flow/search/environment.h"
#include "flow/search/known_names.h"
#include "flow/transform_tools.h"
#include "inspect/analyze/analyze.h"
#include "knowledge/advice.h"
#include "knowledge/check.h"
#include "knowledge/confirmation.h"
#include "knowledge/lifecycle.h"
#include "knowledge/predicate.h"
#include "knowledge/store.h"
#include "runtime/ep_names.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string action;
  std::string what;
  std::vector<std::string> more;  // of `models`
  std::string folder;
  Where where;
  std::string ep;
  std::string device;
  std::string status;
  std::string ort_version;
  std::string ep_version;
  std::string driver;
  std::string precision;
  std::vector<std::string> on;
  std::string why;
  std::vector<std::string> evidence;
  FamilyArguments models;
};

Failure misuse(std::string what) {
  return fail(Fault::bad_input, std::move(what), {}, "hone help kb");
}

Result<Path> user_folder(const Arguments& arguments) {
  return arguments.folder.empty() ? knowledge_folder() : Path(arguments.folder);
}

Result<std::vector<StoredFinding>> load(const Arguments& arguments) {
  HONE_TRY(const Path folder, user_folder(arguments));
  return load_stored(folder);
}

ListedFinding listed(const StoredFinding& stored) {
  ListedFinding one{.finding = stored.finding, .replaces_shipped = stored.replaces_shipped};
  if (!stored.is_shipped()) one.file = stored.file.string();
  if (stored.finding.status == FindingStatus::draft)
    one.missing = missing_for_confirmation(stored.finding);
  return one;
}

Result<ExitCode> answer_finding(const StoredFinding& stored, const Call& call) {
  const ListedFinding one = listed(stored);
  HONE_TRY_DO(call.answer(to_document(one, knowledge_schema_version), describe_finding(one)));
  return ExitCode::done;
}

// May it hold on that EP and device? Empty ones were not asked for.
bool may_hold_on(const Finding& finding, const std::string& ep, const std::string& device) {
  Situation situation;
  situation.ep = ep_short_name(ep);
  situation.device = device;
  return evaluate(finding.when, situation) != Truth::no;
}

Result<ExitCode> list(const Arguments& arguments, const Call& call) {
  HONE_TRY(const std::vector<StoredFinding> stored, load(arguments));
  KnowledgeList findings;
  for (const StoredFinding& one : stored) {
    const bool is_asked =
        arguments.status.empty() || name_of(one.finding.status) == arguments.status;
    const bool may_hold = may_hold_on(one.finding, arguments.ep, arguments.device);
    if (may_hold && is_asked) findings.findings.push_back(listed(one));
  }
  HONE_TRY_DO(
      call.answer(to_document(findings, knowledge_schema_version), describe_list(findings)));
  return ExitCode::done;
}

Result<ExitCode> show(const Arguments& arguments, const Call& call) {
  HONE_TRY(const std::vector<StoredFinding> stored, load(arguments));
  HONE_TRY(const StoredFinding* found, find_finding(stored, arguments.what));
  return answer_finding(*found, call);
}

// Without a path: what is shipped, and the user's own.
Result<std::vector<FindingSource>> sources_to_check(const Arguments& arguments) {
  if (!arguments.what.empty()) return read_sources(arguments.what);
  std::vector<FindingSource> sources;
  for (const EmbeddedFile& file : embedded_findings()) {
    sources.push_back({std::string(file.name), std::string(file.text)});
  }
  HONE_TRY(const Path folder, user_folder(arguments));
  if (!std::filesystem::exists(folder)) return sources;
  HONE_TRY(std::vector<FindingSource> own, read_sources(folder));
  for (FindingSource& source : own) sources.push_back(std::move(source));
  return sources;
}

// What is known of families of models has actions of its own.
Result<ExitCode> models(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path folder, user_folder(arguments));
  const FamilyCall given{.action = arguments.what,
                         .what = arguments.more,
                         .on = arguments.on,
                         .evidence = arguments.evidence,
                         .ort_version = arguments.ort_version,
                         .folder = folder / "models"};
  return run_models(arguments.models, given, call);
}

Result<ExitCode> check(const Arguments& arguments, const Call& call) {
  if (!arguments.models.against.empty()) {  // only families have a version before
    Arguments families = arguments;
    families.what = "check";
    if (!arguments.what.empty()) families.more = {arguments.what};
    return models(families, call);
  }
  HONE_TRY(const std::vector<FindingSource> sources, sources_to_check(arguments));
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
  std::string text;
  for (const std::string& problem : result.problems) text += printable(problem) + "\n";
  text += counted(result.findings, "finding") + " in " + counted(result.files, "file") + ", " +
          counted(result.problems.size(), "problem") + "\n";
  HONE_TRY_DO(call.answer(to_document(result, knowledge_schema_version), text));
  return result.problems.empty() ? ExitCode::done : ExitCode::not_held;
}

// Keeps the finding among the user's own, and shows what it is now.
Result<StoredFinding> keep(const Arguments& arguments, Finding finding) {
  HONE_TRY(const Path folder, user_folder(arguments));
  HONE_TRY_DO(save_finding(folder, finding));
  HONE_TRY(std::vector<StoredFinding> stored, load(arguments));
  HONE_TRY(const StoredFinding* kept, find_finding(stored, finding.id));
  return *kept;
}

Result<std::vector<Finding>> read_given(const Arguments& arguments) {
  HONE_TRY(const std::string text, read_file(arguments.what, 16 << 20));
  return read_findings(arguments.what, text, known_names());
}

// One step for each finding of a file; nothing is kept unless every step can be taken.
using Step = Result<Finding> (*)(const Finding& given, const StoredFinding* known);

Result<ExitCode> take_in(const Arguments& arguments, const Call& call, Step step) {
  HONE_TRY(const std::vector<Finding> given, read_given(arguments));
  HONE_TRY(const std::vector<StoredFinding> stored, load(arguments));
  std::vector<Finding> results;
  for (const Finding& finding : given) {
    const auto known = find_finding(stored, finding.id);
    HONE_TRY(Finding result, step(finding, known ? *known : nullptr));
    results.push_back(std::move(result));
  }
  for (Finding& one : reopened(stored, given, utc_now())) results.push_back(std::move(one));
  KnowledgeList kept;
  for (Finding& result : results) {
    HONE_TRY(const StoredFinding one, keep(arguments, std::move(result)));
    kept.findings.push_back(listed(one));
  }
  HONE_TRY_DO(call.answer(to_document(kept, knowledge_schema_version), describe_list(kept)));
  return ExitCode::done;
}

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

// "model.onnx@qnn/npu".
Result<FindingTrial> read_trial(const Arguments& arguments) {
  const std::string& on = arguments.on.front();
  const std::size_t at = on.rfind('@');
  if (at == std::string::npos || at == 0 || at + 1 == on.size()) {
    return misuse("'" + on + "' is no value for --on: it takes MODEL@EP/DEVICE");
  }
  FindingTrial trial;
  trial.model = on.substr(0, at);
  const std::string target = on.substr(at + 1);
  const std::size_t slash = std::min(target.find('/'), target.size());
  trial.ep = ep_short_name(target.substr(0, slash));
  if (slash < target.size()) trial.device = target.substr(slash + 1);
  trial.ort_version = arguments.ort_version;
  trial.ep_version = arguments.ep_version;
  return trial;
}

Result<ExitCode> falsify(const Arguments& arguments, const Call& call) {
  if (arguments.on.size() != 1 || arguments.why.empty()) {
    return misuse("hone kb falsify needs --on MODEL@EP/DEVICE and --why TEXT");
  }
  HONE_TRY(FindingTrial trial, read_trial(arguments));
  HONE_TRY(const std::vector<StoredFinding> stored, load(arguments));
  HONE_TRY(const StoredFinding* found, find_finding(stored, arguments.what));
  Finding finding = found->finding;
  for (const std::string& file : arguments.evidence) {
    HONE_TRY(const ModelEvidence shown, evidence_of(file));
    if (!trial.evidence) trial.evidence = shown.sha256;
    finding.evidence.push_back({shown.sha256, shown.file});
  }
  finding = falsified(std::move(finding), std::move(trial), arguments.why, utc_now());
  HONE_TRY(const StoredFinding kept, keep(arguments, std::move(finding)));
  return answer_finding(kept, call);
}

Result<ExitCode> promote(const Arguments& arguments, const Call& call) {
  HONE_TRY(const std::vector<StoredFinding> stored, load(arguments));
  HONE_TRY(Finding finding, promoted_among(stored, arguments.what, utc_now()));
  HONE_TRY(const StoredFinding kept, keep(arguments, std::move(finding)));
  return answer_finding(kept, call);
}

// Of the EP where it is installed here; else empty.
std::string version_here(const Arguments& arguments, const Target& target) {
  Where where = arguments.where;
  where.ep = target.ep;
  const auto environment = find_environment(where, target);
  if (!environment) return {};
  const auto version = environment->facts.find("ep_version");
  return version != environment->facts.end() ? version->second : std::string();
}

Result<Situation> look_at(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path path, find_model_file(arguments.what));
  HONE_TRY(const Model model, load_model(path));
  StepProgress progress(call);
  HONE_TRY(const TransformTools tools, make_tools(arguments.where.host, progress.watch()));
  AnalyzeJob job;
  job.target = {.ep = arguments.ep.empty() ? "cpu" : ep_short_name(arguments.ep),
                .device = arguments.device.empty() ? "auto" : arguments.device,
                .options = {}};
  job.looks_at_kernels = false;
  HONE_TRY(const Analysis analysis, analyze(tools, model, job));
  Situation situation = situation_of(analysis);
  situation.ort_version = tools.runtime->version();
  situation.ep_version = arguments.ep_version;
  if (situation.ep_version.empty()) situation.ep_version = version_here(arguments, job.target);
  situation.driver = arguments.driver;
  if (!arguments.precision.empty()) situation.precision = arguments.precision;
  return situation;
}

Result<ExitCode> explain(const Arguments& arguments, const Call& call) {
  HONE_TRY(const std::vector<StoredFinding> stored, load(arguments));
  HONE_TRY(const Situation situation, look_at(arguments, call));
  std::vector<Finding> findings;
  for (const StoredFinding& one : stored) {
    if (may_hold_on(one.finding, situation.ep, situation.device)) findings.push_back(one.finding);
  }
  KnowledgeAnswer answer{.model = arguments.what,
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
  HONE_TRY_DO(call.answer(to_document(answer, knowledge_schema_version), describe_answer(answer)));
  return ExitCode::done;
}

struct Action {
  std::string_view name;
  std::string_view takes;  // empty: nothing it could not do without
  Result<ExitCode> (*run)(const Arguments& arguments, const Call& call);
};

constexpr std::array<Action, 9> actions = {{
    {"list", "", list},
    {"show", "ID", show},
    {"check", "", check},
    {"add", "FILE",
     [](const Arguments& arguments, const Call& call) {
       return take_in(arguments, call, step_of_add);
     }},
    {"falsify", "ID", falsify},
    {"promote", "ID", promote},
    {"import", "FILE",
     [](const Arguments& arguments, const Call& call) {
       return take_in(arguments, call, step_of_import);
     }},
    {"why", "MODEL", explain},
    {"models", "", models},
}};

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  const auto action = std::ranges::find(actions, arguments.action, &Action::name);
  if (action == actions.end()) {
    std::vector<std::string> names;
    for (const Action& one : actions) names.emplace_back(one.name);
    return misuse("hone kb has no '" + arguments.action + "'" +
                  did_you_mean(arguments.action, names));
  }
  if (!action->takes.empty() && arguments.what.empty()) {
    return misuse("hone kb " + arguments.action + " needs " + std::string(action->takes));
  }
  if (action->run != models && !arguments.more.empty()) {
    return misuse("unexpected argument '" + arguments.more.front() + "'");
  }
  return action->run(arguments, call);
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.positional("ACTION", arguments->action,
                     "list, show, check, add, falsify, promote, import, why or models");
  options.text("WHAT", arguments->what, "the ID, FILE, folder or MODEL it is about");
  options.texts("MORE", arguments->more, "models: the FAMILY, ID, FILE or build FOLDER");
  options.text("--kb FOLDER", arguments->folder,
               "your findings; else $XDG_DATA_HOME/hone/knowledge");
  options.text("--ep NAME", arguments->ep, "list, why: the EP (why: cpu)");
  options.choice("--device CLASS", arguments->device, {"cpu", "gpu", "npu"},
                 "list, why: the kind of device of that EP");
  options.choice("--status STATUS", arguments->status,
                 {"draft", "confirmed", "stale", "refuted", "superseded"}, "list: only these");
  options.text("--precision NAME", arguments->precision, "why: not the model's own, but this one");
  options.texts("--on MODEL@EP/DEVICE", arguments->on,
                "falsify: where it did not hold; models: MODEL@PRECISION@EP");
  options.text("--why TEXT", arguments->why, "falsify: what was seen there");
  options.texts("--evidence FILE", arguments->evidence,
                "falsify, models: what shows it; its hash is kept");
  options.text("--ort-version V", arguments->ort_version, "falsify, models: of ONNX Runtime");
  options.text("--ep-version V", arguments->ep_version, "falsify, why: of the EP");
  options.text("--driver V", arguments->driver, "why: the version of the driver");
  declare_models(options, arguments->models);
  declare_runtime(options, arguments->where.host);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command kb() {
  return {.name = "kb",
          .group = "build",
          .summary = "Read and keep the knowledge base that orders a search",
          .help =
              "A finding says what a change of a recipe does, where, and what that rests on.\n"
              "Drafts order the arms of a search; what was confirmed twice independently may\n"
              "leave one out; nothing ships because of it. `why` shows what they do for a\n"
              "model. add, falsify, promote and import write to your own folder, one file per\n"
              "finding; those that come with hone are never changed. docs/knowledge.md has the\n"
              "rules.\n"
              "\n"
              "`models` is about families of models: list, show FAMILY, check [FILE...],\n"
              "add FAMILY, falsify ID, held ID, mine FOLDER. What is in such a file stays; it\n"
              "only grows, and `check` finds a rewrite. `mine` makes a draft from a build.\n"
              "docs/model-knowledge.md has the rules.",
          .examples =
              "hone kb list --ep qnn --device npu --status draft\n"
              "hone kb show npu-006\n"
              "hone kb why model.onnx --ep qnn --device npu --ep-version 2.31.0\n"
              "hone kb falsify npu-006 --on model.onnx@qnn/npu --why 'it gained 4 %'\n"
              "hone kb models show ppocr\n"
              "hone kb models mine build --family ppocr",
          .declare = declare};
}

}  // namespace hone::app::commands
