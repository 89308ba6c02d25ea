#include "inspect/eval/evaluator.h"

#include "base/text.h"
#include "inspect/eval/similarity.h"

namespace hone {

std::span<const Evaluator> all_evaluators() {
  static const std::vector<Evaluator> all = {
#define HONE_EVALUATOR(name) evaluators::name(),
#include "inspect/eval/evaluators.inc"
#undef HONE_EVALUATOR
  };
  return all;
}

Result<Evaluator> find_evaluator(std::string_view name) {
  std::vector<std::string> names;
  for (const Evaluator& evaluator : all_evaluators()) {
    if (evaluator.name == name) return evaluator;
    names.emplace_back(evaluator.name);
  }
  return fail(Fault::bad_input, "there is no evaluator '" + printable(name) + "'",
              "it is one of: " + join(names, ", "));
}

Result<std::vector<double>> numbers_of_output(const NamedTensors& outputs,
                                              const std::string& name) {
  const auto found = outputs.find(name);
  if (found == outputs.end())
    return fail(Fault::bad_input, "the model has no output '" + printable(name) + "'");
  std::optional<std::vector<double>> numbers = numbers_in(*found->second);
  if (!numbers || numbers->empty()) {
    return fail(Fault::bad_input, "the output '" + printable(name) + "' holds no numbers", {},
                "name another one: --output-name NAME");
  }
  return *std::move(numbers);
}

}  // namespace hone
