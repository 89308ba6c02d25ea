#include "report/model/facts_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/join_some.h"
#include "base/text.h"
#include "report/table.h"

namespace hone {
namespace {

using text_form::Rows;
using text_form::table;

constexpr std::size_t most_rows = 20;

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

}  // namespace

std::string describe_facts(const ModelFacts& facts, const Style& style, bool shows_all) {
  std::string text =
      style.bold(printable(facts.path)) + "  " + format_bytes(facts.bytes) + "\n" + summary(facts);
  text += style.bold("inputs") + "\n" + values_text(facts.inputs);
  text += style.bold("outputs") + "\n" + values_text(facts.outputs);
  if (!facts.dynamic_axes.empty()) text += style.bold("dynamic axes") + "\n" + axes_text(facts);
  text += style.bold("operators") + "\n" + ops_text(facts);
  if (facts.quantization) {
    text += style.bold("quantized tensors") + "\n" + quantization_text(facts, shows_all);
  }
  return text;
}

}  // namespace hone
