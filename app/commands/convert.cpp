// The same model in the operators of another opset.

#include "model/opset/convert.h"
#include "base/counted.h"

#include "app/command.h"
#include "app/table.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "model/model.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  std::string output;
  bool overwrite = false;
  std::int64_t opset = 0;
  std::string external_data;
};

SaveOptions save_options(const Arguments& arguments) {
  SaveOptions options;
  options.overwrite = arguments.overwrite;
  if (arguments.external_data == "keep") {
    options.placement = DataPlacement::keep;
  } else if (arguments.external_data == "inline") {
    options.placement = DataPlacement::inlined;
  } else if (!arguments.external_data.empty()) {
    options.placement = DataPlacement::split;
    options.data_file = arguments.external_data;
  }
  return options;
}

Json document_of(const ConversionReport& report, const SaveReport& saved,
                 const Arguments& arguments) {
  Json changes = Json::array();
  for (const OpsetChange& change : report.changes) {
    Json entry = Json::object();
    entry.set("op", change.op).set("what", change.what).set("nodes", change.nodes);
    changes.push(std::move(entry));
  }
  Json notes = Json::array();
  for (const std::string& note : report.notes) notes.push(note);
  Json files = Json::array();
  for (const Path& path : saved.data_files) files.push(path.string());
  Json document = Json::object();
  document.set("schema_version", 1);
  document.set("from", report.from);
  document.set("to", report.to);
  document.set("changed_nodes", report.changed_nodes);
  document.set("ir_version", report.ir_to);
  document.set("changes", std::move(changes));
  document.set("notes", std::move(notes));
  document.set("output", arguments.output);
  document.set("model_bytes", saved.model_bytes);
  document.set("data_files", std::move(files));
  return document;
}

std::string text_of(const ConversionReport& report, const SaveReport& saved,
                    const Arguments& arguments) {
  std::string text = printable(arguments.output) + ": opset " + std::to_string(report.from) +
                     " -> " + std::to_string(report.to) + ", " +
                     counted(report.changed_nodes, "node") + " changed\n";
  Rows rows;
  for (const OpsetChange& change : report.changes) {
    rows.push_back({change.op, format_count(change.nodes), change.what});
  }
  text += table(rows, {.right = "1", .most_rows = 20});
  for (const std::string& note : report.notes) text += "note: " + printable(note) + "\n";
  for (const Path& path : saved.data_files) text += "weights in " + printable(path.string()) + "\n";
  return text;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path file, find_model_file(arguments.model));
  HONE_TRY(Model model, load_model(file));
  HONE_TRY(const ConversionReport report, convert_opset(model, static_cast<int>(arguments.opset)));
  HONE_TRY(const SaveReport saved, save_model(model, arguments.output, save_options(arguments)));
  HONE_TRY_DO(
      call.answer(document_of(report, saved, arguments), text_of(report, saved, arguments)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  options.output(arguments->output, arguments->overwrite, "where the converted model goes");
  options.integer("--opset N", arguments->opset, "the opset to convert to, 9 to 25", Need::required,
                  {.least = 1});
  options.text("--external-data WHERE", arguments->external_data,
               "keep, inline, or the name of a data file beside the output");
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command convert() {
  return {.name = "convert",
          .group = "change a model",
          .summary = "Say the same model in the operators of another opset",
          .help =
              "Goes up and down between opset 9 and 25. A node that the other opset cannot\n"
              "express is an error that names it, and nothing is written. Weights are copied\n"
              "as they are; without --external-data they go inside the file below 100 MiB and\n"
              "stay, or go, beside it above.",
          .examples =
              "hone convert bert.onnx --opset 21 -o bert.opset21.onnx\n"
              "hone convert big.onnx --opset 17 --external-data big.data -o big.opset17.onnx",
          .declare = declare};
}

}  // namespace hone::app::commands
