#include "report/trace/perfetto.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hone {
namespace {

constexpr int process = 1;

std::vector<const TraceOperator*> in_order(const OpTrace& trace) {
  std::vector<const TraceOperator*> operators;
  for (const TraceOperator& op : trace.operators) operators.push_back(&op);
  std::ranges::stable_sort(operators, {}, [](const TraceOperator* op) {
    return std::tuple(op->partition.value_or(0), op->traced_start_us.value_or(0),
                      op->op_id.value_or(0));
  });
  return operators;
}

std::string track_name(const TraceOperator& op) {
  std::string name = op.provider.value_or("operators");
  if (op.partition.value_or(0) > 0) name += " partition " + std::to_string(*op.partition);
  return name;
}

Json named(std::string_view what, int track, const std::string& name) {
  Json args = Json::object();
  args.set("name", name);
  Json event = Json::object();
  event.set("ph", "M").set("pid", process).set("tid", track).set("name", what);
  event.set("args", std::move(args));
  return event;
}

Json arguments(const TraceOperator& op) {
  Json args = Json::object();
  args.set("op_path", op.op_path);
  args.set("op_type", op.op_type);
  args.set("percent_of_total", op.percent_of_total);
  args.set("p90_us", op.p90_us);
  if (op.traced_us) args.set("traced_us", *op.traced_us);
  if (op.op_id) args.set("op_id", *op.op_id);
  if (op.parent) args.set("parent", *op.parent);
  return args;
}

Json slice(const TraceOperator& op, double start_us, int track) {
  Json event = Json::object();
  event.set("ph", "X").set("pid", process).set("tid", track).set("name", op.name);
  event.set("cat", op.op_type).set("ts", start_us).set("dur", op.duration_us);
  event.set("args", arguments(op));
  return event;
}

Json facts(const OpTrace& trace) {
  Json other = Json::object();
  other.set("layout", "one inference; places are computed from order and length");
  other.set("source", name_of(trace.metadata.source));
  other.set("times", name_of(trace.metadata.times));
  other.set("num_samples", trace.metadata.num_samples);
  other.set("reconciled", trace.summary.correction.has_value());
  return other;
}

}  // namespace

Json perfetto_trace(const OpTrace& trace) {
  Json events = Json::array();
  events.push(named("process_name", 0, trace.metadata.model.value_or("inference")));
  std::map<std::string, int> tracks;
  const auto count = static_cast<double>(std::max<std::size_t>(trace.operators.size(), 1));
  const double gap = trace.summary.gaps_us.value_or(0) / count;
  double cursor = 0;
  for (const TraceOperator* op : in_order(trace)) {
    const std::string name = track_name(*op);
    const auto [track, is_new] = tracks.try_emplace(name, static_cast<int>(tracks.size()) + 1);
    if (is_new) events.push(named("thread_name", track->second, name));
    events.push(slice(*op, cursor, track->second));
    cursor += op->duration_us + gap;
  }
  Json document = Json::object();
  document.set("displayTimeUnit", "ns");
  document.set("otherData", facts(trace));
  document.set("traceEvents", std::move(events));
  return document;
}

}  // namespace hone
