#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include "base/descriptor.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long streams may stay open after the program itself has ended: long enough to read what is in
// them, short enough that a helper left in the background does not hold us up.
constexpr milliseconds grace_after_end{200};
// How often to look for the end where the kernel cannot wake us for it (no pidfd).
constexpr milliseconds tick{20};

// A descriptor must not be one of the standard streams (which may be closed in our own process),
// for the child puts its ends there.
Descriptor clear_of_standard_streams(Descriptor file) {
  if (file.get() > 2 || !file) return file;
  return Descriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
}

struct Pipe {
  Descriptor reading;
  Descriptor writing;
};

Pipe open_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  return {clear_of_standard_streams(Descriptor(ends[0])),
          clear_of_standard_streams(Descriptor(ends[1]))};
}

// The input as a file in memory: no pipe to keep filling, no SIGPIPE when nobody reads it.
Descriptor file_with(std::string_view input) {
  Descriptor file = clear_of_standard_streams(Descriptor(::memfd_create("input", MFD_CLOEXEC)));
  while (file && !input.empty()) {
    const ssize_t count = ::write(file.get(), input.data(), input.size());
    if (count < 0 && errno != EINTR) return {};
    if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
  }
  if (file) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// Null-terminated, as exec wants it; the strings stay with their owner.
std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::strcspn(*entry, "="));
    const bool changed = std::ranges::any_of(changes, [&](auto& c) { return c.first == name; });
    if (!changed) merged.emplace_back(*entry);
  }
  for (const auto& [name, value] : changes) merged.emplace_back(name).append("=").append(value);
  return merged;
}

enum class Step { enter_folder, limit_memory, execute };

struct StartFailure {
  Step step;
  int error_number;
};

// Everything the child needs, made before fork(): between fork and exec nothing may be allocated.
struct Launch {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::vector<char*> argument_pointers;
  std::vector<char*> environment_pointers;
  std::string folder;
  std::uint64_t memory_bytes = 0;
  Descriptor input;
  Pipe output;
  Pipe errors;
  Pipe failure;  // closed by a successful exec; else it carries a StartFailure
};

Launch prepare(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  Launch launch;
  launch.arguments = arguments;
  // "./tool" means a file here, not in the folder the child runs in.
  std::string& program = launch.arguments.front();
  if (program.find('/') != std::string::npos) program = std::filesystem::absolute(program).string();
  launch.environment = merged_environment(options.environment);
  launch.argument_pointers = pointers_to(launch.arguments);
  launch.environment_pointers = pointers_to(launch.environment);
  launch.folder = options.folder.string();
  launch.memory_bytes = options.limits.memory_bytes;
  launch.input = file_with(options.input);
  launch.output = open_pipe();
  launch.errors = open_pipe();
  launch.failure = open_pipe();
  return launch;
}

[[noreturn]] void give_up(const Launch& launch, Step step) {
  const StartFailure failure{step, errno};
  [[maybe_unused]] const ssize_t written =
      ::write(launch.failure.writing.get(), &failure, sizeof failure);
  ::_exit(127);
}

// A handler of ours must not run in the child: it would clean up after the parent, which lives on.
// What is ignored (SIGHUP under nohup) stays so, but for SIGPIPE, which no program expects ignored.
void forget_signal_handlers() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction current {};
    if (::sigaction(number, nullptr, &current) != 0) continue;
    if (current.sa_handler != SIG_IGN || number == SIGPIPE) ::signal(number, SIG_DFL);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// fork() with all signals held back until the child has forgotten their handlers.
