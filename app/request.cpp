#include "app/request.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "app/options.h"
#include "base/text.h"

namespace hone::app {
namespace {

// What no-color.org asks for: set and not empty.
bool environment_forbids_color() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

Settings make_settings(const std::string& format, int verbosity, bool no_color) {
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  const bool may_color = !no_color && !environment_forbids_color() && !is_dumb;
  Settings settings;
  settings.format = format == "json" ? Format::json : Format::text;
  settings.verbosity = verbosity;
  settings.stderr_is_terminal = ::isatty(STDERR_FILENO) == 1 && !is_dumb;
  settings.color = may_color && ::isatty(STDOUT_FILENO) == 1;
  settings.color_on_stderr = may_color && ::isatty(STDERR_FILENO) == 1;
  return settings;
}

Failure refuse(std::string what, std::string cause = {}) {
  return fail(Fault::bad_input, std::move(what), std::move(cause), "hone --help");
}

// Without what only says how to answer.
std::string repeat_line(const Request& request) {
  std::vector<std::string> words = {"hone", request.command};
  words.insert(words.end(), request.words.begin(), request.words.end());
  return to_shell(words);
}

// The command is the first word that is left, so an option there belongs to no command.
Status take_command(std::vector<std::string> words, Request& request) {
  if (words.empty()) return done();
  if (words.front().size() > 1 && words.front().starts_with('-')) {
    const std::vector<std::string> globals = {"--format", "--no-color", "--version", "--help"};
    return refuse("unknown option '" + words.front() + "'" + did_you_mean(words.front(), globals),
                  "options of a command stand behind its name");
  }
  request.command = words.front();
  words.erase(words.begin());
  request.words = std::move(words);
  request.settings.command_line = repeat_line(request);
  return done();
}

}  // namespace

const std::string_view global_help =
    "  -v, --verbose      say more on stderr\n"
    "  -q, --quiet        say nothing on stderr but errors\n"
    "  --format FORMAT    text (default) or json: one document on stdout\n"
    "  --no-color         no colours; the environment variable NO_COLOR does the same\n"
    "  -h, --help         this text\n"
    "  --version          the version\n";

Status read_request(const std::vector<std::string>& words, Request& request) {
  CLI::App globals;
  globals.set_help_flag();
  globals.allow_extras();
  std::string format = "text";
  bool no_color = false;
  int verbose = 0;
  int quiet = 0;
  globals.add_flag("-v,--verbose", verbose);
  globals.add_flag("-q,--quiet", quiet);
  globals.add_flag("--no-color", no_color);
  globals.add_flag("-h,--help", request.wants_help);
  globals.add_flag("--version", request.wants_version);
  globals.add_option("--format", format)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  try {
    globals.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ArgumentMismatch&) {
    return refuse("--format needs a value", "it takes one of: text, json");
  } catch (const CLI::ParseError& error) {
    return refuse(error.what());
  }
  request.settings = make_settings(format, verbose - quiet, no_color);
  if (format != "text" && format != "json") {
    return refuse("'" + format + "' is no value for --format", "it takes one of: text, json");
  }
  return take_command(globals.remaining(), request);
}

}  // namespace hone::app
