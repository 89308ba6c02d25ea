#include "catalog/failure.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/json.h"
#include "base/one_line.h"
#include "base/system_files.h"
#include "base/text.h"
#include "record/fault.h"

namespace hone {
namespace {

constexpr int exit_not_held = 3;

std::string last_lines_of(std::string_view text) {
  constexpr std::size_t most = 12;
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n'))
    if (!trimmed(line).empty()) lines.push_back(printable(line));
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - most);
  return join(lines, "\n");
}

bool says(std::string_view text, std::span<const std::string_view> markers) {
  const std::string lower = lowercase(text);
  return std::ranges::any_of(
      markers, [&](std::string_view marker) { return lower.find(marker) != std::string::npos; });
}

constexpr std::array<std::string_view, 3> full_disk = {"no space left on device", "disk full",
                                                       "disk quota exceeded"};
constexpr std::array<std::string_view, 4> no_memory = {
    "bad_alloc", "cannot allocate memory", "out of memory", "failed to allocate memory"};
// dlopen below a limit of memory, which has no word for it; of a folder that nothing may be run
// from it says so.
constexpr std::array<std::string_view, 1> no_room_for_library = {
    "failed to map segment from shared object"};
constexpr std::array<std::string_view, 1> not_permitted = {"operation not permitted"};
constexpr std::array<std::string_view, 4> no_kernel = {"not_implemented",
                                                       "could not find an implementation",
                                                       "is not a registered function", "no kernel"};
// What this machine does not have: another one may.
constexpr std::array<std::string_view, 3> not_here = {
    "there is no device for", "cannot load onnx runtime", "cannot register the ep library"};

// A line, and the names in it: what stands in '...', where an apostrophe inside of a word is none.
struct Line {
  std::string words;
  std::vector<std::string> names;
};

bool is_in_word(std::string_view line, std::size_t at) {
  const auto is_letter = [&](std::size_t i) {
    return i < line.size() && std::isalnum(static_cast<unsigned char>(line[i])) != 0;
  };
  return at > 0 && is_letter(at - 1) && is_letter(at + 1);
}

Line without_quoted(std::string_view line) {
  Line read;
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\'' && !is_in_word(line, i)) {
      is_quoted = !is_quoted;
      if (is_quoted) read.names.emplace_back();
      continue;
    }
    (is_quoted ? read.names.back() : read.words) += line[i];
  }
  if (is_quoted) read.words = line;  // a quote without an end quotes nothing
  return read;
}

std::string without_paths(std::string_view line) {
  std::vector<std::string> words = split(line, ' ');
  std::erase_if(words, [](const std::string& word) { return word.find('/') != std::string::npos; });
  return join(words, " ");
}

void erase_all(std::string& text, std::string_view name) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
    text.erase(at, name.size());
}

// What was said about the things, without their names: a model may be called "disk full.onnx". The
// error quotes them, and ONNX Runtime says the same ones without quotes.
std::string words_of(std::string said, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (name.find('/') != std::string::npos) erase_all(said, name);
  std::string words;
  for (const std::string& line : split(said, '\n'))
    words += without_paths(without_quoted(line).words) + "\n";
  return words;
}

bool is_out_of_memory(std::string_view words) {
  return says(words, no_memory) ||
         (says(words, no_room_for_library) && !says(words, not_permitted));
}

// The error that a command of ours answered with; nothing where it did not get that far.
std::optional<Error> answered(const ProcessEnd& end) {
  const auto document = Json::parse(end.standard_output);
  if (!document) return std::nullopt;
  const Json* error = document->find("error");
  if (error == nullptr) return std::nullopt;
  const auto read = from_json<Error>(*error);
  return read ? std::optional(*read) : std::nullopt;
}

// What was checked did not hold.
FailureClass kind_of_check(std::string_view stage) {
  return stage == "perf" ? FailureClass::placement : FailureClass::numerics;
}

FailureClass kind_of_error(const Error& error, std::string_view words) {
  if (says(words, no_kernel)) return FailureClass::unsupported_op;
  if (says(without_quoted(error.what).words, not_here)) return FailureClass::infra;
  switch (error.fault) {
    case Fault::unsupported:
      return FailureClass::unsupported_op;
    case Fault::timeout:
      return FailureClass::timeout;
    case Fault::io:
      return FailureClass::infra;
    case Fault::not_held:
      return FailureClass::numerics;
    case Fault::bad_input:
    case Fault::not_found:
    case Fault::runtime:
      break;
  }
  return FailureClass::load;
}

FailureClass kind_of(std::string_view stage, const ProcessEnd& end,
                     const std::optional<Error>& error, std::string_view words) {
  if (end.timed_out) return FailureClass::timeout;
  if (says(words, full_disk)) return FailureClass::disk_full;
  if (is_out_of_memory(words)) return FailureClass::oom;
  // The kernel's last resort, when memory is gone.
  if (end.signal == "SIGKILL") return FailureClass::oom;
  if (end.signal == "SIGTERM" || end.signal == "SIGINT") return FailureClass::infra;
  if (!end.signal.empty()) return FailureClass::build_crash;
  if (end.exit_code == exit_not_held) return kind_of_check(stage);
  return error ? kind_of_error(*error, words) : FailureClass::build_crash;
}

}  // namespace

CellFailure classify(std::string_view stage, const ProcessEnd& end) {
  const std::optional<Error> error = answered(end);
  std::string said = end.standard_error;
  std::vector<std::string> names;
  if (error) {
    said += "\n" + error->cause;
    names = without_quoted(error->what).names;
  }
  CellFailure failure;
  failure.kind = kind_of(stage, end, error, words_of(std::move(said), names));
  failure.stage = stage;
  failure.what = error ? error->what : "hone " + std::string(stage) + " " + end.describe();
  if (error && !error->cause.empty()) failure.what += ": " + error->cause;
  failure.what = printable(one_line(failure.what));
  failure.log_tail = last_lines_of(end.standard_error);
  return failure;
}

}  // namespace hone
