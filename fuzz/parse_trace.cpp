// Any bytes at all, read as a tracer's file: the first byte says which. What comes out is a trace
// with a reason, or one whose numbers hold together and survive a round trip.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "measure/trace/ort_profile.h"
#include "measure/trace/qhas.h"
#include "measure/trace/qnn_csv.h"
#include "measure/trace/reconcile.h"

namespace {

hone::OpTrace parse(std::uint8_t kind, std::string_view text) {
  const hone::TraceOptions options{.warmup = kind / 64};
  if (kind % 3 == 0) return hone::parse_qnn_csv(text, options, kind / 16 * 10);
  if (kind % 3 == 1) return hone::parse_qhas(text, options);
  const std::vector<std::string_view> texts = {text};
  return hone::parse_ort_profiles(texts, options);
}

void hold(bool claim) {
  if (!claim) std::abort();
}

void check(const hone::OpTrace& trace) {
  hold(trace.has_operators() == !trace.operators.empty());
  hold(trace.has_operators() || trace.error.has_value());
  for (const hone::TraceOperator& op : trace.operators) {
    hold(std::isfinite(op.duration_us) && op.duration_us >= 0);
    hold(std::isfinite(op.percent_of_total) && op.percent_of_total >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const hone::OpTrace trace = parse(data[0], text);
  check(trace);
  const hone::OpTrace reconciled = hone::reconcile(trace, {.median_us = 100});
  check(reconciled);
  if (reconciled.summary.correction) {
    hold(std::abs(reconciled.summary.accounted_us + *reconciled.summary.gaps_us - 100) < 1e-6);
  }
  const hone::Json document = hone::to_document(trace, hone::trace_schema_version);
  const auto read = hone::Json::parse(document.dump());
  hold(read.has_value());
  hold(hone::from_document<hone::OpTrace>(*read, hone::trace_schema_version).has_value());
  return 0;
}
