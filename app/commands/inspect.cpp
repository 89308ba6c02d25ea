// What a model is: inputs, outputs, operators, weights, precision, identity.

#include "inspect/facts.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "app/command.h"
#include "app/progress.h"
#include "app/table.h"
#include "base/join_some.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "inspect/quantization.h"
#include "model/fingerprint.h"
#include "model/model.h"

namespace hone::app::commands {
namespace {

constexpr std::size_t most_rows = 20;

struct Arguments {
  std::string model;
  bool quantization = false;
  bool content = false;
};

std::string type_text(const ValueFacts& value) {
  if (!value.shape) return value.type;
  std::vector<std::string> dims;
  for (const Json& dim : *value.shape) {
    dims.push_back(dim.is_null() ? "?" : dim.as_string() ? *dim.as_string() : dim.dump(-1));
  }
  return value.type + "[" + join(dims, ",") + "]";
}

std::string weights_text(const ModelFacts& facts) {
  if (facts.weight_bytes.empty()) return "none";
  std::vector<std::pair<std::uint64_t, std::string>> types;
  for (const auto& [type, bytes] : facts.weight_bytes) types.emplace_back(bytes, type);
  std::ranges::stable_sort(types, std::greater<>(), &std::pair<std::uint64_t, std::string>::first);
  std::vector<std::string> texts;
  for (const auto& [bytes, type] : types) texts.push_back(type + " " + format_bytes(bytes));
  std::string text = join(texts, ", ");
  if (facts.absent_weight_bytes > 0)
    text += " (absent: " + format_bytes(facts.absent_weight_bytes) + ")";
  return text;
}

std::string opsets_text(const ModelFacts& facts) {
  std::vector<std::string> texts;
  for (const auto& [domain, version] : facts.opsets)
    texts.push_back(domain + " " + std::to_string(version));
  return join(texts, ", ");
}

std::string summary(const ModelFacts& facts) {
  Rows rows = {{"precision", facts.precision},
               {"parameters", format_count(facts.parameters)},
               {"weights", weights_text(facts)},
               {"nodes", format_count(facts.nodes)},
               {"opsets", opsets_text(facts)},
               {"ir version", std::to_string(facts.ir_version)},
               {"producer", facts.producer.empty() ? "unknown" : facts.producer},
               {"fingerprint", facts.fingerprint}};
  if (facts.functions > 0)
    rows.insert(rows.begin() + 4, {"functions", format_count(facts.functions)});
  if (facts.content_fingerprint) rows.push_back({"content", *facts.content_fingerprint});
  return table(rows);
}

std::string values_text(const std::vector<ValueFacts>& values) {
  Rows rows;
  for (const ValueFacts& value : values) rows.push_back({value.name, type_text(value)});
  return table(rows, {.most_rows = most_rows});
}

std::string axes_text(const ModelFacts& facts) {
  constexpr std::size_t most_places = 4;
  Rows rows;
  for (const auto& [symbol, places] : facts.dynamic_axes)
    rows.push_back({symbol, join_some(places, most_places)});
  return table(rows, {.most_rows = most_rows});
}

std::string ops_text(const ModelFacts& facts) {
  std::vector<std::pair<std::string, std::uint64_t>> ops(facts.op_counts.begin(),
                                                         facts.op_counts.end());
  std::ranges::stable_sort(ops, std::greater<>(), &std::pair<std::string, std::uint64_t>::second);
  Rows rows;
  for (const auto& [op, count] : ops) rows.push_back({op, format_count(count)});
  return table(rows, {.right = "1", .most_rows = most_rows});
}

// "0.0123", or "0.011 .. 0.034 (64)" for a list.
std::string numbers_text(const Json& numbers) {
  if (numbers.is_null()) return "-";
  const Json::Array* list = numbers.as_array();
  const auto show = [](double number) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.4g", number);
    return std::string(buffer.data());
  };
  if (list == nullptr) return show(numbers.to_double().value_or(0));
  std::vector<double> values;
  for (const Json& number : *list) values.push_back(number.to_double().value_or(0));
  if (values.empty()) return "-";
  const auto [least, most] = std::ranges::minmax(values);
  if (values.size() == 1) return show(least);
  const std::string range = least == most ? show(least) : show(least) + " .. " + show(most);
  return range + " (" + std::to_string(values.size()) + ")";
}

std::string quantization_text(const ModelFacts& facts, bool all) {
  Rows rows = {{"kind", "type", "scale", "zero point", "axis", "op", "tensor"}};
  for (const QuantizedTensor& tensor : *facts.quantization) {
    rows.push_back({std::string(name_of(tensor.kind)), tensor.type, numbers_text(tensor.scale),
                    numbers_text(tensor.zero_point),
                    tensor.axis ? std::to_string(*tensor.axis) : "-", tensor.op, tensor.tensor});
  }
  if (rows.size() == 1) return "  none\n";
  return table(rows, {.most_rows = all ? rows.size() : 2 * most_rows + 1});
}

std::string text_of(const ModelFacts& facts, const Call& call) {
  const Style style = call.style();
  std::string text =
      style.bold(printable(facts.path)) + "  " + format_bytes(facts.bytes) + "\n" + summary(facts);
  text += style.bold("inputs") + "\n" + values_text(facts.inputs);
  text += style.bold("outputs") + "\n" + values_text(facts.outputs);
  if (!facts.dynamic_axes.empty()) text += style.bold("dynamic axes") + "\n" + axes_text(facts);
  text += style.bold("operators") + "\n" + ops_text(facts);
  if (facts.quantization) {
    text += style.bold("quantized tensors") + "\n" + quantization_text(facts, call.is_verbose());
  }
  return text;
}

Result<std::string> hash_content(const Model& model, const Call& call) {
  Progress progress(call, "reading weights");
  HONE_TRY(const Digest digest,
           content_fingerprint(model, [&](std::uint64_t done, std::uint64_t total) {
             progress.update(done, total);
           }));
  return digest.hex();
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path file, find_model_file(arguments.model));
  HONE_TRY(const Model model, load_model(file));
  HONE_TRY(ModelFacts facts, gather_facts(model, file));
  if (arguments.quantization) facts.quantization = list_quantization(model);
  if (arguments.content) {
    HONE_TRY(facts.content_fingerprint, hash_content(model, call));
  }
  HONE_TRY_DO(call.answer(to_document(facts, 1), text_of(facts, call)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  options.flag("--quantization", arguments->quantization,
               "list every quantized tensor with scale, zero point, type and axis");
  options.flag("--content", arguments->content,
               "add a fingerprint of the weights too (reads all of them)");
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command inspect() {
  return {.name = "inspect",
          .group = "look at a model",
          .summary = "Say what a model is: inputs, operators, weights, precision, identity",
          .help =
              "Reads the structure alone, so a model of any size takes milliseconds. The\n"
              "fingerprint is the same for two models that compute the same graph, whatever\n"
              "their nodes are called and wherever their weights are stored.",
          .examples =
              "hone inspect bert.onnx\n"
              "hone inspect bert.int8.onnx --quantization\n"
              "hone inspect bert.onnx --content --format json",
          .declare = declare};
}

}  // namespace hone::app::commands