pid_t fork_quietly() {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t id = ::fork();
  if (id == 0) {
    forget_signal_handlers();
  } else {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  return id;
}

// Runs in the child: only calls that are safe between fork and exec.
[[noreturn]] void become_program(const Launch& launch) {
  ::setpgid(0, 0);
  // Its own group hears no Ctrl-C of ours, so it must not outlive us either.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(launch.input.get(), STDIN_FILENO);
  ::dup2(launch.output.writing.get(), STDOUT_FILENO);
  ::dup2(launch.errors.writing.get(), STDERR_FILENO);
  // Libraries loaded into us may have opened files without O_CLOEXEC.
  ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
  if (!launch.folder.empty() && ::chdir(launch.folder.c_str()) != 0) {
    give_up(launch, Step::enter_folder);
  }
  const rlimit memory{launch.memory_bytes, launch.memory_bytes};
  if (launch.memory_bytes > 0 && ::setrlimit(RLIMIT_AS, &memory) != 0) {
    give_up(launch, Step::limit_memory);
  }
  ::execvpe(launch.argument_pointers[0], launch.argument_pointers.data(),
            launch.environment_pointers.data());
  give_up(launch, Step::execute);
}

Failure cannot_start(const std::string& program, const ProcessOptions& options,
                     const StartFailure& failure) {
  std::string what = "cannot start '" + program + "'";
  if (failure.step == Step::enter_folder) what += " in '" + options.folder.string() + "'";
  if (failure.step == Step::limit_memory) what += " with a memory limit";
  const bool is_missing = failure.error_number == ENOENT || failure.error_number == ENOTDIR;
  const bool is_searched = program.find('/') == std::string::npos;
  const bool can_install = is_missing && failure.step == Step::execute && is_searched;
  return fail(is_missing ? Fault::not_found : Fault::runtime, std::move(what),
              system_message(failure.error_number),
              can_install ? "install it, or add its folder to PATH" : "");
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
  Child(pid_t id, Launch& launch, const ProcessLimits& limits)
      : id_(id),
        wakes_us_(static_cast<int>(::syscall(SYS_pidfd_open, id, 0))),
        output_(std::move(launch.output.reading), limits.output_bytes),
        errors_(std::move(launch.errors.reading), limits.output_bytes) {
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
      if (!has_ended && is_over()) {
        has_ended = true;
        deadline_ = Clock::time_point::max();
        stop_reading = now + grace_after_end;
      }
      if (now >= deadline_) {
        end.timed_out = true;
        deadline_ = Clock::time_point::max();
        kill_group();
      }
    }
    // Only a helper in the background can still hold a stream.
    if (has_open_stream()) kill_group();
    reap(end);
    end.standard_output = output_.take();
    end.standard_error = errors_.take();
    end.elapsed = std::chrono::duration_cast<milliseconds>(Clock::now() - started_);
    return end;
  }

 private:
  // Leaves the child in the process table, so that its group's number stays its own until reap().
  bool is_over() const {
    siginfo_t state{};
    const int result = ::waitid(P_PID, static_cast<id_t>(id_), &state, WEXITED | WNOHANG | WNOWAIT);
    return result != 0 || state.si_pid == id_;
  }

  bool has_open_stream() const { return output_.is_open() || errors_.is_open(); }

  void kill_group() const {
    ::kill(-id_, SIGKILL);
    ::kill(id_, SIGKILL);  // it may have joined another group
  }

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
    if (limit == Clock::time_point::max()) return wakes_us_ ? -1 : static_cast<int>(tick.count());
    const auto left = std::chrono::ceil<milliseconds>(limit - Clock::now());
    const auto most = wakes_us_ ? milliseconds{60'000} : tick;
    return static_cast<int>(std::clamp(left, milliseconds{0}, most).count());
  }

  void reap(ProcessEnd& end) const {
    int status = 0;
    pid_t reaped = 0;
    do {
      reaped = ::waitpid(id_, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    if (reaped < 0) {
      end.exit_code = -1;
    } else if (WIFSIGNALED(status)) {
      const char* name = ::sigabbrev_np(WTERMSIG(status));
      end.signal = name != nullptr ? "SIG" + std::string(name)
                                   : "signal " + std::to_string(WTERMSIG(status));
    } else {
      end.exit_code = WEXITSTATUS(status);
    }
  }

  pid_t id_;
  Descriptor wakes_us_;  // a pidfd: readable when the child ends
  Stream output_;
  Stream errors_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point deadline_ = Clock::time_point::max();
};

}  // namespace

std::string ProcessEnd::describe() const {
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
  Launch launch = prepare(arguments, options);
  const bool is_ready =
      launch.input && launch.output.writing && launch.errors.writing && launch.failure.writing;
  const pid_t id = is_ready ? fork_quietly() : -1;
  if (id < 0) return cannot_start(arguments.front(), options, {Step::execute, errno});
  if (id == 0) become_program(launch);
  // The child does the same; whoever comes first, the group exists before anybody may kill it.
  ::setpgid(id, id);
  Child child(id, launch, options.limits);
  launch.output.writing.reset();
  launch.errors.writing.reset();
  launch.failure.writing.reset();
  StartFailure failure{};
  ssize_t count = 0;
  do {
    count = ::read(launch.failure.reading.get(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof failure) return child.wait();
  ::waitpid(id, nullptr, 0);
  return cannot_start(arguments.front(), options, failure);
}

Result<Path> own_program() {
  std::error_code error;
  Path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return fail(Fault::runtime, "cannot find the path of this program", error.message());
  return path;
}

}  // namespace hone
