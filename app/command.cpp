#include "app/command.h"

#include <vector>

namespace hone::app {

std::span<const Command> all_commands() {
  static const std::vector<Command> commands = {
#define HONE_COMMAND(name) commands::name(),
#include "app/commands.inc"
#undef HONE_COMMAND
  };
  return commands;
}

Result<const Command*> command_named(std::string_view name) {
  std::vector<std::string> names = {"help"};
  for (const Command& command : all_commands()) {
    if (command.name == name) return &command;
    if (!command.group.empty()) names.emplace_back(command.name);
  }
  return fail(Fault::bad_input,
              "unknown command '" + std::string(name) + "'" + did_you_mean(name, names), {},
              "hone --help");
}

}  // namespace hone::app
