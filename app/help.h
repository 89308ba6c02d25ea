#pragma once
// Help as text: the list of commands, and all about one of them.

#include <string>

#include "app/command.h"
#include "app/request.h"

namespace hone::app {

std::string list_commands(const Style& style);
std::string explain(const Command& command, const Style& style);

// Answers `hone`, `hone help`, `hone help COMMAND` and `hone COMMAND --help`.
Status help_about(const Request& request, const Call& call);

}  // namespace hone::app
