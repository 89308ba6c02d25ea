#pragma once
// A command: one file in app/commands/ that returns this struct, and one line in app/commands.inc.

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/call.h"
#include "app/options.h"
#include "base/result.h"

namespace hone::app {

// What scripts see. Documented in docs/cli.md.
enum class ExitCode {
  done = 0,
  failed = 1,
  usage = 2,     // or bad input
  not_held = 3,  // the thing checked did not hold
  no_trace = 4,
  refused = 5,  // an outside service refused
};

using Run = std::function<Result<ExitCode>(const Call&)>;

struct Command {
  std::string_view name;
  std::string_view group;     // the heading it is listed under; empty: not listed, hone starts it
  std::string_view summary;   // at most 72 characters, no full stop
  std::string_view help;      // what it does and when to use it, in lines of at most 80 characters
  std::string_view examples;  // command lines that work, one per line
  // Declares the options, which write into arguments the returned function owns.
  Run (*declare)(Options& options);
};

// In the order of commands.inc, which is the order help lists them in.
std::span<const Command> all_commands();
// An unknown name is answered with the one that was probably meant.
Result<const Command*> command_named(std::string_view name);

namespace commands {
#define HONE_COMMAND(name) Command name();
#include "app/commands.inc"
#undef HONE_COMMAND
}  // namespace commands

}  // namespace hone::app
