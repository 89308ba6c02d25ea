// The model as text, in ONNX's own syntax; and a text as the model it says.

#include "flow/text.h"

#include "app/command.h"
#include "app/where.h"
#include "base/text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  Host host;
  bool all = false;
  std::string output;
  bool overwrite = false;
};

// Line by line: names from a file must not move the cursor of a terminal.
std::string printable_lines(const std::string& text) {
  std::string lines;
  for (const std::string& line : split(text, '\n')) lines += printable(line) + "\n";
  lines.pop_back();
  return lines;
}

Result<ExitCode> write(const Arguments& arguments, const Call& call) {
  HONE_TRY(const std::uint64_t bytes, write_text_as_model({.text = arguments.model,
                                                           .output = arguments.output,
                                                           .overwrite = arguments.overwrite}));
  Json document = Json::object();
  document.set("schema_version", 1);
  document.set("output", arguments.output);
  document.set("bytes", bytes);
  HONE_TRY_DO(call.answer(document, arguments.output + ": " + format_bytes(bytes) + "\n"));
  return ExitCode::done;
}

Result<ExitCode> print(const Arguments& arguments, const Call& call) {
  HONE_TRY(const std::string text, text_of_model(arguments.model, arguments.all, arguments.host));
  Json document = Json::object();
  document.set("schema_version", 1);
  document.set("text", text);
  HONE_TRY_DO(call.answer(document, printable_lines(text)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  declare_host(options, arguments->host);
  options.flag("--all", arguments->all,
               "every element of every tensor, documentation and metadata too");
  options.output(arguments->output, arguments->overwrite,
                 "MODEL is a text: write the model it says, as an ONNX file", Need::optional);
  return [arguments](const Call& call) {
    return arguments->output.empty() ? print(*arguments, call) : write(*arguments, call);
  };
}

}  // namespace

Command text() {
  return {.name = "text",
          .group = "look at a model",
          .summary = "Print a model in ONNX's text syntax, or write one from it",
          .help =
              "Long tensors show their beginning only. The syntax, and where it goes beyond\n"
              "ONNX's own, is described in docs/text.md. With -o it goes the other way: a text\n"
              "that you wrote, or printed with --all and changed, becomes a model.",
          .examples =
              "hone text tiny.onnx\n"
              "hone text tiny.onnx --all > tiny.txt\n"
              "hone text tiny.txt -o changed.onnx",
          .declare = declare};
}

}  // namespace hone::app::commands
