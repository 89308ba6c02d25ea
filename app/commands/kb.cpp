// The knowledge base: what is known of changes to a recipe, and what that does for a model.

#include <array>

#include "app/actions.h"
#include "app/kb_models.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/misuse.h"
#include "base/text.h"
#include "flow/knowledge/findings.h"
#include "flow/where.h"
#include "report/knowledge/finding_text.h"
#include "runtime/ep_names.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string action;
  std::string what;
  std::vector<std::string> more;  // of `models`
  std::string folder;
  Host host;
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

constexpr auto help = "hone help kb";

Result<Path> user_folder(const Arguments& arguments) {
  return arguments.folder.empty() ? knowledge_folder() : Path(arguments.folder);
}

Result<ExitCode> answer_finding(const ListedFinding& one, const Call& call) {
  HONE_TRY_DO(call.answer(to_document(one, knowledge_schema_version), describe_finding(one)));
  return ExitCode::done;
}

Result<ExitCode> answer_list(const KnowledgeList& list, const Call& call) {
  HONE_TRY_DO(call.answer(to_document(list, knowledge_schema_version), describe_list(list)));
  return ExitCode::done;
}

Result<ExitCode> list(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path folder, user_folder(arguments));
  // `auto` is any of them here, and a choice only where a target is asked about.
  const std::string device = arguments.device == "auto" ? "" : arguments.device;
  HONE_TRY(const KnowledgeList findings,
           list_findings(folder, {arguments.ep, device, arguments.status}));
  return answer_list(findings, call);
}

Result<ExitCode> show(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path folder, user_folder(arguments));
  HONE_TRY(const ListedFinding found, show_finding(folder, arguments.what));
  return answer_finding(found, call);
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
  Path folder;
  if (arguments.what.empty()) {
    HONE_TRY(folder, user_folder(arguments));
  }
  HONE_TRY(const KnowledgeCheck result, check_findings(arguments.what, folder));
  HONE_TRY_DO(call.answer(to_document(result, knowledge_schema_version), describe_check(result)));
  return result.problems.empty() ? ExitCode::done : ExitCode::not_held;
}

template <TakeIn what>
Result<ExitCode> take_in(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path folder, user_folder(arguments));
  HONE_TRY(const KnowledgeList kept, take_in_findings(folder, arguments.what, what));
  return answer_list(kept, call);
}

// "model.onnx@qnn/npu".
Result<FindingTrial> read_trial(const Arguments& arguments) {
  const std::string& on = arguments.on.front();
  const std::size_t at = on.rfind('@');
  if (at == std::string::npos || at == 0 || at + 1 == on.size()) {
    return misuse("'" + on + "' is no value for --on: it takes MODEL@EP/DEVICE", help);
  }
  FindingTrial trial;
  trial.model = on.substr(0, at);
  const std::string target = on.substr(at + 1);
  const std::size_t slash = std::min(target.find('/'), target.size());
  trial.ep = ep_short_name(target.substr(0, slash));
  if (slash < target.size()) trial.device = target.substr(slash + 1);
  HONE_TRY_DO(
      check_target({.ep = trial.ep, .device = trial.device, .options = {}}, arguments.host));
  trial.ort_version = arguments.ort_version;
  trial.ep_version = arguments.ep_version;
  return trial;
}

Result<ExitCode> falsify(const Arguments& arguments, const Call& call) {
  if (arguments.on.size() != 1 || arguments.why.empty()) {
    return misuse("hone kb falsify needs --on MODEL@EP/DEVICE and --why TEXT", help);
  }
  FalsifyOrder order;
  HONE_TRY(order.trial, read_trial(arguments));
  HONE_TRY(order.folder, user_folder(arguments));
  order.id = arguments.what;
  order.why = arguments.why;
  order.evidence = arguments.evidence;
  HONE_TRY(const ListedFinding kept, falsify_finding(order));
  return answer_finding(kept, call);
}

Result<ExitCode> promote(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path folder, user_folder(arguments));
  HONE_TRY(const ListedFinding kept, promote_finding(folder, arguments.what));
  return answer_finding(kept, call);
}

Result<ExitCode> explain(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path folder, user_folder(arguments));
  WhyOrder order;
  order.folder = folder;
  order.model = arguments.what;
  order.where.host = arguments.host;
  order.where.ep = arguments.ep;
  order.where.device = arguments.device;
  order.ep_version = arguments.ep_version;
  order.driver = arguments.driver;
  order.precision = arguments.precision;
  StepProgress progress(call);
  HONE_TRY(const KnowledgeAnswer answer, explain_findings(order, progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(answer, knowledge_schema_version), describe_answer(answer)));
  return ExitCode::done;
}

constexpr std::array<Action<Arguments>, 9> actions = {{
    {{.name = "list"}, list},
    {{.name = "show", .takes = "ID", .least = 1, .most = 1}, show},
    {{.name = "check", .most = 1}, check},
    {{.name = "add", .takes = "FILE", .least = 1, .most = 1}, take_in<TakeIn::new_ones>},
    {{.name = "falsify", .takes = "ID", .least = 1, .most = 1}, falsify},
    {{.name = "promote", .takes = "ID", .least = 1, .most = 1}, promote},
    {{.name = "import", .takes = "FILE", .least = 1, .most = 1}, take_in<TakeIn::all>},
    {{.name = "why", .takes = "MODEL", .least = 1, .most = 1}, explain},
    {{.name = "models", .most = any_number}, models},
}};

// Nothing is known of an EP that nobody has.
Status check_ep(const Arguments& arguments) {
  if (arguments.ep.empty() || arguments.action == "why") return done();  // that settles a target
  const std::string device = arguments.device.empty() ? "auto" : arguments.device;
  return check_target({.ep = arguments.ep, .device = device, .options = {}}, arguments.host);
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check_ep(arguments));
  std::vector<std::string> words = arguments.more;
  if (!arguments.what.empty()) words.insert(words.begin(), arguments.what);
  HONE_TRY(const auto* action, find_action("kb", actions, arguments.action, words));
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
  options.choice("--device CLASS", arguments->device, {"auto", "cpu", "gpu", "npu"},
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
  declare_runtime(options, arguments->host);
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
