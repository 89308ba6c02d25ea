#include "app/progress.h"

#include <algorithm>

namespace hone::app {
namespace {

using namespace std::chrono_literals;

constexpr auto between_lines = 100ms;
// What is over before anybody looks needs no line.
constexpr auto patience = 200ms;
constexpr std::string_view clear_line = "\r\x1b[K";

}  // namespace

Progress::Progress(const Call& call, std::string what, Format format)
    : call_(call), what_(std::move(what)), format_(format) {}

Progress::~Progress() {
  if (is_line_open_) write_to_stderr(clear_line);
  if (done_ > 0) call_.detail(what_ + ": " + format_(done_));
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  done_ = done;
  if (!call_.settings().stderr_is_terminal || call_.is_quiet()) return;
  const Clock::time_point now = Clock::now();
  if (now - start_ < patience || now - printed_ < between_lines) return;
  printed_ = now;
  if (total == 0) return print(what_ + ": " + format_(done));
  const std::uint64_t percent = std::min<std::uint64_t>(100, done / (total / 100 + 1));
  print(what_ + ": " + format_(done) + " of " + format_(total) + " (" + std::to_string(percent) +
        " %)");
}

void Progress::step(std::string_view doing) {
  const std::string line = what_ + ": " + printable(doing);
  if (call_.is_verbose()) return call_.detail(line);
  if (call_.settings().stderr_is_terminal && !call_.is_quiet()) print(line);
}

Watch Progress::watch() {
  return {.tell = [this](const FlowProgress& seen) { update(seen.done, seen.total); }};
}

void Progress::print(const std::string& line) {
  write_to_stderr(std::string(clear_line) + line);
  is_line_open_ = true;
}

}  // namespace hone::app
