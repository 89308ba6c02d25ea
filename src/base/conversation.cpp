#include "base/conversation.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/launch.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Enough to see why it failed; a chatty EP must not fill our memory.
constexpr std::size_t errors_kept = 16 * 1024;
// A line longer than this is no answer of ours.
constexpr std::size_t longest_line = std::size_t{256} << 20;
// How often to look whether the child has ended while it says nothing.
constexpr milliseconds tick{50};

// Both ends of a socket: unlike a pipe, writing to a child that is gone raises no SIGPIPE.
launching::Pipe open_socket() {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  return {launching::clear_of_standard_streams(Descriptor(ends[0])),
          launching::clear_of_standard_streams(Descriptor(ends[1]))};
}

// A child that leaves by itself before it has answered is as good as crashed; one that somebody
// ended is no fault of what it ran.
Failure ended_without_a_word(const ProcessEnd& end, const std::string& complaint) {
  if (end.signal.empty())
    return fail(Fault::runtime, Trouble::crashed, "the worker " + end.describe(), complaint);
  const bool is_a_wish = end.signal == "SIGTERM" || end.signal == "SIGINT";
  return fail(is_a_wish ? Fault::io : Fault::runtime, end.trouble(),
              "the worker was " + end.describe(), complaint);
}

}  // namespace

struct Conversation::State {
  pid_t id = -1;
  Descriptor input;
  Descriptor output;
  Descriptor errors;
  std::string heard;      // read, but not yet asked for
  std::string complaint;  // the end of standard error
  ProcessEnd end;
  bool is_reaped = false;
  Clock::time_point started = Clock::now();
  milliseconds limit{0};

  ~State() {
    if (id < 0 || is_reaped) return;
    launching::kill_group(id);
    reap();
  }

  void reap() {
    if (is_reaped) return;
    launching::reap(id, end);
    is_reaped = true;
    end.elapsed = std::chrono::duration_cast<milliseconds>(Clock::now() - started);
  }

  void read_errors() {
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(errors.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) return errors.reset();
    complaint.append(buffer.data(), static_cast<std::size_t>(count));
    if (complaint.size() > errors_kept) complaint.erase(0, complaint.size() - errors_kept);
  }

  void read_output() {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(output.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) return output.reset();
    heard.append(buffer.data(), static_cast<std::size_t>(count));
  }

  // Waits for something to read, at most until `deadline`.
  void listen(Clock::time_point deadline) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    std::array<pollfd, 2> sources{{{output.get(), POLLIN, 0}, {errors.get(), POLLIN, 0}}};
    const int patience = static_cast<int>(std::clamp(left, milliseconds{0}, tick).count());
    if (::poll(sources.data(), sources.size(), patience) <= 0) return;
    if (sources[0].revents != 0) read_output();
    if (sources[1].revents != 0) read_errors();
  }

  void drain_errors() {
    pollfd source{errors.get(), POLLIN, 0};
    while (errors && ::poll(&source, 1, 0) > 0) read_errors();
  }

  void stop(bool by_time_limit) {
    end.timed_out = by_time_limit;
    launching::kill_group(id);
    reap();
    drain_errors();
  }
};

Conversation::Conversation(std::unique_ptr<State> state) : state_(std::move(state)) {}
Conversation::Conversation(Conversation&&) noexcept = default;
Conversation& Conversation::operator=(Conversation&&) noexcept = default;
Conversation::~Conversation() = default;

Result<Conversation> Conversation::start(const std::vector<std::string>& arguments,
                                         const ProcessOptions& options) {
  HONE_CHECK(!arguments.empty());
  launching::Pipe input = open_socket();
  launching::Launch launch = launching::prepare(arguments, options, std::move(input.reading));
  HONE_TRY(const pid_t id, launching::start(launch, options));
  auto state = std::make_unique<State>();
  state->id = id;
  state->input = std::move(input.writing);
  state->output = std::move(launch.output.reading);
  state->errors = std::move(launch.errors.reading);
  state->limit = options.limits.time;
  return Conversation(std::move(state));
}

int Conversation::process_id() const { return state_->id; }

void Conversation::say(std::string_view line) {
  std::string message(line);
  message += '\n';
  std::string_view rest = message;
  while (!rest.empty() && state_->input) {
    const ssize_t count = ::send(state_->input.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return state_->input.reset();
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

Result<std::string> Conversation::hear(milliseconds patience, const std::atomic<bool>* stop) {
  State& state = *state_;
  auto deadline = Clock::now() + patience;
  if (state.limit.count() > 0) deadline = std::min(deadline, state.started + state.limit);
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = state.heard.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = state.heard.substr(0, end);
      state.heard.erase(0, end + 1);
      return line;
    }
    searched = state.heard.size();
    if (!state.output || state.heard.size() > longest_line) {
      state.stop(false);
      return ended_without_a_word(state.end, state.complaint);
    }
    if (stop != nullptr && stop->load()) {
      state.stop(false);
      return fail(Fault::runtime, "the worker was stopped");
    }
    if (Clock::now() >= deadline) {
      state.stop(true);
      return fail(Fault::timeout,
                  "the worker gave no answer within " + std::to_string(patience.count()) +
                      " ms and was stopped",
                  state.complaint);
    }
    state.listen(deadline);
  }
}

ProcessEnd Conversation::finish(milliseconds patience) {
  State& state = *state_;
  state.input.reset();
  const auto deadline = Clock::now() + patience;
  while (!state.is_reaped) {
    if (launching::is_over(state.id)) {
      state.reap();
    } else if (Clock::now() >= deadline) {
      state.stop(true);
    } else {
      state.listen(deadline);
    }
  }
  state.drain_errors();
  state.end.standard_error = state.complaint;
  return state.end;
}

}  // namespace hone
