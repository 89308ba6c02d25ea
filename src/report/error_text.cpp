#include "report/error_text.h"

#include "base/text.h"

namespace hone {
namespace {

// Names in messages come from files: no control character of theirs reaches the terminal.
std::string indented(std::string_view text) {
  std::string lines;
  for (const std::string& line : split(text, '\n')) lines += "  " + printable(line) + "\n";
  return lines;
}

}  // namespace

std::string describe_error(const Error& error) {
  std::string text = " " + printable(error.what) + "\n";
  if (!error.cause.empty()) text += indented(error.cause);
  if (!error.hint.empty()) text += indented("try: " + error.hint);
  return text;
}

}  // namespace hone
