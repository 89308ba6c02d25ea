#include "report/model/change_text.h"

#include "base/counted.h"
#include "base/text.h"
#include "report/table.h"

namespace hone {

std::string describe_conversion(const ConvertedModel& made) {
  std::string text = printable(made.output) + ": opset " + std::to_string(made.from) + " -> " +
                     std::to_string(made.to) + ", " + counted(made.changed_nodes, "node") +
                     " changed\n";
  text_form::Rows rows;
  for (const OpsetChange& change : made.changes) {
    rows.push_back({change.op, format_count(change.nodes), change.what});
  }
  text += text_form::table(rows, {.right = "1", .most_rows = 20});
  for (const std::string& note : made.notes) text += "note: " + printable(note) + "\n";
  for (const std::string& path : made.data_files) text += "weights in " + printable(path) + "\n";
  return text;
}

std::string describe_stripped(const StrippedModel& made) {
  return printable(made.output) + ": " + counted(made.tensors, "tensor") + " taken out (" +
         format_bytes(made.bytes) + "), " + format_bytes(made.model_bytes) +
         " left; statistics in " + printable(made.stats) + "\n";
}

std::string describe_hydrated(const HydratedModel& made) {
  std::vector<std::string> files;
  for (const std::string& path : made.data_files) files.push_back(printable(path));
  return printable(made.output) + ": " + counted(made.tensors, "tensor") + " filled (" +
         format_bytes(made.bytes) + ") with seed " + std::to_string(made.seed) +
         (files.empty() ? "" : "; weights in " + join(files, ", ")) + "\n";
}

}  // namespace hone
