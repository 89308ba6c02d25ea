// The examples of docs/cli.md are run, and their output is what the page shows: in a fenced block
// that starts with ```console, a line "$ command" is followed by all it prints. UPDATE_GOLDEN=1
// writes what was seen into the page.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "tests/shell.h"

namespace hone {
namespace {

const Path tests_folder = Path(HONE_SOURCE_DIR) / "tests";

// The models the page speaks of, under the names it uses.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> models = {{
    {"bert.onnx", "tiny/bert-cls/torch-opset17.onnx"},
    {"resnet.onnx", "tiny/resnet-cls/torch-opset17.onnx"},
    {"resnet.int8.onnx", "golden/tiny-resnet-cls/w8a8.onnx"},
    {"roberta.onnx", "zoo/roberta-base.opset17.onnx"},
}};

std::string output_of(const std::string& command, const Path& folder) {
  const auto end = run_in_shell("exec 2>&1; " + command, folder);
  return end ? end->standard_output : end.error().what + "\n";
}

std::string rerun(const std::string& page) {
  const TemporaryFolder folder = *TemporaryFolder::create("docs");
  for (const auto& [name, fixture] : models) {
    std::filesystem::create_symlink(tests_folder / "fixtures" / fixture, folder.path() / name);
  }
  std::string seen;
  bool is_example = false;
  std::vector<std::string> lines = split(page, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (const std::string& line : lines) {
    if (line.starts_with("```")) is_example = line == "```console";
    const bool is_command = is_example && line.starts_with("$ ");
    if (!is_example || is_command || line.starts_with("```")) seen += line + "\n";
    if (is_command) seen += output_of(line.substr(2), folder.path());
  }
  return seen;
}

TEST(Documentation, ShowsWhatTheProgramPrints) {
  const Path path = Path(HONE_SOURCE_DIR) / "docs/cli.md";
  const std::string page = *read_file(path);
  const std::string seen = rerun(page);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(path, seen));
  } else {
    EXPECT_EQ(seen, page) << "UPDATE_GOLDEN=1 writes what was seen into " << path;
  }
}

}  // namespace
}  // namespace hone
