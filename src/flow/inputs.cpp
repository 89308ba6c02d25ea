#include "flow/inputs.h"

#include "flow/where.h"
#include "runtime/fit_inputs.h"
#include "runtime/samples.h"

namespace hone {

Status check_inputs(const std::string& shape_config, const std::vector<Path>& models) {
  HONE_TRY(const ShapeRules rules, parse_shape_rules(shape_config));
  std::vector<std::vector<Port>> ports;
  for (const Path& path : models) {
    HONE_TRY(const Model model, load_model(path));
    ports.push_back(input_ports(model));
  }
  return check_shape_rules(rules, ports);
}

Result<SettledInputs> settle_inputs(const RunPlan& plan, const Host& host,
                                    const std::vector<Path>& others) {
  std::vector<Path> models = {plan.model};
  models.insert(models.end(), others.begin(), others.end());
  HONE_TRY_DO(check_inputs(plan.shape_config, models));
  if (!plan.input_data.empty()) return SettledInputs{plan.shape_config, {}};
  HONE_TRY(FittedInputs fitted, fit_inputs(plan, host.program));
  return SettledInputs{to_shape_text(fitted.rules), std::move(fitted.notes)};
}

Result<SettledInputs> settle_inputs(const Where& where, const InputsWanted& wanted,
                                    const std::vector<Path>& others) {
  RunPlan plan;
  HONE_TRY_DO(fill_plan(where, plan));
  plan.model = wanted.model.string();
  plan.input_data = wanted.input_data;
  plan.shape_config = wanted.shape_config;
  plan.seed = wanted.seed;
  return settle_inputs(plan, where.host, others);
}

}  // namespace hone
