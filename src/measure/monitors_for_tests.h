#pragma once
// For tests: a monitor with folders of its own, and what EPs write.

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>

#include "measure/monitor.h"

namespace hone {

inline constexpr auto csv_header =
    "Msg Timestamp,Message,Time,Unit of Measurement,Timing Source,Event Level,Event Identifier\n";
inline constexpr auto one_inference =
    "0,BACKEND,1000,CYCLES,BACKEND,ROOT,Accelerator (execute) time (cycles)\n"
    "0,NODE,1000,CYCLES,BACKEND,SUB-EVENT,/conv/Conv:OpId_1 (cycles)\n"
    "0,BACKEND,500,US,BACKEND,ROOT,Accelerator (execute) time\n";

inline void write(const Path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// A script that stands in for a tool of a vendor.
inline void write_script(const Path& path, const std::string& body) {
  write(path, "#!/bin/sh\n" + body + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

class Monitors : public testing::Test {
 protected:
  MonitorSettings settings_for(std::string ep) {
    MonitorSettings settings;
    settings.ep = std::move(ep);
    settings.folder = folder.path() / "run";
    settings.model = folder.path() / "models" / "m.onnx";
    settings.work_folder = folder.path() / "here";
    for (const Path& made : {settings.folder, settings.model.parent_path(), settings.work_folder}) {
      std::filesystem::create_directories(made);
    }
    return settings;
  }
  static std::unique_ptr<OpenMonitor> open(const char* name, const MonitorSettings& settings) {
    return find_monitor(name).value().open(settings).value();
  }
  static ClosedWindow window(std::int64_t warmup, std::int64_t measured) {
    return {.counts = RunCounts{warmup, measured}};
  }

  TemporaryFolder folder = TemporaryFolder::create("monitors").value();
};

}  // namespace hone
