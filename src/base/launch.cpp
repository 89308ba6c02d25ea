#include "base/launch.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace hone::launching {
namespace {

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

}  // namespace

// A descriptor must not be one of the standard streams (which may be closed in our own process),
// for the child puts its ends there.
Descriptor clear_of_standard_streams(Descriptor file) {
  if (file.get() > 2 || !file) return file;
  return Descriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
}

Pipe open_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  return {clear_of_standard_streams(Descriptor(ends[0])),
          clear_of_standard_streams(Descriptor(ends[1]))};
}

Launch prepare(const std::vector<std::string>& arguments, const ProcessOptions& options,
               Descriptor input) {
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
  launch.input = std::move(input);
  launch.output = open_pipe();
  launch.errors = open_pipe();
  launch.failure = open_pipe();
  return launch;
}

Result<pid_t> start(Launch& launch, const ProcessOptions& options) {
  const bool is_ready =
      launch.input && launch.output.writing && launch.errors.writing && launch.failure.writing;
  const std::string& program = launch.arguments.front();
  const pid_t id = is_ready ? fork_quietly() : -1;
  if (id < 0) return cannot_start(program, options, {Step::execute, errno});
  if (id == 0) become_program(launch);
  // The child does the same; whoever comes first, the group exists before anybody may kill it.
  ::setpgid(id, id);
  launch.input.reset();
  launch.output.writing.reset();
  launch.errors.writing.reset();
  launch.failure.writing.reset();
  StartFailure failure{};
  ssize_t count = 0;
  do {
    count = ::read(launch.failure.reading.get(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof failure) return id;
  ::waitpid(id, nullptr, 0);
  return cannot_start(program, options, failure);
}

bool is_over(pid_t id) {
  siginfo_t state{};
  const int result = ::waitid(P_PID, static_cast<id_t>(id), &state, WEXITED | WNOHANG | WNOWAIT);
  return result != 0 || state.si_pid == id;
}

void kill_group(pid_t id) {
  ::kill(-id, SIGKILL);
  ::kill(id, SIGKILL);  // it may have joined another group
}

void reap(pid_t id, ProcessEnd& end) {
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(id, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped < 0) {
    end.exit_code = -1;
  } else if (WIFSIGNALED(status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(status));
    end.signal =
        name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(WTERMSIG(status));
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
}

}  // namespace hone::launching
