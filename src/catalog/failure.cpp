#include "catalog/failure.h"

#include <algorithm>
#include <array>

#include "base/json.h"
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
  const std::string lower = lowercase(std::string(text));
  return std::ranges::any_of(
      markers, [&](std::string_view marker) { return lower.find(marker) != std::string::npos; });
}

constexpr std::array<std::string_view, 3> full_disk = {"no space left on device", "disk full",
                                                       "disk quota exceeded"};
constexpr std::array<std::string_view, 4> no_memory = {
    "bad_alloc", "cannot allocate memory", "out of memory", "failed to allocate memory"};
constexpr std::array<std::string_view, 4> no_kernel = {
    "not_implemented", "could not find an implementation", "is not a registered function/op",
    "no kernel"};

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

FailureClass kind_of_error(const Error& error, std::string_view everything) {
  if (says(everything, no_kernel)) return FailureClass::unsupported_op;
  switch (error.fault) {
    case Fault::unsupported:
      return FailureClass::unsupported_op;
    case Fault::timeout:
      return FailureClass::timeout;
    case Fault::io:
      return FailureClass::infra;
    case Fault::bad_input:
    case Fault::not_found:
    case Fault::runtime:
      break;
  }
  return FailureClass::load;
}

FailureClass kind_of(std::string_view stage, const ProcessEnd& end,
                     const std::optional<Error>& error, std::string_view everything) {
  if (end.timed_out) return FailureClass::timeout;
  if (says(everything, full_disk)) return FailureClass::disk_full;
  if (says(everything, no_memory)) return FailureClass::oom;
  // The kernel's last resort, when memory is gone.
  if (end.signal == "SIGKILL") return FailureClass::oom;
  if (end.signal == "SIGTERM" || end.signal == "SIGINT") return FailureClass::infra;
  if (!end.signal.empty()) return FailureClass::build_crash;
  if (end.exit_code == exit_not_held) return kind_of_check(stage);
  return error ? kind_of_error(*error, everything) : FailureClass::build_crash;
}

}  // namespace

CellFailure classify(std::string_view stage, const ProcessEnd& end) {
  const std::optional<Error> error = answered(end);
  std::string everything = end.standard_error;
  if (error) everything += "\n" + error->what + "\n" + error->cause;
  CellFailure failure;
  failure.kind = kind_of(stage, end, error, everything);
  failure.stage = stage;
  failure.what = error ? error->what : "hone " + std::string(stage) + " " + end.describe();
  if (error && !error->cause.empty()) failure.what += ": " + error->cause;
  failure.what = printable(failure.what);
  failure.log_tail = last_lines_of(end.standard_error);
  return failure;
}

}  // namespace hone
