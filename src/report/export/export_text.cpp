#include "report/export/export_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/counted.h"
#include "base/join_some.h"
#include "base/text.h"
#include "report/table.h"

namespace hone {
namespace {

std::string in_short(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", number);
  return text.data();
}

// "input_ids int64[batch_size,sequence_length]"
std::string port_text(const ValueFacts& port) {
  std::vector<std::string> dims;
  if (port.shape) {
    for (const Json& dim : *port.shape)
      dims.push_back(dim.is_null() ? "?" : dim.as_string() ? *dim.as_string() : dim.dump(-1));
  }
  return port.name + " " + port.type + "[" + join(dims, ",") + "]";
}

std::string ports_text(const std::vector<ValueFacts>& ports) {
  constexpr std::size_t most = 4;
  std::vector<std::string> texts;
  for (const ValueFacts& port : ports) texts.push_back(printable(port_text(port)));
  return join_some(texts, most);
}

std::string parts_text(const ExportResult& made) {
  std::string text;
  for (const ExportedPart& part : made.parts) {
    text += "  " + printable(part.file) + "  " + counted(part.nodes, "node") + ", opset " +
            std::to_string(made.opset) + "\n    " + ports_text(part.inputs) + "\n    -> " +
            ports_text(part.outputs) + "\n";
  }
  return text;
}

std::string_view said_of(WeightPlacement placement) {
  switch (placement) {
    case WeightPlacement::hard_link:
      return "the checkpoint's own file under a second name";
    case WeightPlacement::copy:
      return "a copy of the checkpoint's file";
    case WeightPlacement::same_folder:
      return "the checkpoint's own file, which stays where it is";
    case WeightPlacement::rewritten:
      return "turned and cast as the graph takes them";
  }
  return {};
}

std::string weights_text(const ExportedWeights& weights) {
  constexpr std::size_t most = 4;
  std::vector<std::string> files;
  for (const std::string& file : weights.files) files.push_back(printable(file));
  if (files.empty()) return "weights are in the model\n";
  return "weights in " + join_some(files, most) + " (" + format_bytes(weights.bytes) +
         "): " + std::string(said_of(weights.placement)) + "\n";
}

std::string far_text(const ExportChecked& checked) {
  std::string text;
  for (const ComparedOutput& output : checked.reference) {
    if (output.share <= checked.most_share) continue;
    text += "  " + printable(output.output) + " of " + printable(output.part) + " is off by " +
            in_short(output.share) + " of its largest value\n";
  }
  return text;
}

// Which rows it was compared on, where rounding decides that.
std::string rows_text(const ExportChecked& checked) {
  std::string text;
  for (const TakenRows& rows : checked.taken_rows) {
    text += "  " + printable(rows.part) + " takes its best " + std::to_string(rows.taken) + " of " +
            std::to_string(rows.places) + " rows, and was compared on those of reference.npz: " +
            counted(rows.elsewhere, "row stands", "rows stand") +
            " elsewhere, with scores within " + in_short(rows.share) + " of the largest\n";
  }
  return text;
}

std::string checked_text(const ExportResult& made) {
  if (!made.checked) return "not checked: nothing has opened it yet (--no-check)\n";
  const ExportChecked& checked = *made.checked;
  std::string text = "checked: ";
  text += checked.ran.empty() ? "nothing could be run"
                              : counted(checked.ran.size(), "model") + " opened and run";
  const std::string far = far_text(checked);
  if (!checked.reference.empty()) {
    text += far.empty() ? ", " + counted(checked.reference.size(), "output") + " within " +
                              in_short(checked.most_share) + " of reference.npz"
                        : ", and not what reference.npz says";
  }
  text += "\n" + far + rows_text(checked);
  for (const std::string& why : checked.not_compared)
    text += "  not compared: " + printable(why) + "\n";
  return text;
}

std::string list_text(std::string_view heading, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  text_form::Rows rows;
  for (const std::string& name : names) rows.push_back({name});
  return std::string(heading) + "\n" + text_form::table(rows);
}

std::string switches_text(const ExportResult& made) {
  text_form::Rows rows;
  for (const ExportSwitch& one : made.switches) {
    constexpr std::size_t widest = 60;
    std::string value = one.value.dump(-1);
    if (value.size() > widest) value = value.substr(0, widest) + "...";
    rows.push_back({one.name, value, one.said ? "" : "not said"});
  }
  return "switches that were read\n" + text_form::table(rows) +
         list_text("switches that decide nothing here", made.not_read) +
         list_text("tensors that nothing uses", made.unused);
}

}  // namespace

std::string describe_export(const ExportResult& made, const Style& style, bool explains) {
  std::string text = style.bold(printable(made.family) + ", " + printable(made.task));
  if (!made.architecture.empty()) text += " (" + printable(made.architecture) + ")";
  if (made.form != "standard") text += ", " + printable(made.form);
  if (made.dtype != "float32") text += ", " + printable(made.dtype);
  text += "\n" + parts_text(made) + weights_text(made.weights) + checked_text(made);
  if (!explains && !made.unused.empty())
    text += counted(made.unused.size(), "tensor") + " of the checkpoint " +
            (made.unused.size() == 1 ? "is" : "are") + " not used: --explain\n";
  for (const std::string& note : made.notes) text += "note: " + printable(note) + "\n";
  return explains ? text + switches_text(made) : text;
}

}  // namespace hone
