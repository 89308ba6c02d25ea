#include "app/generation_perf.h"

#include <algorithm>

#include "app/interrupt.h"
#include "app/step_progress.h"
#include "base/misuse.h"
#include "base/system_files.h"
#include "base/text.h"
#include "flow/generate/measure.h"
#include "report/generate/generation_perf_text.h"

namespace hone::app {
namespace {

constexpr std::int64_t most_tokens = 1 << 20;

Result<std::vector<GenerationSizes>> sizes_of(const GenerationArguments& arguments) {
  HONE_TRY(const auto prompts, read_list(arguments.prompts, "--prompt-tokens", most_tokens));
  HONE_TRY(const auto outputs, read_list(arguments.outputs, "--output-tokens", most_tokens));
  std::vector<GenerationSizes> sizes;
  for (const std::int64_t prompt : prompts)
    for (const std::int64_t output : outputs)
      sizes.push_back({.prompt_tokens = prompt, .output_tokens = output});
  return sizes;
}

}  // namespace

void declare_generation(Options& options, GenerationArguments& arguments) {
  options.flag("--generate", arguments.is_asked,
               "of a model that writes: until the first token, and for each after it");
  arguments.prompts = "16";
  arguments.outputs = "32";
  options.text("--prompt-tokens N,...", arguments.prompts, "with --generate: of the prompt (16)");
  options.text("--output-tokens N,...", arguments.outputs, "with --generate: to write (32)");
}

Result<std::vector<std::int64_t>> read_list(const std::string& text, const std::string& option,
                                            std::int64_t most) {
  std::vector<std::int64_t> values;
  if (text.empty()) return values;
  for (const std::string& word : split(text, ',')) {
    const auto value = parse_number<std::int64_t>(word);
    if (!value || *value < 1 || *value > most)
      return misuse(option + " takes numbers from 1 to " + std::to_string(most) +
                        ", separated by commas: '" + printable(word) + "' is none",
                    option + " 1,2,4");
    if (std::ranges::count(values, *value) > 0)
      return misuse(option + " has " + std::to_string(*value) + " twice", "hone help perf");
    values.push_back(*value);
  }
  return values;
}

Result<Json> measure_waiting(const GenerationArguments& arguments, const PerfOrder& order,
                             const Call& call) {
  GenerationPerfOrder wanted;
  HONE_TRY(wanted.trial.sizes, sizes_of(arguments));
  wanted.trial.model = order.model;
  wanted.trial.seed = order.seed;
  wanted.trial.where = order.where;
  wanted.sessions = order.sessions;
  wanted.timeout_s = order.timeout_s;
  wanted.repeat = order.repeat;
  StepProgress progress(call);
  HONE_TRY(const GenerationPerf measured,
           measure_generation(wanted, progress.watch(&stop_when_interrupted())));
  progress.end();
  const Json document = to_document(measured, generation_perf_schema_version);
  HONE_TRY_DO(call.answer(document, describe_generation_perf(measured)));
  for (const std::string& note : measured.notes) call.note("note: " + note);
  return document;
}

}  // namespace hone::app
