#include "inspect/eval/judge.h"

#include "base/text.h"
#include "inspect/eval/similarity.h"

namespace hone {

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
