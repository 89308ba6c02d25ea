#pragma once
// A faster graph for the same numbers: from what a user says to the model that is written, and what
// each optimizer did to it.

#include <string>
#include <vector>

#include "flow/watch.h"
#include "record/optimize.h"
#include "record/where.h"

namespace hone {

struct OptimizeOrder {
  static constexpr std::string_view job = "optimize";
  using Answer = OptimizeReport;

  std::string model;                  // a file, or a folder with one
  std::string output;                 // only `optimize_model` writes
  bool overwrite = false;             // an output that exists may be replaced
  std::vector<std::string> enabled;   // capabilities, besides those that are on by default
  std::vector<std::string> disabled;  // and those that are not to be
  bool verifies = true;               // what computes something else is not written
  std::string input_data;             // to compare on: .npz or folder; empty: seeded samples
  std::string shape_config;
  std::int64_t samples = 2;  // of the seed
  std::uint64_t seed = 0;
  Where where;  // the host; models are compared on the CPU
};
template <RecordOf<OptimizeOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("output", order.output, Presence::required);
  field("overwrite", order.overwrite);
  field("enabled", order.enabled);
  field("disabled", order.disabled);
  field("verifies", order.verifies);
  field("input_data", order.input_data);
  field("shape_config", order.shape_config);
  field("samples", order.samples);
  field("seed", order.seed);
  field("where", order.where);
}

// What there is to switch.
CapabilityList list_capabilities();
// Their names as the command line has them.
std::vector<std::string> capability_names();

// Whether the result may be used: it computes the same, or nobody asked.
bool holds(const OptimizeReport& report);

// Without an `output` in the report nothing was written: it does not hold.
Result<OptimizeReport> optimize_model(const OptimizeOrder& order, const Watch& watch);

// What each capability alone would change.
Result<std::vector<CapabilityCheck>> check_optimizers(const OptimizeOrder& order,
                                                      const Watch& watch);

// Which of ONNX Runtime's optimizers breaks the model or its numbers. One that is stopped tells
// what it knows.
Result<BisectReport> bisect_model(const OptimizeOrder& order, const Watch& watch);

}  // namespace hone
