// What every plug-in list promises: a command or pass has a good name, a summary, a page and a
// test, so that "one file and one line" comes with its companions.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "app/command.h"
#include "base/file.h"
#include "base/text.h"
#include "catalog/publisher.h"
#include "inspect/eval/task.h"
#include "kinds/ep.h"
#include "measure/monitor.h"
#include "tests/registry/doc_tables.h"
#include "transform/pass.h"
#include "transform/quantize/presets.h"

namespace hone::app {
namespace {

// Those that people call, not those that hone starts itself.
std::vector<Command> listed_commands() {
  std::vector<Command> commands(all_commands().begin(), all_commands().end());
  std::erase_if(commands, [](const Command& command) { return command.group.empty(); });
  return commands;
}

bool is_kebab_case(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

TEST(Commands, HaveUniqueNamesInKebabCase) {
  std::set<std::string_view> names;
  for (const Command& command : all_commands()) {
    EXPECT_TRUE(is_kebab_case(command.name)) << command.name;
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
  }
}

TEST(Commands, HaveASummaryOfOneShortLine) {
  for (const Command& command : all_commands()) {
    EXPECT_LE(command.summary.size(), 72u) << command.name;
    EXPECT_FALSE(command.summary.empty() || command.summary.ends_with('.')) << command.name;
  }
}

TEST(Commands, HelpFitsATerminalAndExamplesStartWithTheCommand) {
  for (const Command& command : listed_commands()) {
    for (const std::string& line : split(command.help, '\n')) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_FALSE(command.examples.empty()) << command.name;
    for (const std::string& line : split(command.examples, '\n')) {
      EXPECT_TRUE(line.starts_with("hone " + std::string(command.name))) << line;
    }
  }
}

TEST(Commands, AreDescribedInTheDocumentation) {
  const std::string page = *read_file(Path(HONE_SOURCE_DIR) / "docs/cli.md");
  for (const Command& command : listed_commands()) {
    EXPECT_NE(page.find("## hone " + std::string(command.name) + "\n"), std::string::npos)
        << command.name;
  }
}

TEST(Commands, AreRunByATranscript) {
  std::string transcripts;
  for (const auto& entry :
       std::filesystem::directory_iterator(Path(HONE_SOURCE_DIR) / "tests/cli")) {
    transcripts += *read_file(entry.path());
  }
  for (const Command& command : listed_commands()) {
    EXPECT_NE(transcripts.find("$ hone " + std::string(command.name) + " "), std::string::npos)
        << command.name;
  }
}

// Kebab-case, but for capital letters of a name that others gave: highdimRTR-lowdimRTR.
bool is_pass_name(std::string_view name) {
  return is_kebab_case(lowercase(name)) && name.front() >= 'a' && name.front() <= 'z';
}

TEST(Passes, HaveUniqueNamesInKebabCase) {
  std::set<std::string_view> names;
  for (const Pass& pass : all_passes()) {
    EXPECT_TRUE(is_pass_name(pass.name)) << pass.name;
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_EQ(find_pass(pass.name), &pass);
  }
}

TEST(Passes, HaveASummaryOfOneShortLineAndACategory) {
  for (const Pass& pass : all_passes()) {
    EXPECT_LE(pass.summary.size(), 72u) << pass.name;
    EXPECT_FALSE(pass.summary.empty() || pass.summary.ends_with('.')) << pass.name;
    EXPECT_TRUE(is_kebab_case(pass.category)) << pass.name;
  }
}

// The section of a pass, without its heading; empty when there is none.
std::string section_of(std::string_view page, std::string_view name) {
  const std::string heading = "\n### " + std::string(name) + "\n";
  const std::size_t start = page.find(heading);
  if (start == std::string_view::npos) return {};
  const std::string_view rest = page.substr(start + heading.size());
  return std::string(rest.substr(0, rest.find("\n#")));
}

TEST(Passes, AreDescribedWithTheirPromiseInTheDocumentation) {
  const std::string page = *read_file(Path(HONE_SOURCE_DIR) / "docs/passes.md");
  for (const Pass& pass : all_passes()) {
    const std::string promise = pass.numerics == Numerics::bitwise ? "Bitwise."
                                : pass.numerics == Numerics::close ? "Close."
                                                                   : "Relaxed.";
    EXPECT_TRUE(section_of(page, pass.name).starts_with("\n" + promise + " ")) << pass.name;
  }
}

TEST(Passes, HaveCases) {
  for (const Pass& pass : all_passes()) {
    const Path cases = Path(HONE_SOURCE_DIR) / "tests/passes" / (std::string(pass.name) + ".txt");
    EXPECT_TRUE(std::filesystem::exists(cases)) << cases;
  }
}

TEST(Eps, NameAPresetAndMonitorsThatAreThere) {
  for (const Ep& ep : all_eps()) {
    EXPECT_NE(find_preset(ep.recipe.preset), nullptr) << ep.name;
    for (const std::string_view name : ep.monitors) EXPECT_TRUE(find_monitor(name)) << ep.name;
  }
}

TEST(Tasks, HaveASummaryOfOneShortLineAndAJudgeWhereTheyHaveMetrics) {
  std::set<std::string_view> names;
  for (const Task& task : all_tasks()) {
    EXPECT_TRUE(is_kebab_case(task.name) && names.insert(task.name).second) << task.name;
    EXPECT_LE(task.summary.size(), 72u) << task.name;
    EXPECT_FALSE(task.summary.empty() || task.summary.ends_with('.')) << task.name;
    EXPECT_EQ(task.open != nullptr, !task.metrics.empty()) << task.name;
    EXPECT_EQ(task.label.empty(), task.open == nullptr || !task.needs_labels) << task.name;
    for (const DataKind& kind : task.data)
      EXPECT_TRUE(kind.make != nullptr && kind.count > 0 && names.insert(kind.name).second)
          << kind.name;
  }
}

TEST(Publishers, HaveASchemeThatNoOtherHasAndAFormThatBeginsWithIt) {
  std::set<std::string_view> schemes;
  for (const Publisher& publisher : all_publishers()) {
    EXPECT_TRUE(schemes.insert(publisher.scheme).second) << publisher.scheme;
    EXPECT_TRUE(publisher.form.starts_with(std::string(publisher.scheme) + "://"));
    EXPECT_FALSE(publisher.summary.empty() || publisher.summary.ends_with('.'));
  }
}

// UPDATE_GOLDEN=1 writes the tables into their pages.
TEST(Documentation, ListsWhatThereIsOfEachKind) {
  for (const DocTable& table : doc_tables()) {
    const Path path = Path(HONE_SOURCE_DIR) / table.page;
    const std::string page = *read_file(path);
    const std::string wanted = with_table(page, table);
    ASSERT_FALSE(wanted.empty()) << table.page << " has no place for the table of " << table.name;
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(write_file(path, wanted));
    } else {
      EXPECT_EQ(page, wanted) << "UPDATE_GOLDEN=1 writes the table of " << table.name;
    }
  }
}

}  // namespace
}  // namespace hone::app
