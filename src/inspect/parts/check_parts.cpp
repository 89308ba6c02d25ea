#include "inspect/parts/check_parts.h"

#include <algorithm>
#include <optional>

#include "inspect/parts/best_rows.h"
#include "inspect/parts/reference.h"
#include "runtime/fit_inputs.h"
#include "runtime/ort_trouble.h"
#include "runtime/samples.h"

namespace hone {
namespace {

Failure of_part(const std::string& part, const char* what, const Error& error) {
  Error whole = error;
  whole.cause = error.what + (error.cause.empty() ? "" : ": " + error.cause);
  whole.what = part + " " + what;
  return fail(std::move(whole));
}

Result<NamedTensors> run_on_sizes(const Session& session, const InputFacts& facts,
                                  const ShapeRules& rules, std::uint64_t seed) {
  HONE_TRY(const GeneratedSamples made, generate_samples(session.inputs(), rules, facts, seed, 1));
  return session.run(made.samples.front());
}

// Sizes that the graph does not say are tried, the likely ones first.
Status run_on_seeded(const Session& session, const Path& file, std::uint64_t seed) {
  HONE_TRY(const Model model, load_model(file));
  const InputFacts facts = read_input_facts(model);
  const auto trial = [&](const ShapeRules& rules) -> Status {
    HONE_TRY_DO(run_on_sizes(session, facts, rules, seed));
    return done();
  };
  HONE_TRY(const FittedInputs fitted, fit_inputs(session.inputs(), {}, facts, trial));
  return trial(fitted.rules);
}

class PartsCheck {
 public:
  PartsCheck(const std::shared_ptr<Runtime>& runtime, const PartsToCheck& wanted)
      : runtime_(runtime), wanted_(wanted) {}

  Result<ExportChecked> run() {
    checked_.most_share = wanted_.most_share;
    checked_.ort_version = runtime_->version();
    if (!wanted_.reference.empty()) {
      HONE_TRY(Reference reference, read_reference(wanted_.reference));
      reference_.emplace(std::move(reference));
    }
    for (const PartFile& part : wanted_.parts) HONE_TRY_DO(check(part));
    return std::move(checked_);
  }

 private:
  Status check(const PartFile& part) {
    const auto session = Session::open(runtime_, part.file, {});
    if (!session) {
      if (wanted_.may_lack_kernels && is_of_kernels(session.error()))
        return leave_out(part.part, "the CPU has no kernels of this type");
      return of_part(part.part, "cannot be opened by ONNX Runtime", session.error());
    }
    HONE_TRY(const bool is_run, run_on_reference(part, *session));
    if (!is_run) {
      const Status ran = run_on_seeded(*session, part.file, wanted_.seed);
      if (!ran) return of_part(part.part, "cannot be run by ONNX Runtime", ran.error());
    }
    checked_.ran.push_back(part.part);
    return done();
  }

  static bool is_of_kernels(const Error& error) {
    return error.trouble == Trouble::no_kernel || trouble_in(error.cause) == Trouble::no_kernel;
  }

  Status leave_out(const std::string& part, const std::string& why) {
    checked_.not_compared.push_back(part + ": " + why);
    return done();
  }

  // Whether the reference has its inputs.
  Result<bool> run_on_reference(const PartFile& part, const Session& session) {
    if (!reference_) return false;
    if (part.part.find("with_past") != std::string::npos) {
      HONE_TRY_DO(leave_out(part.part, "the reference has no past"));
      return false;
    }
    const auto inputs = reference_->inputs_of(part.part, session);
    if (!inputs) {
      HONE_TRY_DO(leave_out(part.part, inputs.error().what));
      return false;
    }
    const auto outputs = session.run(*inputs);
    if (!outputs) return of_part(part.part, "cannot be run by ONNX Runtime", outputs.error());
    HONE_TRY(std::vector<ComparedOutput> compared, reference_->compare(part.part, *outputs));
    if (compared.empty())
      HONE_TRY_DO(leave_out(part.part, "the reference has none of its outputs"));
    if (std::ranges::any_of(compared, [&](const auto& one) { return is_far(one); }))
      HONE_TRY_DO(compare_on_its_rows(part, *inputs, compared));
    checked_.reference.insert(checked_.reference.end(), compared.begin(), compared.end());
    return true;
  }

  bool is_far(const ComparedOutput& output) const { return output.share > wanted_.most_share; }

  // What it was compared as stays where the rows that the reference has taken are no excuse.
  Status compare_on_its_rows(const PartFile& part, const NamedTensors& inputs,
                             std::vector<ComparedOutput>& compared) {
    auto taken =
        run_on_rows_of(runtime_, part.file, inputs, reference_->outputs(), wanted_.most_share);
    if (!taken) return of_part(part.part, "cannot be run on the reference's rows", taken.error());
    if (!*taken) return done();
    HONE_TRY(compared, reference_->compare(part.part, (*taken)->outputs));
    (*taken)->rows.part = part.part;
    checked_.taken_rows.push_back((*taken)->rows);
    return done();
  }

  const std::shared_ptr<Runtime>& runtime_;
  const PartsToCheck& wanted_;
  std::optional<ReferenceRun> reference_;
  ExportChecked checked_;
};

}  // namespace

Result<ExportChecked> check_parts(const std::shared_ptr<Runtime>& runtime,
                                  const PartsToCheck& wanted) {
  return PartsCheck(runtime, wanted).run();
}

}  // namespace hone
