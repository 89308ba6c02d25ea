#pragma once
// Which nodes have to stay in float for a quantized model to be good enough, found by trying: from
// what a user says to the overrides and what they cost.

#include <functional>
#include <optional>
#include <string>

#include "flow/watch.h"
#include "record/fix.h"
#include "record/recipe.h"
#include "record/where.h"

namespace hone {

struct FixOrder {
  static constexpr std::string_view job = "fix";
  using Answer = FixResult;

  std::string model;  // in float: a file, or a folder with one
  QuantizeRecipe quantize;
  std::optional<double> target_sqnr_db;  // of every output; null: the task says what is enough
  std::string task;                      // in its place
  std::string data;                      // of the task
  double max_drop = 0.01;                // of the task's metric
  std::string overrides;                 // where the result goes
  bool overwrite = false;
  std::string journal;  // what was tried is kept here; empty: nowhere
  std::int64_t most_alone = 256;
  bool measures_cost = true;  // in time, beside the model with everything quantized
  std::string input_data;
  std::string shape_config;
  std::int64_t samples = 4;  // of the SQNR
  std::uint64_t seed = 0;
  Where where;
};
template <RecordOf<FixOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("quantize", order.quantize);
  field("target_sqnr_db", order.target_sqnr_db);
  field("task", order.task);
  field("data", order.data);
  field("max_drop", order.max_drop);
  field("overrides", order.overrides, Presence::required);
  field("overwrite", order.overwrite);
  field("journal", order.journal);
  field("most_alone", order.most_alone);
  field("measures_cost", order.measures_cost);
  field("input_data", order.input_data);
  field("shape_config", order.shape_config);
  field("samples", order.samples);
  field("seed", order.seed);
  field("where", order.where);
}

// What a watcher in the same process has besides.
struct FixWatch {
  Watch watch{};
  std::function<void(const std::string& note)> note{};  // what the model's recipe decided, what was
                                                        // assumed of inputs
};

Result<FixResult> fix_model(const FixOrder& order, const FixWatch& watch);
Result<FixResult> fix_model(const FixOrder& order, const Watch& watch);

}  // namespace hone
