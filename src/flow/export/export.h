#pragma once
// A checkpoint as ONNX models: from its folder to a folder (or file) of models whose weights are
// the checkpoint's own bytes, opened and run before they take their names.

#include <string>

#include "flow/watch.h"
#include "record/export.h"
#include "record/where.h"

namespace hone {

enum class GraphForm;

// Graphs are written for these opsets and those between; others are converted to.
inline constexpr std::int64_t oldest_written_opset = 17;
inline constexpr std::int64_t newest_written_opset = 23;

// 17, or 23 where the form needs it.
std::int64_t usual_opset(const std::string& form);
// "standard", "contrib", "onnx-attention".
Result<GraphForm> form_named(const std::string& name);

struct ExportModelOrder {
  std::string source;  // a folder with config.json and safetensors, or a .safetensors file in one
  std::string output;  // a folder, or FILE.onnx for an export of one part
  bool overwrite = false;
  std::string task{};                // empty: what the checkpoint is for
  std::int64_t opset = 0;            // 0: 17, or 23 where the form needs it
  std::string form = "standard";     // standard, contrib, onnx-attention
  std::string dtype = "float32";     // float32, float16, bfloat16, auto
  std::string weights = "in-place";  // in-place, copy
  std::string shape_config{};        // empty: dimensions stay open
  bool checks = true;
  bool allows_difference = false;  // from the reference
  std::uint64_t seed = 0;
  Host host{};
};
template <RecordOf<ExportModelOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("source", order.source, Presence::required);
  field("output", order.output, Presence::required);
  field("overwrite", order.overwrite);
  field("task", order.task);
  field("opset", order.opset);
  field("form", order.form);
  field("dtype", order.dtype);
  field("weights", order.weights);
  field("shape_config", order.shape_config);
  field("checks", order.checks);
  field("allows_difference", order.allows_difference);
  field("seed", order.seed);
  field("host", order.host);
}

// Nothing is at the output before all has been made, opened and run; what was there stays there
// whenever this fails or is killed.
Result<ExportResult> export_model(const ExportModelOrder& order, const Watch& watch);

}  // namespace hone
