// What spoils measurements on this machine, or what an EP lacks here, and what to do about it.

#include "flow/doctor.h"

#include <cstdlib>

#include "app/command.h"
#include "app/progress.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/misuse.h"
#include "base/system_files.h"
#include "base/text.h"
#include "flow/search/noise.h"
#include "report/search/noise_text.h"
#include "report/system/doctor_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string ep;
  NoiseOrder noise;
  std::int64_t trials = 59;
  std::int64_t effect_trials = 20;
  std::string effects = "1,2,5";  // percent
};

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

Result<Diagnosis> diagnose_as_asked(const Arguments& arguments, const Call& call) {
  Progress progress(call, "looking at this machine");
  const Watch watch{.tell = [&](const FlowProgress& seen) { progress.step(seen.doing); }};
  if (arguments.ep.empty()) return diagnose_machine(arguments.noise.where.host, watch);
  return diagnose_ep(arguments.noise.where.host, arguments.ep, environment, watch);
}

Result<std::vector<double>> read_effects(const std::string& text) {
  std::vector<double> effects;
  for (const std::string& word : split(text, ',')) {
    const auto percent = parse_number<double>(word);
    if (!percent || *percent <= 0 || *percent > 100)
      return misuse("'" + printable(word) + "' is no effect in percent", "--effects 1,2,5");
    effects.push_back(*percent / 100);
  }
  return effects;
}

Result<ExitCode> certify(const Arguments& arguments, const Call& call) {
  NoiseOrder order = arguments.noise;
  order.trials = static_cast<std::uint64_t>(arguments.trials);
  order.effect_trials = static_cast<std::uint64_t>(arguments.effect_trials);
  HONE_TRY(order.effects, read_effects(arguments.effects));
  HONE_TRY_DO(cache_folder());  // where certificates are kept: said before an hour of measuring
  StepProgress progress(call);
  HONE_TRY(const CertifiedNoise certified, certify_noise(order, progress.watch()));
  progress.end();
  const NoiseCertificate& certificate = certified.certificate;
  if (certified.kept_trials != certificate.trials) {
    call.note("not kept: there is a certificate of " + std::to_string(certified.kept_trials) +
              " searches, and this one has " + std::to_string(certificate.trials) +
              "; --overwrite replaces it");
  }
  if (certificate.ep != "cpu")
    call.note("no effects were injected: the simulated EP makes them, on the CPU alone");
  HONE_TRY_DO(call.answer(to_document(certificate, search_schema_version),
                          describe_certificate(certificate)));
  return certified.holds ? ExitCode::done : ExitCode::not_held;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  if (arguments.ep == "noise") return certify(arguments, call);
  if (!arguments.noise.where.ep.empty() || !arguments.noise.where.device.empty())
    return misuse("--ep and --device are for `hone doctor noise`", "hone doctor EP");
  HONE_TRY(const Diagnosis diagnosis, diagnose_as_asked(arguments, call));
  HONE_TRY_DO(
      call.answer(to_document(diagnosis, doctor_schema_version), describe_diagnosis(diagnosis)));
  const bool is_unusable = diagnosis.ep && diagnosis.status != EpState::primary;
  return is_unusable ? ExitCode::not_held : ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.text("EP", arguments->ep, "the EP to look at, or noise; without it, the machine");
  options.integer("--trials N", arguments->trials, "noise: searches over identical candidates (59)",
                  Need::optional, {.least = 1, .most = 100'000});
  options.integer("--effect-trials N", arguments->effect_trials,
                  "noise: comparisons for each effect (20)", Need::optional,
                  {.least = 0, .most = 100'000});
  options.text("--effects LIST", arguments->effects, "noise: what is injected, in percent (1,2,5)");
  options.text("--ep NAME", arguments->noise.where.ep, "noise: of this EP (cpu)");
  options.choice("--device CLASS", arguments->noise.where.device, {"auto", "cpu", "gpu", "npu"},
                 "noise: of this kind of device");
  options.flag("--overwrite", arguments->noise.overwrite,
               "noise: replace a certificate of more searches too");
  declare_runtime(options, arguments->noise.where.host);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command doctor() {
  return {.name = "doctor",
          .group = "this machine",
          .summary = "Say what spoils measurements, or what an EP lacks, and what to do",
          .help =
              "Without an EP: the CPUs, limits, clocks, load, memory and heat of this machine,\n"
              "as far as they spoil measurements. With an EP: whether a model runs on it, and\n"
              "which libraries, devices and settings it lacks; exit 3 when it cannot be used.\n"
              "With `noise`: how often this machine makes hone keep a candidate that is the\n"
              "same as the baseline, and which effects it finds; later reports quote that.",
          .examples =
              "hone doctor\n"
              "hone doctor webgpu\n"
              "hone doctor noise --trials 59\n"
              "hone doctor noise --ep cuda\n"
              "hone doctor qnn --ep-library qnn=/opt/qnn/libonnxruntime_providers_qnn.so",
          .declare = declare};
}

}  // namespace hone::app::commands
