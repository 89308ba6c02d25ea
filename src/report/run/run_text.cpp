#include "report/run/run_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/counted.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using text_form::Row;

constexpr std::size_t widest_name = 60;

// Four digits that mean something; whole numbers as they are.
std::string number(double value) {
  std::array<char, 32> buffer{};
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
  const auto end = is_whole ? std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                            static_cast<std::int64_t>(value))
                            : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                            std::chars_format::general, 4);
  return {buffer.data(), end.ptr};
}

// "float[1,3,64,64]", and a plain "float" for a single number.
std::string type_text(const std::string& type, const std::vector<std::int64_t>& shape) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : shape) sizes.push_back(std::to_string(size));
  return shape.empty() ? type : type + "[" + join(sizes, ",") + "]";
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "NaN or infinite";
  if (const double* real = value.as_double()) return number(*real);
  return value.dump(-1);
}

std::string values_text(const std::vector<Json>& values) {
  constexpr std::size_t longest = 60;
  std::vector<std::string> words;
  for (const Json& value : values) {
    std::string word = value_text(value);
    if (word.size() > longest) word = to_utf8(word.substr(0, longest)) + "...";
    words.push_back(std::move(word));
  }
  return join(words, ", ");
}

std::string oddities(const RunOutput& output) {
  std::vector<std::string> words;
  if (output.nan > 0) words.push_back(format_count(output.nan) + " NaN");
  if (output.infinite > 0) words.push_back(format_count(output.infinite) + " infinite");
  if (words.empty()) return "";
  return join(words, " and ") + " of " + format_count(output.elements);
}

std::string range_text(const RunOutput& output) {
  if (!output.shape)
    return counted(output.elements, "entry", "entries") + "; " + output.not_saved.value_or("");
  if (output.not_saved) return *output.not_saved;
  if (output.elements == 0) return "empty";
  if (!output.min) return oddities(output);
  std::string text =
      number(*output.min) + " to " + number(*output.max) + ", mean " + number(*output.mean);
  if (const std::string odd = oddities(output); !odd.empty()) text += "; " + odd;
  return text;
}

// A number says all there is of itself, and so do texts.
bool is_told_by_values(const RunOutput& output) {
  return output.values.size() == 1 ||
         (!output.values.empty() && !output.min && output.nan == 0 && output.infinite == 0);
}

Row output_row(const RunOutput& output) {
  const std::string type = output.shape ? type_text(output.type, *output.shape) : output.type;
  return {output.name, type,
          is_told_by_values(output) ? values_text(output.values) : range_text(output)};
}

std::string top_text(const std::vector<RunScore>& top) {
  std::vector<Row> rows = {{"class", "score"}};
  bool has_labels = false;
  for (const RunScore& score : top) {
    rows.push_back({std::to_string(score.index), number(score.score)});
    if (score.label) rows.back().push_back(*score.label);
    has_labels = has_labels || score.label;
  }
  if (has_labels) rows.front().emplace_back("label");
  return text_form::columns(rows, widest_name, "12");
}

std::string indented(const std::string& lines) {
  std::string text;
  for (const std::string& line : split(lines, '\n')) text += line.empty() ? "" : "  " + line + "\n";
  return text;
}

// Names in one column, and below each what does not fit into its line.
std::string outputs_text(const std::vector<RunOutput>& outputs) {
  std::vector<Row> rows;
  for (const RunOutput& output : outputs) rows.push_back(output_row(output));
  const std::vector<std::string> lines = split(text_form::columns(rows, widest_name, "12"), '\n');
  std::string text;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    text += lines[i] + "\n";
    if (!outputs[i].top.empty()) {
      text += indented(top_text(outputs[i].top));
    } else if (!outputs[i].values.empty() && !is_told_by_values(outputs[i])) {
      text += "    " + printable(values_text(outputs[i].values)) + "\n";
    }
  }
  return text;
}

std::string run_text(const RunOfSample& run) {
  std::vector<Row> rows;
  for (const RunInput& input : run.inputs)
    rows.push_back({input.name, type_text(input.type, input.shape), input.from});
  std::string text = rows.empty() ? "" : "inputs\n" + text_form::columns(rows, widest_name, "12");
  return text + "outputs\n" + outputs_text(run.outputs);
}

std::string heading(const RunReport& report) {
  const std::string& device = report.device;
  const bool is_said = !device.empty() && device != report.target.ep;
  return printable(report.model) + " on " + printable(report.target.ep) +
         (is_said ? "/" + device : "") + ", onnxruntime " + report.runtime_version +
         (report.samples > 1 ? ", " + counted(report.samples, "sample") : "") + "\n" +
         describe(report.placement) + "\n";
}

}  // namespace

std::string describe_run(const RunReport& report, const RunTextOptions& options) {
  std::string text = heading(report);
  const std::size_t shown = std::min(options.most_samples, report.runs.size());
  for (std::size_t i = 0; i < shown; ++i) {
    if (report.runs.size() > 1) text += "sample " + std::to_string(report.runs[i].sample) + "\n";
    text += run_text(report.runs[i]);
  }
  if (shown < report.runs.size()) {
    text += "and " + counted(report.runs.size() - shown, "more sample") +
            ": --format json has all of them\n";
  }
  if (report.labels_from) text += "labels: " + printable(*report.labels_from) + "\n";
  for (const std::string& note : report.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace hone
