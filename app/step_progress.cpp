#include "app/step_progress.h"

#include "base/text.h"

namespace hone::app {
namespace {

constexpr std::string_view clear_line = "\r\x1b[K";

}  // namespace

void StepProgress::step(const std::string& what) {
  if (call_.is_quiet()) return;
  if (!call_.settings().stderr_is_terminal) return call_.detail(what);
  write_to_stderr(std::string(clear_line) + what);
  is_line_open_ = true;
}

void StepProgress::end() {
  if (is_line_open_) write_to_stderr(clear_line);
  is_line_open_ = false;
}

// Of what is counted, ten lines a second are enough on a terminal, and the last one elsewhere.
void StepProgress::count(const FlowProgress& seen) {
  using namespace std::chrono_literals;
  const bool is_last = seen.done == seen.total;
  const auto now = std::chrono::steady_clock::now();
  if (!is_last && (!call_.settings().stderr_is_terminal || now - counted_ < 100ms)) return;
  counted_ = now;
  step(seen.doing + ": " + format_count(seen.done) +
       (seen.total > 0 ? " of " + format_count(seen.total) : std::string()));
}

Watch StepProgress::watch(const std::atomic<bool>* stop) {
  return {.tell =
              [this](const FlowProgress& seen) {
                seen.done + seen.total > 0 ? count(seen) : step(seen.doing);
              },
          .stop = stop};
}

}  // namespace hone::app
