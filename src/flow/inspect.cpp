#include "flow/inspect.h"

#include "flow/given_model.h"
#include "flow/job.h"
#include "inspect/facts.h"

namespace hone {

Result<ModelFacts> facts_of_model(const std::string& given) {
  HONE_TRY(const Path file, find_model_file(given));
  HONE_TRY(const Model model, load_model(file));
  return gather_facts(model, file);
}

Result<ModelFacts> inspect_model(const InspectOrder& order, const Watch&) {
  return facts_of_model(order.model);
}

Job jobs::inspect() { return job_of(inspect_model); }

}  // namespace hone
