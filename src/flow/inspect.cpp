#include "flow/inspect.h"

#include "flow/given_model.h"
#include "flow/job.h"
#include "inspect/facts.h"
#include "inspect/quantization.h"
#include "model/fingerprint.h"

namespace hone {

Result<ModelFacts> facts_of_model(const std::string& given, const Host& host) {
  HONE_TRY(const Path file, find_model_file(given, host));
  HONE_TRY(const Model model, load_model(file));
  return gather_facts(model, file);
}

Result<ModelFacts> inspect_model(const InspectOrder& order, const Watch& watch) {
  HONE_TRY(const Path file, find_model_file(order.model, order.host));
  HONE_TRY(const Model model, load_model(file));
  HONE_TRY(ModelFacts facts, gather_facts(model, file));
  if (order.quantization) facts.quantization = list_quantization(model);
  if (!order.content) return facts;
  const auto progress = [&](std::uint64_t bytes, std::uint64_t total) {
    watch.step("reading weights", bytes, total);
  };
  HONE_TRY(const Digest digest, content_fingerprint(model, progress));
  facts.content_fingerprint = digest.hex();
  return facts;
}

Job jobs::inspect() { return job_of(inspect_model); }

}  // namespace hone
