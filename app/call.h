#pragma once
// What a running command is given: how to answer. Results go to stdout, progress and logs to
// stderr.

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "report/style.h"

namespace hone::app {

enum class Format { text, json };

struct Settings {
  Format format = Format::text;
  bool color = false;  // emphasis is wanted on stdout
  bool color_on_stderr = false;
  bool stderr_is_terminal = false;  // progress may overprint its line
  int verbosity = 0;                // -v raises, -q lowers
  std::string command_line{};       // what repeats this call, as a shell takes it
};

class Call {
 public:
  explicit Call(Settings settings) : settings_(std::move(settings)) {}

  const Settings& settings() const { return settings_; }
  bool wants_json() const { return settings_.format == Format::json; }
  bool is_quiet() const { return settings_.verbosity < 0; }
  bool is_verbose() const { return settings_.verbosity > 0; }
  // For the text of an answer.
  Style style() const { return Style(settings_.color); }

  // Exactly one of the two is what reaches stdout: the document with --format json, else the text.
  // Fails when stdout takes no more (closed pipe, full disk).
  Status answer(const Json& document, std::string_view text) const;
  // One line on stderr, unless -q.
  void note(std::string_view line) const;
  // One line on stderr, with -v only.
  void detail(std::string_view line) const;

 private:
  Settings settings_;
};

// All of `bytes` on stdout, or an error that says why not.
Status write_to_stdout(std::string_view bytes);
// For what is said beside the result; a stderr that is closed is nobody's loss.
void write_to_stderr(std::string_view bytes);

}  // namespace hone::app
