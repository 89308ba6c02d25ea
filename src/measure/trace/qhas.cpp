#include "measure/trace/qhas.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "base/json.h"
#include "measure/trace/samples.h"

namespace hone {
namespace {

// json[keys...], or null as soon as one is missing.
const Json* find_below(const Json& json, std::initializer_list<std::string_view> keys) {
  const Json* found = &json;
  for (const std::string_view key : keys) {
    if (found != nullptr) found = found->find(key);
  }
  return found;
}

std::optional<double> number_in(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr) return std::nullopt;
  const Result<double> number = value->to_double();
  // Beyond 2^53 a double is no exact count any more, and no counter of an inference gets there.
  if (!number || !(*number >= 0) || *number > 0x1p53) return std::nullopt;
  return *number;
}

std::optional<std::int64_t> count_in(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr) return std::nullopt;
  const Result<std::int64_t> number = value->to_int();
  if (!number || *number < 0) return std::nullopt;
  return *number;
}

std::optional<std::string_view> text_in(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr || value->as_string() == nullptr) return std::nullopt;
  return *value->as_string();
}

// The keys of the viewer, and ours with their unit.
void read_summary(const Json& overall, TraceSummary& summary) {
  summary.inference_us = number_in(overall, "time_us");
  summary.execute_us = number_in(overall, "graph_execute_us");
  summary.inf_per_s = number_in(overall, "inf_per_s");
  summary.timeline_cycles = number_in(overall, "timeline_cycles");
  summary.utilization_pct = number_in(overall, "percent_utilization");
  summary.dram_read_bytes = count_in(overall, "total_dram_read");
  summary.dram_write_bytes = count_in(overall, "total_dram_write");
  summary.vtcm_read_bytes = count_in(overall, "total_vtcm_read");
  summary.vtcm_write_bytes = count_in(overall, "total_vtcm_write");
  summary.vtcm_peak_bytes = count_in(overall, "peak_vtcm_alloc");
  summary.qnn_nodes = count_in(overall, "qnn_nodes");
  summary.htp_nodes = count_in(overall, "htp_nodes");
  summary.unique_qnn_ops = count_in(overall, "unique_qnn_ops");
  summary.unique_htp_ops = count_in(overall, "unique_htp_ops");
}

// How much of what was read came from memory on the chip.
std::optional<double> hit_ratio(const TraceOperator& op) {
  if (!op.vtcm_read_bytes || !op.dram_read_bytes) return std::nullopt;
  const auto vtcm = static_cast<double>(*op.vtcm_read_bytes);
  const auto dram = static_cast<double>(*op.dram_read_bytes);
  if (vtcm + dram <= 0) return std::nullopt;
  return vtcm / (vtcm + dram);
}

// Null for a row without a name or cycles.
std::optional<TraceOperator> read_operator(const Json& row, double us_per_cycle,
                                           const NodeTypes& node_types) {
  const std::optional<std::string_view> raw = text_in(row, "qnn_op");
  const std::optional<double> cycles = number_in(row, "cycles");
  if (!raw || !cycles) return std::nullopt;
  TraceOperator op;
  name_operator(op, {.text = *raw, .ep_type = text_in(row, "qnn_op_type").value_or("")},
                node_types);
  op.provider = "QNNExecutionProvider";
  op.duration_us = *cycles * us_per_cycle;
  op.samples_us = {op.duration_us};
  if (const auto dominant = number_in(row, "num_dominant_path_cycles_htp_0")) {
    op.dominant_path_us = *dominant * us_per_cycle;
  }
  op.num_htp_ops = count_in(row, "num_htp_ops");
  op.dram_read_bytes = count_in(row, "dram_read");
  op.dram_write_bytes = count_in(row, "dram_write");
  op.vtcm_read_bytes = count_in(row, "vtcm_read");
  op.vtcm_write_bytes = count_in(row, "vtcm_write");
  op.vtcm_hit_ratio = hit_ratio(op);
  return op;
}

// The viewer's shares are of all active cycles, those of operators it does not list included. They
// stand unless one is missing.
void fill_qhas_shares(OpTrace& trace, const std::vector<std::optional<double>>& given) {
  fill_shares(trace);
  if (std::ranges::any_of(given, [](const auto& share) { return !share; })) return;
  double listed = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    trace.operators[i].percent_of_total = *given[i];
    listed += *given[i];
  }
  trace.summary.untraced_share = std::max(0.0, 1 - listed / 100);
}

OpTrace empty_trace() {
  OpTrace trace;
  trace.metadata.source = TraceSource::qhas;
  trace.metadata.tracing_backend = "qnn";
  trace.metadata.tracing_level = "detail";
  trace.metadata.ep = "QNNExecutionProvider";
  trace.metadata.device = "npu";
  return trace;
}

const Json* first_row(const Json* table) {
  const Json::Array* rows = table == nullptr ? nullptr : table->as_array();
  return rows == nullptr || rows->empty() ? nullptr : &rows->front();
}

void finish(OpTrace& trace) {
  sort_operators(trace);
  TraceSummary& summary = trace.summary;
  summary.accounted_us = accounted_in(trace);
  summary.total_us = summary.traced_total_us = summary.inference_us;
  summary.provider_us["QNNExecutionProvider"] = summary.accounted_us;
  trace.metadata.num_samples = 1;
  trace.metadata.partitions = 1;
  trace.notes.emplace_back(
      "an operator's time is summed over the accelerator's threads: all of them together take "
      "longer than the inference");
  trace.status = TraceStatus::ok;
}

}  // namespace

OpTrace parse_qhas(std::string_view text, const TraceOptions& options) {
  OpTrace trace = empty_trace();
  const auto broken = [&](std::string reason) {
    return no_trace(trace, TraceStatus::parse_failed, std::move(reason));
  };
  const Result<Json> document = Json::parse(text);
  if (!document) return broken(document.error().what + ": " + document.error().cause);
  const Json* overall = first_row(find_below(*document, {"data", "htp_overall_summary", "data"}));
  if (overall == nullptr) return broken("there is no data.htp_overall_summary.data[0]");
  read_summary(*overall, trace.summary);
  for (const auto& [key, value] : {std::pair{"time_us", trace.summary.inference_us},
                                   std::pair{"timeline_cycles", trace.summary.timeline_cycles}}) {
    if (value.value_or(0) < 1) return broken("the summary has no '" + std::string(key) + "'");
  }
  const Json* table = find_below(*document, {"data", "qnn_op_instances_nodes", "data"});
  if (table == nullptr || table->as_array() == nullptr) {
    return broken("there is no data.qnn_op_instances_nodes.data");
  }
  const double us_per_cycle = *trace.summary.inference_us / *trace.summary.timeline_cycles;
  std::vector<std::optional<double>> shares;
  for (const Json& row : *table->as_array()) {
    if (auto op = read_operator(row, us_per_cycle, options.node_types)) {
      trace.operators.push_back(std::move(*op));
      shares.push_back(number_in(row, "percent_active_cycles"));
    } else {
      ++trace.metadata.unreadable;
    }
  }
  if (trace.operators.empty()) {
    return no_trace(trace, TraceStatus::no_data, "the analysis lists no operator");
  }
  fill_qhas_shares(trace, shares);
  finish(trace);
  return trace;
}

}  // namespace hone
