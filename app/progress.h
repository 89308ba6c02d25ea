#pragma once
// How far long work has come: one line on stderr that is printed over itself, and gone at the end.
// In a pipe nothing is printed, with -v a line when the work is done; -q silences both.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/call.h"
#include "base/text.h"
#include "flow/watch.h"

namespace hone::app {

class Progress {
 public:
  using Format = std::string (*)(std::uint64_t amount);

  // `what` is a phrase: "filling weights". What is counted are bytes unless `format` says
  // otherwise.
  Progress(const Call& call, std::string what, Format format = format_bytes);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Any number of calls; at most ten lines a second are printed. A total of 0 is not known.
  // REQUIRES: one thread at a time.
  void update(std::uint64_t done, std::uint64_t total);
  // What is about to be done, for work that cannot tell how far it has come. Shown at once: nobody
  // calls again while it waits. With -v each step is a line of its own.
  void step(std::string_view doing);
  // For a flow that tells how far it has come. REQUIRES: this outlives it.
  Watch watch();

 private:
  using Clock = std::chrono::steady_clock;
  void print(const std::string& line);

  const Call& call_;
  std::string what_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point printed_;
  Format format_;
  std::uint64_t done_ = 0;
  bool is_line_open_ = false;
};

}  // namespace hone::app
