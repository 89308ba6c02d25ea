#include "app/live_view.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace hone::app {
namespace {

constexpr std::chrono::milliseconds between_frames{200};
constexpr std::string_view clear_line = "\r\x1b[K";

std::size_t terminal_columns() {
  winsize size{};
  const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

}  // namespace

LiveView::LiveView(const Call& call, const PerfLive& live, const LiveViewOptions& options)
    : call_(call),
      panel_(live, options.title, options.loop),
      is_panel_(options.is_panel),
      painter_(write_to_stderr) {
  const bool is_silent =
      call.is_quiet() || (!call.settings().stderr_is_terminal && !is_panel_ && !call.is_verbose());
  if (!is_silent) sampler_ = std::make_unique<Sampler>(between_frames, [this] { show(); });
}

LiveView::~LiveView() {
  sampler_.reset();
  if (is_line_open_) write_to_stderr(clear_line);
}

void LiveView::show() {
  const PanelState now = panel_.look();
  if (!call_.settings().stderr_is_terminal) {
    if (const auto line = lines_.next(now)) write_to_stderr(*line + "\n");
  } else if (is_panel_) {
    painter_.paint(render_panel(
        now, {.columns = terminal_columns(), .has_colour = call_.settings().color_on_stderr}));
  } else {
    write_to_stderr(std::string(clear_line) + render_plain_line(now));
    is_line_open_ = true;
  }
}

}  // namespace hone::app
