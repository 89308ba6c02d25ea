#pragma once
// A model and its quantized form beside each other, tensor by tensor: from what a user says to what
// was damaged, and where it began.

#include <string>

#include "flow/watch.h"
#include "record/debug.h"
#include "record/where.h"

namespace hone {

struct DebugOrder {
  static constexpr std::string_view job = "debug";
  using Answer = DebugResult;

  std::string float_model;  // a file, or a folder with one
  std::string quant_model;  // likewise; of a build folder, as its recipe says
  std::string input_data;   // .npz or folder; empty: seeded samples
  std::string shape_config;
  std::int64_t samples = 0;  // 0: all of the data, or four of the seed
  std::uint64_t seed = 0;
  std::int64_t memory_mib = 128;  // for the tensors that are looked at together
  Where where;                    // the quantized model runs there, too
};
template <RecordOf<DebugOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("float_model", order.float_model, Presence::required);
  field("quant_model", order.quant_model, Presence::required);
  field("input_data", order.input_data);
  field("shape_config", order.shape_config);
  field("samples", order.samples);
  field("seed", order.seed);
  field("memory_mib", order.memory_mib);
  field("where", order.where);
}

Result<DebugResult> debug_model(const DebugOrder& order, const Watch& watch);

}  // namespace hone
