#pragma once
// The first reading of the command line: what is asked of every command alike, which command, and
// the words that are left for it.

#include <string>
#include <vector>

#include "app/call.h"
#include "base/result.h"

namespace hone::app {

struct Request {
  Settings settings;
  bool wants_help = false;
  bool wants_version = false;
  std::string command;             // empty when none is named
  std::vector<std::string> words;  // for the command to read
};

// The options every command takes, for help: they stand before or after the command's name.
extern const std::string_view global_help;

// Reads the global options wherever they stand. `settings` of the result hold what could be read
// even when the Status is a failure, so that the failure is told in the format that was asked for.
Status read_request(const std::vector<std::string>& words, Request& request);

}  // namespace hone::app
