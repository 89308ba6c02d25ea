#include "tests/shell.h"

#include <cstdlib>

namespace hone {
namespace {

Path program() {
  const char* chosen = std::getenv("HONE_PROGRAM");
  return chosen != nullptr ? chosen : HONE_PROGRAM;
}

}  // namespace

Result<ProcessEnd> run_in_shell(const std::string& command, const Path& folder) {
  ProcessOptions options;
  options.folder = folder;
  options.limits.time = std::chrono::minutes(2);
  options.environment = {{"PATH", program().parent_path().string() + ":/usr/bin:/bin"},
                         {"LC_ALL", "C"},
                         {"NO_COLOR", ""},
                         {"TERM", "dumb"}};
  return run_process({"/bin/sh", "-c", command}, options);
}

}  // namespace hone
