// Runs the transcripts in tests/cli against the real program. A transcript is what a person would
// see: a command line, what it prints, and how it ends.
//
//   # A sentence about what follows.
//   $ hone inspect missing.onnx
//   ! error: cannot read 'missing.onnx'
//   !   No such file or directory
//   = 2
//
// "> " is a line of stdout, "! " one of stderr, "= " the exit code when it is not 0; "\" at the end
// of a stream says that its last line has no end. All commands of a file run in one empty folder,
// in a shell, with tests/fixtures at hand as `fixtures` and a library that stands in for QNN's as
// $STAND_IN (ep/testing/stand_in.cpp). UPDATE_GOLDEN=1 writes what was seen.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "tests/shell.h"

namespace hone {
namespace {

const Path tests_folder = Path(HONE_SOURCE_DIR) / "tests";

std::string marked(const std::string& output, std::string_view mark) {
  std::string lines;
  std::vector<std::string> parts = split(output, '\n');
  const bool is_ended = parts.back().empty();
  if (is_ended) parts.pop_back();
  for (const std::string& part : parts) {
    lines += std::string(mark) + (part.empty() ? "" : " " + part) + "\n";
  }
  return is_ended ? lines : lines + std::string(mark) + "\\\n";
}

// The command line with all it printed.
std::string transcript_of(const std::string& command, const Path& folder) {
  const auto end = run_in_shell(command, folder);
  if (!end) return "$ " + command + "\ncould not be started: " + end.error().what + "\n";
  std::string text =
      "$ " + command + "\n" + marked(end->standard_output, ">") + marked(end->standard_error, "!");
  if (!end->signal.empty() || end->timed_out) return text + "= " + end->describe() + "\n";
  return end->exit_code == 0 ? text : text + "= " + std::to_string(end->exit_code) + "\n";
}

bool is_output(const std::string& line) {
  return line.starts_with(">") || line.starts_with("!") || line.starts_with("= ");
}

std::string rerun(const std::string& expected) {
  const TemporaryFolder folder = *TemporaryFolder::create("transcript");
  std::filesystem::create_directory_symlink(tests_folder / "fixtures", folder.path() / "fixtures");
  // A program of another build cannot load what was built with sanitizers.
  const char* chosen = std::getenv("HONE_STAND_IN");
  setenv("STAND_IN", chosen != nullptr ? chosen : HONE_STAND_IN, 1);
  std::string seen;
  std::vector<std::string> lines = split(expected, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (const std::string& line : lines) {
    if (line.starts_with("$ ")) {
      seen += transcript_of(line.substr(2), folder.path());
    } else if (!is_output(line)) {
      seen += line + "\n";
    }
  }
  return seen;
}

std::vector<std::string> transcripts() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(tests_folder / "cli")) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class Transcript : public testing::TestWithParam<std::string> {};

TEST_P(Transcript, IsWhatTheProgramPrints) {
  const Path path = tests_folder / "cli" / (GetParam() + ".txt");
  const std::string expected = *read_file(path);
  const std::string seen = rerun(expected);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(path, seen));
  } else {
    EXPECT_EQ(seen, expected) << "UPDATE_GOLDEN=1 writes what was seen into " << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Cli, Transcript, testing::ValuesIn(transcripts()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace hone
