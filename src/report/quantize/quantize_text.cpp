#include "report/quantize/quantize_text.h"

#include "base/counted.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

constexpr std::size_t widest_name = 60;
constexpr std::size_t most_outputs = 20;

std::string decibels(const OutputError& error) {
  if (!error.sqnr_db) return error.max_abs_error == 0 ? "exact" : "-";
  return text_form::fixed(*error.sqnr_db, 1) + " dB";
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
  return rows;
}

}  // namespace

std::string describe_quantization(const QuantizeResult& result) {
  std::string text = printable(result.output) + ": " + join(result.precision, ", ");
  if (!result.method.empty()) text += " for " + result.preset;
  text += ", " + counted(result.nodes_quantized, "node") + " of " + format_count(result.nodes) +
          " quantized, weights " + format_bytes(result.bytes_before) + " -> " +
          format_bytes(result.bytes_after) + "\n";
  text += text_form::columns(facts(result), widest_name, "1");
  std::vector<text_form::Row> outputs;
  for (const OutputError& error : result.outputs) {
    if (outputs.size() == most_outputs) break;
    outputs.push_back({printable(error.output), decibels(error)});
  }
  if (!outputs.empty())
    text += "signal to quantization noise\n" + text_form::columns(outputs, widest_name);
  if (result.outputs.size() > outputs.size()) {
    text += "  ... and " + std::to_string(result.outputs.size() - outputs.size()) + " more\n";
  }
  for (const std::string& note : result.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace hone
