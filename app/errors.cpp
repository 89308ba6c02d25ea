#include "app/errors.h"

#include <array>

#include "base/text.h"

namespace hone::app {
namespace {

struct FaultFacts {
  Fault fault;
  std::string_view word;  // in the error document
  ExitCode exit;
};

// What the caller can mend by calling differently is 2; what failed on the way is 1;
// what was looked at and found wanting is 3.
constexpr std::array<FaultFacts, 7> faults = {{
    {Fault::bad_input, "bad_input", ExitCode::usage},
    {Fault::not_found, "not_found", ExitCode::usage},
    {Fault::unsupported, "unsupported", ExitCode::failed},
    {Fault::runtime, "runtime", ExitCode::failed},
    {Fault::io, "io", ExitCode::failed},
    {Fault::timeout, "timeout", ExitCode::failed},
    {Fault::not_held, "not_held", ExitCode::not_held},
}};

const FaultFacts& facts_of(Fault fault) {
  for (const FaultFacts& facts : faults) {
    if (facts.fault == fault) return facts;
  }
  abort_on_broken_invariant("every fault has a row", __FILE__, __LINE__);
}

// Names in messages come from files: no control character of theirs reaches the terminal.
std::string indented(std::string_view text) {
  std::string lines;
  for (const std::string& line : split(text, '\n')) lines += "  " + printable(line) + "\n";
  return lines;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

ExitCode exit_code_for(Fault fault) { return facts_of(fault).exit; }

std::string to_text(const Error& error, const Style& style) {
  std::string text = style.red("error:") + " " + printable(error.what) + "\n";
  if (!error.cause.empty()) text += indented(error.cause);
  if (!error.hint.empty()) text += indented("try: " + error.hint);
  return text;
}

Json to_document(const Error& error) {
  Json body = Json::object();
  body.set("fault", facts_of(error.fault).word);
  body.set("what", error.what);
  body.set("cause", text_or_null(error.cause));
  body.set("hint", text_or_null(error.hint));
  Json document = Json::object();
  document.set("schema_version", 1);
  document.set("error", std::move(body));
  return document;
}

ExitCode report(const Error& error, const Settings& settings) {
  write_to_stderr(to_text(error, Style(settings.color_on_stderr)));
  if (settings.format == Format::json) {
    // When stdout itself is what failed, stderr has said so.
    (void)write_to_stdout(to_document(error).dump() + "\n");
  }
  return exit_code_for(error.fault);
}

}  // namespace hone::app
