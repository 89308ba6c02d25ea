#include "report/quantize/quantize_text.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

constexpr std::size_t widest_name = 60;
constexpr std::size_t widest_remedy = 100;
constexpr std::size_t most_outputs = 20;

std::string decibels(const OutputError& error) {
  if (error.sqnr_db) return text_form::fixed(*error.sqnr_db, 1) + " dB";
  return error.judged ? "exact" : "-";
}

std::string not_judged(const OutputError& error) {
  return error.judged ? "" : "not judged: " + error.not_judged_because.value_or("");
}

std::string tensors_text(const QuantizeResult& result) {
  std::string text =
      counted(result.activations, "activation") + ", " + counted(result.weights, "constant");
  if (result.biases > 0) text += ", " + std::to_string(result.biases) + " biases";
  return text;
}

std::vector<text_form::Row> facts(const QuantizeResult& result) {
  std::vector<text_form::Row> rows = {{"tensors", tensors_text(result)}};
  if (!result.method.empty()) {
    rows.push_back({"ranges", result.method + " of " + counted(result.samples, "sample") + " (" +
                                  printable(result.samples_from) + "), " +
                                  (result.ranges_sufficient ? "settled" : "not settled")});
  }
  rows.push_back({"verified", result.verified ? "runs on the CPU EP, " +
                                                    counted(result.verified_samples, "sample")
                                              : "no: " + result.not_verified_because.value_or("")});
  rows.push_back(
      {"opens", "ONNX Runtime " + result.oldest_ort + " and later: " + result.oldest_ort_because});
  return rows;
}

std::string left_by(const TriedRemedy& tried) {
  if (tried.failed_because) return "does not work: " + *tried.failed_because;
  if (!tried.judged && !tried.worst_sqnr_db) return "not judged";
  const std::string left =
      tried.worst_sqnr_db ? text_form::fixed(*tried.worst_sqnr_db, 1) + " dB" : "exact";
  return left + (tried.judged ? "" : ", not judged");
}

bool is_below_floor(const QuantizeResult& result) {
  return result.worst_sqnr_db && *result.worst_sqnr_db < result.least_sqnr_db;
}

// The floor, and the output that does not hold it.
std::string floor_text(const QuantizeResult& result) {
  const std::string floor = text_form::fixed(result.least_sqnr_db, 1) + " dB";
  if (is_below_floor(result)) {
    return "below the floor of " + floor + ": '" + printable(result.worst_output.value_or("")) +
           "' keeps " + text_form::fixed(*result.worst_sqnr_db, 1) + " dB\n";
  }
  const auto unjudged = std::ranges::find(result.outputs, false, &OutputError::judged);
  if (unjudged == result.outputs.end()) return {};
  return "the floor of " + floor + " cannot be held against '" + printable(unjudged->output) +
         "': " + unjudged->not_judged_because.value_or("") + "\n";
}

// Why it was not written, what was tried, and what to type.
std::string loss_text(const QuantizeResult& result) {
  std::string text;
  if (result.verified) text += floor_text(result);
  std::vector<text_form::Row> rows;
  for (const TriedRemedy& tried : result.tried)
    rows.push_back({tried.name, printable(left_by(tried))});
  if (!rows.empty()) text += "tried\n" + text_form::columns(rows, widest_remedy);
  const auto best = std::ranges::find(result.tried, true, &TriedRemedy::best);
  if (best != result.tried.end()) {
    text += "try: " + best->command.value_or(best->options) + "\n";
  } else if (result.written) {
    text += "written all the same: --allow-loss\n";
  } else if (result.verified && !is_below_floor(result)) {
    text +=
        "try: --calibration-data with real samples, which show more of it; --allow-loss writes it "
        "all the same\n";
  } else if (result.verified) {
    if (result.samples_from.starts_with("seed"))
      text += "try: --calibration-data with real samples; random ones may be noise to the model\n";
    text +=
        "try: --min-sqnr states another floor; --allow-loss writes it all the same, and `hone "
        "debug` then names the nodes that lose most\n";
  }
  return text;
}

}  // namespace

std::string describe_what_is_left(const QuantizeResult& result) {
  constexpr std::size_t most_parts = 4;
  std::vector<std::string> parts;
  if (result.worst_sqnr_db) {
    parts.push_back("'" + printable(result.worst_output.value_or("")) + "' keeps " +
                    text_form::fixed(*result.worst_sqnr_db, 1) + " dB" +
                    (is_below_floor(result) ? ", below the floor" : ""));
  }
  for (const OutputError& error : result.outputs) {
    if (error.judged || parts.size() == most_parts) continue;
    parts.push_back("'" + printable(error.output) + "' " + decibels(error) + ", " +
                    not_judged(error));
  }
  return join(parts, "; ");
}

std::string describe_quantization(const QuantizeResult& result) {
  std::string text = printable(result.output) + (result.written ? ": " : " is not written: ") +
                     join(result.precision, ", ");
  if (!result.method.empty()) text += " for " + result.preset;
  text += ", " + counted(result.nodes_quantized, "node") + " of " + format_count(result.nodes) +
          " quantized, weights " + format_bytes(result.bytes_before) + " -> " +
          format_bytes(result.bytes_after) + "\n";
  text += text_form::columns(facts(result), widest_name, "1");
  std::vector<text_form::Row> outputs;
  for (const OutputError& error : result.outputs) {
    if (outputs.size() == most_outputs) break;
    outputs.push_back({printable(error.output), decibels(error), not_judged(error)});
  }
  if (!outputs.empty())
    text += "signal to quantization noise\n" + text_form::columns(outputs, widest_name, "2");
  if (result.outputs.size() > outputs.size()) {
    text += "  ... and " + std::to_string(result.outputs.size() - outputs.size()) + " more\n";
  }
  const bool is_judged = result.verified || result.not_verified_because;
  if (is_judged && !result.holds) text += loss_text(result);
  for (const std::string& note : result.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace hone
