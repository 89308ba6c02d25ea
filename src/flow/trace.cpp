#include "flow/trace.h"

#include "flow/given_model.h"
#include "flow/node_types.h"
#include "measure/trace/files.h"
#include "measure/trace/reconcile.h"

namespace hone {
namespace {

template <class T>
Result<T> as_bad_input(Result<T> result) {
  if (result) return result;
  Error error = std::move(result).error();
  if (error.fault == Fault::io) error.fault = Fault::bad_input;
  return fail(std::move(error));
}

Result<NodeTypes> node_types_in(const std::string& path, const Host& host) {
  if (path.empty()) return NodeTypes();
  HONE_TRY(const Path file, find_model_file(path, host));
  HONE_TRY(const Model model, load_model(file));
  return node_types_of(model);
}

Result<OpTrace> read_qnn(const TraceOrder& order, const TraceOptions& options) {
  if (order.qhas.empty()) return read_qnn_csv(order.qnn_csv, options);
  HONE_TRY(OpTrace detailed, read_qhas(order.qhas, options));
  if (detailed.has_operators() || order.qnn_csv.empty()) return detailed;
  HONE_TRY(OpTrace basic, read_qnn_csv(order.qnn_csv, options));
  return fall_back_to(std::move(basic), "qhas_parse_failed", detailed.error.value_or(""));
}

Result<OpTrace> read_files(const TraceOrder& order) {
  TraceOptions options;
  options.warmup = order.warmup;
  HONE_TRY(options.node_types, node_types_in(order.model, order.host));
  if (order.ort_profiles.empty()) return read_qnn(order, options);
  const std::vector<Path> paths(order.ort_profiles.begin(), order.ort_profiles.end());
  return read_ort_profiles(paths, options);
}

Result<OpTrace> read_report(const std::string& text) {
  HONE_TRY(const Json document, Json::parse(text));
  const Json* inside = document.find("op_trace");
  if (inside != nullptr) return from_json<OpTrace>(*inside);
  return from_document<OpTrace>(document, trace_schema_version);
}

OpTrace reconcile_as_asked(OpTrace trace, const TraceOrder& order) {
  if (!order.latency_us) return trace;
  return reconcile(std::move(trace),
                   {.median_us = *order.latency_us, .node_floor_us = order.node_floor_us});
}

}  // namespace

Result<OpTrace> trace_from_files(const TraceOrder& order) {
  HONE_TRY(OpTrace trace, as_bad_input(read_files(order)));
  if (!order.model.empty()) trace.metadata.model = order.model;
  return reconcile_as_asked(std::move(trace), order);
}

Result<OpTrace> trace_from_report(const std::string& path, const TraceOrder& order) {
  HONE_TRY(const std::string text, as_bad_input(read_file(path)));
  Result<OpTrace> trace = read_report(text);
  if (trace) return reconcile_as_asked(std::move(*trace), order);
  return fail(Fault::bad_input, "'" + path + "' is no op trace of hone",
              trace.error().what + (trace.error().cause.empty() ? "" : ": " + trace.error().cause),
              "hone trace parse makes one of a tracer's own file");
}

}  // namespace hone
