#pragma once
// For tests: a /proc and /sys of our own making.

#include <fstream>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/system_files.h"

namespace hone {

class FakeSystem {
 public:
  FakeSystem() : folder_(TemporaryFolder::create("fake-system").value()) {}

  // with("proc/loadavg", "0.10 0.20 0.30 1/100 42\n"); writing again replaces.
  FakeSystem& with(std::string_view name, std::string_view text) {
    const Path file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return *this;
  }
  FakeSystem& without(std::string_view name) {
    std::filesystem::remove_all(folder_.path() / name);
    return *this;
  }
  SystemRoots roots() const {
    return {folder_.path() / "proc", folder_.path() / "sys", folder_.path() / "etc"};
  }
  const Path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace hone
