#include "report/optimize/fix_shapes_text.h"

#include "base/counted.h"
#include "base/join_some.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr std::size_t most_listed = 20;

// "[1,3,?,seq]"
std::string shape_text(const std::optional<std::vector<Json>>& shape) {
  if (!shape) return "[...]";
  std::vector<std::string> dims;
  for (const Json& dim : *shape) {
    const std::string* symbol = dim.as_string();
    dims.push_back(dim.is_null() ? "?" : symbol != nullptr ? printable(*symbol) : dim.dump(-1));
  }
  return "[" + join(dims, ",") + "]";
}

std::string ports_text(std::string_view kind, const std::vector<FixedPort>& ports) {
  std::string text;
  std::size_t shown = 0;
  for (const FixedPort& port : ports) {
    if (++shown > most_listed) {
      return text + "  and " + std::to_string(ports.size() - most_listed) + " more\n";
    }
    const bool is_same = port.before == port.after;
    text += "  " + std::string(kind) + " " + printable(port.name) + "  " +
            (is_same ? "" : shape_text(port.before) + " -> ") + shape_text(port.after) + "\n";
  }
  return text;
}

std::string open_text(const FixShapesReport& report) {
  if (report.open_after == 0) return "nothing is open\n";
  std::string text = counted(report.open_after, "value") + " stay open (of " +
                     format_count(report.open_before) + "):\n";
  std::size_t shown = 0;
  for (const OpenShape& open : report.left_open) {
    if (++shown > most_listed) {
      return text + "  and " + std::to_string(report.left_open.size() - most_listed) + " more\n";
    }
    text += "  " + printable(open.node) + " (" + printable(open.op) + "): " + printable(open.why) +
            "\n";
  }
  return text;
}

}  // namespace

std::string sum_up_fixed_shapes(const FixShapesReport& report) {
  std::vector<std::string> inputs;
  for (const FixedPort& port : report.inputs)
    inputs.push_back(printable(port.name) + shape_text(port.after));
  constexpr std::size_t most_inputs = 3;
  std::string text = join_some(inputs, most_inputs) + (inputs.empty() ? "" : ", ") +
                     format_count(report.nodes_before) + " -> " +
                     counted(report.nodes_after, "node") + ", ";
  if (report.open_after == 0) return text + "nothing open";
  text += counted(report.open_after, "value") + " open";
  if (!report.left_open.empty()) {
    const OpenShape& first = report.left_open.front();
    text += ", from " + printable(first.node) + " (" + printable(first.op) +
            ") on: " + printable(first.why);
  }
  return text;
}

std::string describe_fixed_shapes(const FixShapesReport& report) {
  std::string text = printable(report.output) + ": " + format_count(report.nodes_before) + " -> " +
                     counted(report.nodes_after, "node");
  if (report.branches_taken > 0)
    text += ", the branch of " + counted(report.branches_taken, "If") + " is known";
  text += "\n" + ports_text("input ", report.inputs) + ports_text("output", report.outputs) +
          open_text(report);
  if (report.verified)
    text += "the same bytes as before, on " + counted(report.verified->samples, "sample") + "\n";
  for (const std::string& note : report.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace hone
