#include "app/progress.h"

#include <algorithm>

#include "base/text.h"

namespace hone::app {
namespace {

using namespace std::chrono_literals;

constexpr auto between_lines = 100ms;
// What is over before anybody looks needs no line.
constexpr auto patience = 200ms;
constexpr std::string_view clear_line = "\r\x1b[K";

}  // namespace

Progress::Progress(const Call& call, std::string what) : call_(call), what_(std::move(what)) {}

Progress::~Progress() {
  if (is_line_open_) write_to_stderr(clear_line);
  if (done_bytes_ > 0) call_.detail(what_ + ": " + format_bytes(done_bytes_));
}

void Progress::update(std::uint64_t done_bytes, std::uint64_t total_bytes) {
  done_bytes_ = done_bytes;
  if (!call_.settings().stderr_is_terminal || call_.is_quiet()) return;
  const Clock::time_point now = Clock::now();
  if (now - start_ < patience || now - printed_ < between_lines) return;
  printed_ = now;
  const std::uint64_t percent =
      total_bytes == 0 ? 100 : std::min<std::uint64_t>(100, done_bytes / (total_bytes / 100 + 1));
  print(what_ + ": " + format_bytes(done_bytes) + " of " + format_bytes(total_bytes) + " (" +
        std::to_string(percent) + " %)");
}

void Progress::step(std::string_view doing) {
  const std::string line = what_ + ": " + printable(doing);
  if (call_.is_verbose()) return call_.detail(line);
  if (call_.settings().stderr_is_terminal && !call_.is_quiet()) print(line);
}

void Progress::print(const std::string& line) {
  write_to_stderr(std::string(clear_line) + line);
  is_line_open_ = true;
}

}  // namespace hone::app
