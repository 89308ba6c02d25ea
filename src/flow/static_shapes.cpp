#include "flow/static_shapes.h"

#include <algorithm>

#include "base/counted.h"
#include "base/join_some.h"
#include "base/misuse.h"
#include "base/text.h"
#include "flow/where.h"
#include "runtime/fit_inputs.h"
#include "runtime/samples.h"

namespace hone {
namespace {

std::string name_of_dim(const OpenDim& dim) {
  return printable(dim.symbol.empty() ? dim.input + "[" + std::to_string(dim.axis) + "]"
                                      : dim.symbol);
}

// Those that nobody says and nothing decides, each once.
std::vector<OpenDim> undecided(const ClosedInputs& closed) {
  std::vector<OpenDim> dims;
  for (const OpenDim& dim : closed.open)
    if (dim.origin == DimOrigin::assumed && !dim.is_repeated) dims.push_back(dim);
  return dims;
}

// The words for sizes that run, with what was said already.
Result<std::string> words_that_run(const Where& where, const StaticShapesWanted& wanted,
                                   const ShapeRules& said, ClosedInputs closed) {
  RunPlan plan;
  HONE_TRY_DO(fill_plan(where, plan));
  plan.target = Target{};
  plan.model = wanted.model.string();
  plan.shape_config = wanted.shape_config;
  HONE_TRY(const FittedInputs fitted, fit_inputs(plan, where.host.program));
  for (const auto& [name, shape] : fitted.rules.inputs) closed.shapes[name] = shape;
  for (OpenDim& dim : closed.open) dim.size = closed.shapes.at(dim.input)[dim.axis];
  HONE_TRY(ShapeRules words, parse_shape_text(hint_text(closed)));
  words.symbols.insert(said.symbols.begin(), said.symbols.end());
  words.inputs.insert(said.inputs.begin(), said.inputs.end());
  words.values.insert(said.values.begin(), said.values.end());
  return to_shape_text(words);
}

Failure refuse(const Where& where, const StaticShapesWanted& wanted, const ShapeRules& said,
               const ClosedInputs& closed) {
  std::vector<std::string> names;
  for (const OpenDim& dim : undecided(closed)) names.push_back(name_of_dim(dim));
  constexpr std::size_t most_named = 6;
  const bool is_one = names.size() == 1;
  const std::string what = wanted.why + ", and " + std::to_string(names.size()) +
                           (is_one ? " dimension is open: " : " dimensions are open: ") +
                           join_some(names, most_named);
  const auto words = words_that_run(where, wanted, said, closed);
  if (!words) return fail(Fault::bad_input, what, words.error().what, "say them: --shape-config");
  const std::string word[] = {*words};
  return misuse(what, "--shape-config " + to_shell(word) +
                          " (it runs with these; any others that "
                          "you need)");
}

}  // namespace

Result<InputShapes> settle_static_shapes(const Where& where, const StaticShapesWanted& wanted) {
  HONE_TRY_DO(check_inputs(wanted.shape_config, {wanted.model}));
  HONE_TRY(const ShapeRules said, parse_shape_rules(wanted.shape_config));
  HONE_TRY(const Model model, load_model(wanted.model));
  const std::vector<Port> ports = input_ports(model);
  HONE_TRY(const ClosedInputs closed, close_inputs(ports, said, read_input_facts(model)));
  if (!undecided(closed).empty()) return refuse(where, wanted, said, closed);
  return rules_of(closed, ports).inputs;
}

}  // namespace hone
