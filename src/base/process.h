#pragma once
// Child processes: argument lists only (no shell ever sees a string of ours), own process group,
// limits on time and memory, and an end that is a value: exit code, signal by name, or timeout.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace hone {

struct ProcessLimits {
  std::chrono::milliseconds time{0};  // 0: none. At the limit the whole process group is killed
  std::uint64_t memory_bytes = 0;     // 0: none. Address space (RLIMIT_AS)
  // What is kept of each stream; the rest is read and dropped.
  std::uint64_t output_bytes = std::uint64_t{64} << 20;
  const std::atomic<bool>* stop = nullptr;  // once it is true, the whole process group is killed
};

struct ProcessOptions {
  std::string input;  // given to standard input, which then ends
  // Set on top of ours.
  std::vector<std::pair<std::string, std::string>> environment;
  Path folder;  // where it runs; empty: here
  ProcessLimits limits;
};

struct ProcessEnd {
  int exit_code = 0;       // meaningful when it exited by itself
  std::string signal;      // "SIGSEGV" when a signal ended it, else empty
  bool timed_out = false;  // our time limit ended it
  bool stopped = false;    // `stop` did
  std::chrono::milliseconds elapsed{0};
  std::string standard_output;
  std::string standard_error;
  bool ok() const { return exit_code == 0 && signal.empty() && !timed_out && !stopped; }
  // "exited with 1", "killed by SIGSEGV", "stopped after 2.0 s (time limit)".
  std::string describe() const;
  // What the signal says that ended it: SIGKILL from elsewhere is the kernel's last resort when
  // memory is gone, SIGTERM and SIGINT are somebody's wish.
  Trouble trouble() const;
};

// Fails only when the program cannot be started; whatever it does then is a ProcessEnd. The program
// is looked up in PATH unless its name has a slash. When it has ended, helpers it left in the
// background are killed if they still hold its output. It dies with us. REQUIRES: arguments is not
// empty.
Result<ProcessEnd> run_process(const std::vector<std::string>& arguments,
                               const ProcessOptions& options = {});

// The path of this very program, for starting workers.
Result<Path> own_program();

}  // namespace hone
