#include "app/own_command.h"

#include "base/process.h"
#include "base/system_files.h"
#include "base/text.h"

namespace hone::app {
namespace {

constexpr int not_held = 3;

// The last lines are where a command says what was wrong.
std::string tail_of(const std::string& text) {
  constexpr std::size_t most_bytes = 2000;
  const std::string tail = text.size() > most_bytes ? text.substr(text.size() - most_bytes) : text;
  std::vector<std::string> lines;
  for (const std::string& line : split(tail, '\n'))
    if (!trimmed(line).empty()) lines.push_back(printable(trimmed(line)));
  return join(lines, "; ");
}

Failure failure_of(const OwnCommand& command, const ProcessEnd& end) {
  const std::string what = "hone " + command.words.front() + " " + end.describe();
  const std::string cause = tail_of(end.standard_error);
  if (end.timed_out) return fail(Fault::timeout, what, cause);
  if (!end.signal.empty()) return fail(Fault::runtime, what, cause);
  constexpr int usage = 2;
  if (end.exit_code == usage) return fail(Fault::bad_input, what, cause);
  return fail(end.exit_code == not_held ? Fault::not_held : Fault::runtime, what, cause);
}

void add_all(std::vector<std::string>& words, const std::string& option,
             const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) {
    words.push_back(option);
    words.push_back(key + "=" + value);
  }
}

}  // namespace

Result<Json> run_own(const OwnCommand& command) {
  HONE_TRY(const Path program, own_program());
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), command.words.begin(), command.words.end());
  words.insert(words.end(), {"--format", "json"});
  ProcessOptions options;
  options.limits.time = command.limit;
  options.limits.stop = command.stop;
  HONE_TRY(const ProcessEnd end, run_process(words, options));
  const bool answered = end.ok() || (command.may_not_hold && end.signal.empty() && !end.timed_out &&
                                     end.exit_code == not_held);
  if (!answered) return failure_of(command, end);
  return Json::parse(end.standard_output);
}

std::vector<std::string> runtime_words(const Where& where) {
  std::vector<std::string> words;
  if (where.host.ort.size() == 1) words.insert(words.end(), {"--ort", where.host.ort.front()});
  for (const auto& [name, path] : where.host.ep_libraries)
    words.insert(words.end(), {"--ep-library", name + "=" + path});
  return words;
}

std::vector<std::string> run_words(const Recipe& recipe) {
  std::vector<std::string> words = {"--ep", recipe.target.ep, "--device", recipe.target.device};
  add_all(words, "--ep-options", recipe.target.options);
  if (recipe.session.threads > 0)
    words.insert(words.end(), {"--threads", std::to_string(recipe.session.threads)});
  add_all(words, "--session-options", recipe.session.options);
  return words;
}

}  // namespace hone::app
