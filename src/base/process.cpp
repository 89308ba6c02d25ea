#include "base/process.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "base/launch.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long streams may stay open after the program itself has ended: long enough to read what is in
// them, short enough that a helper left in the background does not hold us up.
constexpr milliseconds grace_after_end{200};
// How often to look for what nothing wakes us for: the end where there is no pidfd, and a stop.
constexpr milliseconds tick{20};

// The input as a file in memory: no pipe to keep filling, no SIGPIPE when nobody reads it.
Descriptor file_with(std::string_view input) {
  Descriptor file =
      launching::clear_of_standard_streams(Descriptor(::memfd_create("input", MFD_CLOEXEC)));
  while (file && !input.empty()) {
    const ssize_t count = ::write(file.get(), input.data(), input.size());
    if (count < 0 && errno != EINTR) return {};
    if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
  }
  if (file) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// One stream of the child: kept up to a limit, read to its end so that the child never blocks on
// it.
class Stream {
 public:
  Stream(Descriptor source, std::uint64_t limit) : source_(std::move(source)), limit_(limit) {}
  bool is_open() const { return static_cast<bool>(source_); }
  int descriptor() const { return source_.get(); }
  std::string take() { return std::move(kept_); }

  // Whatever is there now, or the end. REQUIRES: poll() said that a read does not block.
  void read_some() {
    std::array<char, std::size_t{64} << 10> buffer;
    const ssize_t count = ::read(source_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) return source_.reset();
    const std::uint64_t room = limit_ - std::min<std::uint64_t>(limit_, kept_.size());
    kept_.append(buffer.data(), std::min(static_cast<std::uint64_t>(count), room));
  }

 private:
  Descriptor source_;
  std::uint64_t limit_;
  std::string kept_;
};

// A started child until it is gone.
class Child {
 public:
  Child(pid_t id, launching::Launch& launch, const ProcessLimits& limits)
      : id_(id),
        wakes_us_(static_cast<int>(::syscall(SYS_pidfd_open, id, 0))),
        output_(std::move(launch.output.reading), limits.output_bytes),
        errors_(std::move(launch.errors.reading), limits.output_bytes),
        stop_(limits.stop) {
    if (limits.time.count() > 0) deadline_ = started_ + limits.time;
  }

  ProcessEnd wait() {
    ProcessEnd end;
    bool has_ended = false;
    auto stop_reading = Clock::time_point::max();
    while (!has_ended || has_open_stream()) {
      read_until(std::min(stop_reading, deadline_));
      // Asked after a read: what was in the streams when the child ended is always kept.
      const auto now = Clock::now();
      if (now >= stop_reading) break;
      if (!has_ended && launching::is_over(id_)) {
        has_ended = true;
        deadline_ = Clock::time_point::max();
        stop_reading = now + grace_after_end;
      }
      const bool is_stopped = !has_ended && stop_ != nullptr && stop_->load();
      if (now >= deadline_ || is_stopped) {
        (is_stopped ? end.stopped : end.timed_out) = true;
        deadline_ = Clock::time_point::max();
        stop_ = nullptr;
        launching::kill_group(id_);
      }
    }
    // Only a helper in the background can still hold a stream.
    if (has_open_stream()) launching::kill_group(id_);
    launching::reap(id_, end);
    end.standard_output = output_.take();
    end.standard_error = errors_.take();
    end.elapsed = std::chrono::duration_cast<milliseconds>(Clock::now() - started_);
    return end;
  }

 private:
  bool has_open_stream() const { return output_.is_open() || errors_.is_open(); }

  void read_until(Clock::time_point limit) {
    std::array<pollfd, 3> sources{{{output_.descriptor(), POLLIN, 0},
                                   {errors_.descriptor(), POLLIN, 0},
                                   {wakes_us_.get(), POLLIN, 0}}};
    if (::poll(sources.data(), sources.size(), patience(limit)) <= 0) return;
    if (sources[0].revents != 0) output_.read_some();
    if (sources[1].revents != 0) errors_.read_some();
    // Said once is enough: it stays readable for ever.
    if (sources[2].revents != 0) wakes_us_.reset();
  }

  // For poll(): -1 waits without end.
  int patience(Clock::time_point limit) const {
    const bool is_woken = wakes_us_ && stop_ == nullptr;
    if (limit == Clock::time_point::max()) return is_woken ? -1 : static_cast<int>(tick.count());
    const auto left = std::chrono::ceil<milliseconds>(limit - Clock::now());
    const auto most = is_woken ? milliseconds{60'000} : tick;
    return static_cast<int>(std::clamp(left, milliseconds{0}, most).count());
  }

  pid_t id_;
  Descriptor wakes_us_;  // a pidfd: readable when the child ends
  Stream output_;
  Stream errors_;
  const std::atomic<bool>* stop_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point deadline_ = Clock::time_point::max();
};

}  // namespace

Trouble ProcessEnd::trouble() const {
  if (signal.empty() || signal == "SIGTERM" || signal == "SIGINT") return Trouble::other;
  return signal == "SIGKILL" && !timed_out && !stopped ? Trouble::no_memory : Trouble::crashed;
}

std::string ProcessEnd::describe() const {
  if (stopped) return "stopped";
  if (timed_out) {
    std::array<char, 32> seconds{};
    const auto text =
        std::to_chars(seconds.data(), seconds.data() + seconds.size(),
                      std::chrono::duration<double>(elapsed).count(), std::chars_format::fixed, 1);
    return "stopped after " + std::string(seconds.data(), text.ptr) + " s (time limit)";
  }
  if (!signal.empty()) return "killed by " + signal;
  return "exited with " + std::to_string(exit_code);
}

Result<ProcessEnd> run_process(const std::vector<std::string>& arguments,
                               const ProcessOptions& options) {
  HONE_CHECK(!arguments.empty());
  launching::Launch launch = launching::prepare(arguments, options, file_with(options.input));
  HONE_TRY(const pid_t id, launching::start(launch, options));
  return Child(id, launch, options.limits).wait();
}

Result<Path> own_program() {
  std::error_code error;
  Path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return fail(Fault::runtime, "cannot find the path of this program", error.message());
  return path;
}

}  // namespace hone
