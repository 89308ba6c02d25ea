#include "app/help.h"

#include <algorithm>
#include <vector>

#include "app/lines.h"
#include "app/table.h"
#include "base/text.h"

namespace hone::app {
namespace {

// A list of a table's names may be longer than a line.
constexpr std::size_t widest_help = 80;

// As wide as the global options, so that the blocks line up.
std::string in_columns(const Rows& rows) { return table(rows, {.first_width = 17}); }

std::string indented(std::string_view lines) {
  std::string text;
  for (const std::string& line : split(lines, '\n')) text += "  " + line + "\n";
  return text;
}

std::string usage(const Command& command, const Options& options) {
  std::string text = "hone " + std::string(command.name);
  for (const OptionFacts& facts : options.declared()) {
    const std::string value = facts.value.empty() ? "" : " " + facts.value;
    const std::string name = facts.is_positional ? facts.names : split(facts.names, ',').front();
    if (facts.is_required) text += " " + name + value;
    if (facts.is_positional && !facts.is_required) text += " [" + name + "]";
  }
  return text + " [options]";
}

Rows rows_of(const Options& options, bool positional) {
  Rows rows;
  for (const OptionFacts& facts : options.declared()) {
    if (facts.is_positional != positional) continue;
    std::string names = facts.value.empty() ? facts.names : facts.names + " " + facts.value;
    for (const std::string& line : in_lines(facts.help, widest_help)) {
      rows.push_back({std::move(names), line});
      names.clear();
    }
  }
  return rows;
}

}  // namespace

std::string list_commands(const Style& style) {
  std::string text = "hone takes an ONNX model to the best build for a device, and proves it\n\n";
  text += style.bold("usage:") + " hone COMMAND MODEL [options]\n";
  std::vector<std::string_view> groups;
  for (const Command& command : all_commands()) {
    const bool is_new = std::ranges::find(groups, command.group) == groups.end();
    if (is_new && !command.group.empty()) groups.push_back(command.group);
  }
  for (const std::string_view group : groups) {
    Rows rows;
    for (const Command& command : all_commands()) {
      if (command.group == group)
        rows.push_back({std::string(command.name), std::string(command.summary)});
    }
    text += "\n" + style.bold(std::string(group) + ":") + "\n" + in_columns(rows);
  }
  text += "\n" + style.bold("everywhere:") + "\n" + std::string(global_help);
  return text + "\n`hone help COMMAND` shows the options of a command and examples.\n";
}

std::string explain(const Command& command, const Style& style) {
  Options options{std::string(command.name)};
  command.declare(options);
  std::string text = std::string(command.summary) + "\n\n";
  text += style.bold("usage:") + " " + usage(command, options) + "\n\n";
  text += std::string(command.help) + "\n\n";
  const Rows arguments = rows_of(options, true);
  if (!arguments.empty()) text += style.bold("arguments:") + "\n" + in_columns(arguments) + "\n";
  text += style.bold("options:") + "\n" + in_columns(rows_of(options, false)) + "\n";
  text += style.bold("everywhere:") + "\n" + std::string(global_help) + "\n";
  return text + style.bold("examples:") + "\n" + indented(command.examples);
}

Status help_about(const Request& request, const Call& call) {
  const bool is_help_command = request.command == "help";
  const bool names_one = is_help_command && !request.words.empty();
  const std::string name = names_one         ? request.words.front()
                           : is_help_command ? ""
                                             : request.command;
  std::string text;
  if (name.empty()) {
    text = list_commands(call.style());
  } else {
    HONE_TRY(const Command* command, command_named(name));
    text = explain(*command, call.style());
  }
  Json document = Json::object();
  document.set("schema_version", 1);
  document.set("help", text);
  return call.answer(document, text);
}

}  // namespace hone::app
