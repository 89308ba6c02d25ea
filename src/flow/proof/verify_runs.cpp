#include "flow/proof/verify_runs.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "catalog/cell_checks.h"
#include "flow/eval.h"
#include "flow/perf.h"
#include "flow/where.h"
#include "report/trace/text.h"
#include "runtime/ep_names.h"
#include "runtime/survey.h"
#include "support/ladder.h"
#include "support/lines.h"

namespace hone {
namespace {

std::string name_of_target(const Target& target) {
  const std::string ep = ep_short_name(target.ep);
  const bool says_more = target.device != "auto" && target.device != ep;
  return says_more ? ep + "/" + target.device : ep;
}

// Nothing where the EP opened and ran a model here; else why not.
std::optional<std::string> what_blocks(const System& system, const Target& target) {
  const std::string ep = ep_short_name(target.ep);
  for (const EpStatus& status : system.eps) {
    if (ep_short_name(status.name) != ep) continue;
    if (status.state != EpState::primary) return status.reason;
    const bool has_device =
        target.device == "auto" ||
        std::ranges::find(status.device_types, target.device) != status.device_types.end();
    if (has_device) return std::nullopt;
    return "it has no " + target.device;
  }
  return "there is no such EP";
}

// Random samples are the same everywhere, and intervals say how far others lie apart; what remains
// is rounding of another machine.
constexpr double rounding = 1e-4;

bool lies_in(const std::optional<Estimate>& found, const std::optional<Estimate>& claimed) {
  if (!claimed) return true;
  return found && found->value >= claimed->low - rounding &&
         found->value <= claimed->high + rounding;
}

Result<std::string> confirm(const CompareReport& claimed, const CompareReport& found) {
  for (const OutputComparison& claim : claimed.outputs) {
    const auto here = std::ranges::find(found.outputs, claim.output, &OutputComparison::output);
    if (here == found.outputs.end())
      return fail(Fault::runtime, "there is no output '" + claim.output + "'");
    const bool is_same = lies_in(here->cosine, claim.cosine) &&
                         lies_in(here->top1_agreement, claim.top1_agreement) &&
                         here->not_comparable == claim.not_comparable;
    if (is_same) continue;
    const double was = claim.cosine ? claim.cosine->value : 0;
    const double is = here->cosine ? here->cosine->value : 0;
    return fail(Fault::runtime, "'" + claim.output + "' has a cosine of " +
                                    text_form::fixed(is, 4) + " and the evidence says " +
                                    text_form::fixed(was, 4));
  }
  return counted(claimed.outputs.size(), "output") + " on " + counted(found.samples, "sample") +
         " lie in the intervals of the evidence";
}

}  // namespace

void VerifyRuns::add(std::string name, CheckVerdict verdict, std::string measured) {
  checks_.push_back({std::move(name), verdict, std::move(measured)});
}

void VerifyRuns::add_failure(std::string name, const Error& error) {
  const bool is_late = error.fault == Fault::timeout;
  add(std::move(name), is_late ? CheckVerdict::timeout : CheckVerdict::fail, what_and_why(error));
}

std::vector<VerifyCheck> VerifyRuns::check() {
  check_model("");
  if (has_file(package_, "champion/model.onnx")) check_model("champion");
  return std::move(checks_);
}

void VerifyRuns::check_model(const std::string& folder) {
  Subject subject;
  subject.folder = folder;
  subject.prefix = folder.empty() ? "" : folder + " ";
  subject.path = folder.empty() ? "model.onnx" : folder + "/model.onnx";
  auto recipe = recipe_in(package_, folder);
  if (!recipe) return add_failure(subject.prefix + "run", recipe.error());
  subject.recipe = *std::move(recipe);
  if (!has_file(package_, subject.path))
    return add(subject.prefix + "run", CheckVerdict::fail,
               "'" + subject.path + "' is not in the package");
  const auto site = choose_site(subject);
  if (!site) return add_failure(subject.prefix + "run", site.error());
  if (!check_run(subject, *site))
    return add(subject.prefix + "numerics", CheckVerdict::blocked, "the model does not run");
  check_numerics(subject, *site);
  check_claims(subject, *site);
}

VerifyRuns::Site VerifyRuns::site_of(const Target& target, bool is_own) const {
  Site site;
  site.name = name_of_target(target);
  site.is_own = is_own;
  site.where = order_.where;
  site.where.ep = target.ep;
  site.where.device = target.device;
  site.where.ep_options.clear();
  site.where.least_placement.reset();
  return site;
}

// The EP of the recipe, or the one that was asked for, where this machine has it; else the CPU,
// with a line that says so. Options in the recipe are a stranger's, and can name libraries to load
// and files to write: only those given to us are used.
Result<VerifyRuns::Site> VerifyRuns::choose_site(const Subject& subject) {
  const Target& own = subject.recipe.target;
  const Where& where = order_.where;
  const bool leaves_device = where.device.empty() || where.device == "auto";
  Where said;
  said.host = where.host;
  said.ep = where.ep;
  said.device = where.device;
  Recipe meant;
  meant.target = {own.ep, own.device, {}};
  HONE_TRY_DO(put_over(meant, said));
  const Target target = meant.target;
  const bool is_own = ep_short_name(target.ep) == ep_short_name(own.ep) &&
                      (target.device == own.device || leaves_device);
  if (!is_own)
    add(subject.prefix + "run " + name_of_target(own), CheckVerdict::blocked,
        "not asked for: --ep " + target.ep);
  std::optional<std::string> blocked;
  if (ep_short_name(target.ep) != "cpu") {
    SurveyRequest request = survey_request(where.host);
    request.only_ep = ep_short_name(target.ep);
    HONE_TRY(const System system, survey_system(request));
    blocked = what_blocks(system, target);
  }
  if (blocked) {
    add(subject.prefix + "run " + name_of_target(target), CheckVerdict::blocked,
        "host-blocked: " +
            (blocked->empty() ? "this machine does not have it" : std::string(trimmed(*blocked))));
    return site_of({"cpu", "auto", {}}, false);
  }
  Site site = site_of(target, is_own);
  site.where.ep_options = where.ep_options;
  return site;
}

// What evidence says is a stranger's: it names no file of this machine.
Result<std::string> VerifyRuns::shape_config() {
  if (evidence_ == nullptr || !evidence_->shapes) return std::string();
  const std::string& shapes = *evidence_->shapes;
  const bool is_file = shapes.find('{') != std::string::npos;
  const bool is_words = shapes.find('=') != std::string::npos && !shapes.starts_with('-');
  if (!is_file && !is_words)
    return fail(Fault::bad_input, "the evidence has no shapes but '" + shapes + "'");
  if (!is_file) return shapes;
  if (!scratch_) {
    HONE_TRY(TemporaryFolder made, TemporaryFolder::create("shapes"));
    scratch_.emplace(std::move(made));
  }
  const Path file = scratch_->path() / "shapes.json";
  HONE_TRY_DO(write_file(file, shapes));
  return file.string();
}

bool VerifyRuns::check_run(const Subject& subject, const Site& site) {
  const std::string name = subject.prefix + "run " + site.name;
  PerfOrder order;
  order.model = (Path(package_.folder) / subject.path).string();
  order.iterations = 3;
  order.warmup = 1;
  order.samples = 1;
  order.where = site.where;
  if (site.is_own) order.where.least_placement = order_.where.least_placement;
  const auto perf = run(std::move(order));
  if (!perf) {
    add_failure(name, perf.error());
    return false;
  }
  std::string measured = "loads and runs";
  if (perf->placement) measured += "; " + describe(*perf->placement);
  if (!subject.recipe.target.options.empty() || !subject.recipe.session.options.empty())
    measured += "; without the options of the recipe, which only you can give";
  add(name, CheckVerdict::pass, std::move(measured));
  if (subject.folder.empty()) check_placement(subject, site, *perf);
  return true;
}

// The share of nodes on the EP, as the evidence has it.
void VerifyRuns::check_placement(const Subject& subject, const Site& site, const PerfResult& perf) {
  if (evidence_ == nullptr || !evidence_->placement || !evidence_->placement->known) return;
  const std::string own = ep_short_name(subject.recipe.target.ep);
  const std::optional<double> claimed = evidence_->placement->share_of(own);
  if (!claimed) return;
  const std::string says = "the evidence says " + text_form::share(*claimed) + " on " + own;
  if (!site.is_own)
    return add("placement", CheckVerdict::blocked, says + ", and it was not run there");
  const std::optional<double> share =
      perf.placement ? perf.placement->share_of(own) : std::optional<double>();
  if (!share) return add("placement", CheckVerdict::fail, says + ", and here it is not known");
  const bool holds = *share >= *claimed - rounding;
  add("placement", holds ? CheckVerdict::pass : CheckVerdict::fail,
      text_form::share(*share) + " of the nodes; " + says);
}

// What every build begins with: the model as it came, in the opset that was asked for.
std::string VerifyRuns::float_stage() const {
  for (const PackageEntry& file : package_.files) {
    if (file.path.starts_with("stages/1-") && file.path.ends_with("/model.onnx")) return file.path;
  }
  return {};
}

Result<CompareReport> VerifyRuns::compare(const Subject& subject, const Site& site,
                                          std::int64_t samples, std::uint64_t seed) {
  const std::string reference = float_stage();
  if (reference.empty())
    return fail(Fault::not_found, "the package has no first stage to compare with");
  const Path folder = package_.folder;
  ParityOrder order;
  order.model = (folder / subject.path).string();
  order.reference.model = (folder / reference).string();
  order.samples = samples;
  order.seed = seed;
  order.where = site.where;
  return run(std::move(order));
}

void VerifyRuns::check_numerics(const Subject& subject, const Site& site) {
  const std::string name = subject.prefix + "numerics";
  const auto report = compare(subject, site, order_.samples, 0);
  if (!report) return add_failure(name, report.error());
  const double least = least_cosine_of(subject.recipe);
  const AccuracyCheck check = judge_outputs(*report, least);
  const std::string on = " on " + site.name + ", " + counted(report->samples, "random sample");
  if (check.verdict != CheckVerdict::pass) return add(name, check.verdict, check.reason + on);
  add(name, CheckVerdict::pass,
      "least cosine " + text_form::fixed(*check.value, 4) + " with " + float_stage() + on + "; " +
          text_form::fixed(least, 3) + " are asked for");
}

// The figures of an evaluation, measured again where the package has all it takes.
void VerifyRuns::check_claims(const Subject& subject, const Site& site) {
  const Json* found =
      evidence_ != nullptr && subject.folder.empty() ? evidence_->result.find("eval") : nullptr;
  if (found == nullptr) return;
  if (found->find("task") != nullptr)
    return add("figures", CheckVerdict::blocked,
               "measured on labelled data that is not in the package");
  const auto claimed = from_document<CompareReport>(*found, eval_schema_version);
  if (!claimed) return add_failure("figures", claimed.error());
  constexpr std::string_view seeded = "seed ";
  const auto seed = claimed->samples_from.starts_with(seeded)
                        ? parse_number<std::uint64_t>(claimed->samples_from.substr(seeded.size()))
                        : std::nullopt;
  if (!seed)
    return add("figures", CheckVerdict::blocked, "measured on samples that are not in the package");
  if (!site.is_own)
    return add("figures", CheckVerdict::blocked,
               "measured on " + name_of_target(claimed->target) + ", and it was not run there");
  constexpr std::uint64_t most_samples = 1 << 24;
  const auto samples = static_cast<std::int64_t>(std::min(claimed->samples, most_samples));
  const auto report = compare(subject, site, samples, *seed);
  if (!report) return add_failure("figures", report.error());
  const auto confirmed = confirm(*claimed, *report);
  if (!confirmed) return add_failure("figures", confirmed.error());
  add("figures", CheckVerdict::pass, *confirmed);
}

}  // namespace hone
