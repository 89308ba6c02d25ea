// The first thing a stranger reads must be true: the example of README.md, run again.

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process.h"

namespace hone {
namespace {

TEST(Readme, ShowsWhatTheProgramReallyPrints) {
  const std::string readme = *read_file(HONE_SOURCE_DIR "/README.md");
  const std::string opening = "```\n$ hone inspect ";
  const std::size_t start = readme.find(opening);
  ASSERT_NE(start, std::string::npos);
  const std::size_t line_end = readme.find('\n', start + opening.size());
  const std::string model =
      readme.substr(start + opening.size(), line_end - start - opening.size());
  const std::string shown =
      readme.substr(line_end + 1, readme.find("```", line_end) - line_end - 1);
  if (!std::filesystem::exists(Path(HONE_SOURCE_DIR) / model))
    GTEST_SKIP() << model << " is not there: run make setup";

  ProcessOptions options;
  options.folder = HONE_SOURCE_DIR;
  options.environment = {{"NO_COLOR", "1"}};
  const auto end = run_process({HONE_PROGRAM, "inspect", model}, options);
  ASSERT_TRUE(end) << end.error().what;
  EXPECT_EQ(end->standard_output, shown);
}

}  // namespace
}  // namespace hone
