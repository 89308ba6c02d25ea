#include "tests/registry/doc_tables.h"

#include "base/text.h"
#include "catalog/publisher.h"
#include "checkpoint/family.h"
#include "inspect/eval/task.h"
#include "kinds/ep.h"
#include "kinds/precision.h"
#include "measure/monitor.h"
#include "processor/processor.h"
#include "transform/capability.h"
#include "transform/quantize/method.h"

namespace hone {
namespace {

using Cells = std::vector<std::string>;

std::string line_of(const Cells& cells) { return "| " + join(cells, " | ") + " |\n"; }

std::string table_of(const Cells& heading, const std::vector<Cells>& rows) {
  std::string text = line_of(heading) + "|";
  for (std::size_t i = 0; i < heading.size(); ++i) text += "---|";
  text += "\n";
  for (const Cells& row : rows) text += line_of(row);
  return text;
}

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

// "`a`, `b`"
std::string codes(const std::vector<std::string_view>& all) {
  std::vector<std::string> texts;
  for (const std::string_view one : all) texts.push_back(code(one));
  return join(texts, ", ");
}

std::string words(const std::vector<std::string_view>& all, std::string_view between = ", ") {
  return join(std::vector<std::string>(all.begin(), all.end()), between);
}

std::string recipe_of(const EpRecipe& recipe) {
  std::string text =
      recipe.quantizes_itself ? "float: it quantizes by itself" : "preset " + code(recipe.preset);
  return recipe.compiles_ahead ? text + ", compiled ahead" : text;
}

std::string eps_table() {
  std::vector<Cells> rows;
  for (const Ep& ep : all_eps()) {
    std::vector<std::string_view> names = {ep.name};
    names.insert(names.end(), ep.aliases.begin(), ep.aliases.end());
    rows.push_back({codes(names), std::string(ep.summary), words(ep.devices), recipe_of(ep.recipe),
                    code(tracer_for(ep.name).name), std::string(ep.origin)});
  }
  return table_of({"`--ep`", "runs on", "devices", "by default", "traced by", "comes from"}, rows);
}

std::string ep_order() {
  std::vector<Cells> rows;
  for (const std::string_view device : {"npu", "gpu", "cpu"}) {
    std::vector<std::string_view> names;
    for (const Ep* ep : eps_for(device)) names.push_back(ep->name);
    rows.push_back({code("--device " + std::string(device)), codes(names)});
  }
  return table_of({"without `--ep`", "the first that works of"}, rows);
}

// "`fp16` with `enable_cuda_graph=1`"
std::string what_is_tried(const EpTry& attempt) {
  std::vector<std::string> options;
  for (const EpSetting& option : attempt.options)
    options.push_back(code(std::string(option.name) + "=" + std::string(option.value)));
  if (attempt.precision.empty()) return join(options, ", ");
  return code(attempt.precision) + (options.empty() ? "" : " with " + join(options, ", "));
}

std::string ep_tries() {
  std::vector<Cells> rows;
  for (const Ep& ep : all_eps()) {
    for (const EpTry& attempt : ep.tries) {
      rows.push_back({code(ep.name), std::string(attempt.device), what_is_tried(attempt),
                      attempt.acts_on.empty() ? "" : code(attempt.acts_on),
                      std::string(attempt.reason)});
    }
  }
  return table_of({"EP", "device", "try", "where there is", "because"}, rows);
}

std::string ep_hazards() {
  std::vector<Cells> rows;
  for (const Ep& ep : all_eps())
    for (const std::string_view hazard : ep.hazards)
      rows.push_back({code(ep.name), std::string(hazard)});
  return table_of({"EP", "known of it"}, rows);
}

std::string swept_targets() {
  std::vector<Cells> rows;
  for (const Ep& ep : all_eps())
    for (const EpSweepTarget& target : ep.sweep)
      rows.push_back({code(target.label), code(ep.name), std::string(target.device)});
  return table_of({"label", "EP", "device"}, rows);
}

std::string how_made(const Precision& precision) {
  switch (precision.making) {
    case Making::nothing:
      return precision.steps.empty() ? "" : words(precision.steps, ", then ");
    case Making::ranges:
      return "scales of calibrated ranges";
    case Making::while_running:
      return "scales found while it runs";
    case Making::blocks:
      return "a scale per block";
    case Making::half:
      return "casts";
  }
  return {};
}

std::string precisions_table() {
  std::vector<Cells> rows;
  for (const Precision& precision : all_precisions()) {
    std::vector<std::string_view> names = {precision.name};
    names.insert(names.end(), precision.aliases.begin(), precision.aliases.end());
    rows.push_back({codes(names), std::string(precision.summary), words(precision.stored_as),
                    std::string(precision.activation_type), how_made(precision),
                    words(precision.fast_on)});
  }
  return table_of({"`--precision`", "", "weights in the file", "activations", "made by", "fast on"},
                  rows);
}

std::string methods_table() {
  std::vector<Cells> rows;
  for (const CalibrationMethod& method : all_methods())
    rows.push_back({code(method.name), std::string(method.summary)});
  return table_of({"`--method`", "the range is"}, rows);
}

std::string name_of(Feed feed) {
  switch (feed) {
    case Feed::pictures:
      return "pictures";
    case Feed::tokens:
      return "tokens";
    case Feed::sound:
      return "sound";
    case Feed::anything:
      return "anything";
  }
  return {};
}

std::string tasks_table() {
  std::vector<Cells> rows;
  for (const Task& task : all_tasks()) {
    std::vector<std::string_view> metrics;
    for (const MetricFacts& metric : task.metrics) metrics.push_back(metric.name);
    const std::string label = task.label.empty() ? "" : code(task.label);
    rows.push_back(
        {code(task.name), std::string(task.summary), name_of(task.feed), label, codes(metrics)});
  }
  return table_of({"task", "", "fed with", "a label is", "metrics; the first decides"}, rows);
}

// Of the tasks that take rows.
std::string rows_table() {
  std::vector<Cells> rows;
  for (const Task& task : all_tasks()) {
    if (task.columns.empty()) continue;
    std::string columns;
    for (const ColumnFacts& column : task.columns) {
      columns += (columns.empty() ? "" : "; ") + code(column.name) + ": " +
                 std::string(column.holds) + (column.is_required ? "" : " (may be left out)");
    }
    rows.push_back({code(task.name), columns});
  }
  return table_of({"task", "a row holds"}, rows);
}

std::string made_data() {
  std::vector<Cells> rows;
  for (const Dataset& dataset : all_datasets()) {
    rows.push_back({code(dataset.kind.name), code(dataset.task), std::string(dataset.kind.summary),
                    std::to_string(dataset.kind.count)});
  }
  return table_of({"`--make-data`", "for", "", "`--count` by default"}, rows);
}

std::string processors_table() {
  std::vector<Cells> rows;
  for (const ProcessorKind& kind : all_processors()) {
    std::vector<std::string_view> names = {kind.name};
    names.insert(names.end(), kind.also.begin(), kind.also.end());
    rows.push_back({codes(names), std::string(kind.summary), codes(kind.models)});
  }
  return table_of({"class", "makes", "`model_type`, where the file does not name it"}, rows);
}

std::string monitors_table() {
  std::vector<Cells> rows;
  for (const Monitor& monitor : all_monitors()) {
    std::vector<std::string_view> watched;
    for (const Ep& ep : all_eps()) {
      if (std::ranges::find(ep.monitors, monitor.name) != ep.monitors.end())
        watched.push_back(ep.name);
    }
    rows.push_back({code(monitor.name), std::string(monitor.summary),
                    monitor.traces ? "operators" : "", watched.empty() ? "any" : codes(watched)});
  }
  return table_of({"monitor", "", "traces", "sessions on"}, rows);
}

std::string families_table() {
  std::vector<Cells> rows;
  for (const Family& family : all_families())
    rows.push_back({code(family.name), codes(family.model_types), codes(family.tasks)});
  return table_of({"family", "`model_type`",
                   "tasks; the first is what a checkpoint without a head "
                   "is for"},
                  rows);
}

std::string publishers_table() {
  std::vector<Cells> rows;
  for (const Publisher& publisher : all_publishers())
    rows.push_back({code(publisher.form), std::string(publisher.summary)});
  return table_of({"address", ""}, rows);
}

std::string for_whom(const Capability& capability) {
  if (!capability.only_on.empty()) return limit_of(capability) + " alone";
  return capability.detection->aim == Aim::accelerators ? "accelerators" : "all";
}

std::string capabilities() {
  std::vector<Cells> rows;
  for (const Capability& capability : all_capabilities()) {
    if (!capability.detection) continue;
    const Detection& detection = *capability.detection;
    const std::string since = detection.makes.empty() ? ""
                              : detection.native_since == 0
                                  ? "`com.microsoft`"
                                  : std::to_string(detection.native_since);
    rows.push_back({code(capability.name), std::string(source_of(capability)),
                    detection.makes.empty() ? "" : code(detection.makes), since,
                    for_whom(capability), codes(detection.yields_to)});
  }
  return table_of({"capability", "whose", "makes", "ONNX's own since opset", "for", "yields to"},
                  rows);
}

}  // namespace

std::vector<DocTable> doc_tables() {
  return {{"eps", "docs/eps.md", eps_table()},
          {"ep order", "docs/eps.md", ep_order()},
          {"ep tries", "docs/eps.md", ep_tries()},
          {"ep hazards", "docs/eps.md", ep_hazards()},
          {"swept targets", "docs/eps.md", swept_targets()},
          {"precisions", "docs/quantize.md", precisions_table()},
          {"methods", "docs/quantize.md", methods_table()},
          {"tasks", "docs/eval.md", tasks_table()},
          {"rows of tasks", "docs/eval.md", rows_table()},
          {"made data", "docs/eval.md", made_data()},
          {"processors", "docs/processors.md", processors_table()},
          {"monitors", "docs/trace.md", monitors_table()},
          {"families", "docs/export.md", families_table()},
          {"publishers", "docs/publish.md", publishers_table()},
          {"capabilities", "docs/analyze.md", capabilities()}};
}

std::string with_table(const std::string& page, const DocTable& table) {
  const std::string start = "<!-- table: " + std::string(table.name) + " -->\n";
  const std::string end = "<!-- end of " + std::string(table.name) + " -->\n";
  const std::size_t from = page.find(start);
  const std::size_t to = page.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from) return {};
  return page.substr(0, from + start.size()) + table.text + page.substr(to);
}

}  // namespace hone
