#pragma once
// Processes that are killed at a moment a test chooses: before a call of the system, counted from
// the start. No clock decides, so every moment of a save can be tried in turn.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>

namespace hone {

// Which calls count.
enum class CountingCalls { changes_of_files, all };

struct TracedRun {
  bool was_killed = false;
  bool went_well = false;   // it ended by itself, and its work said true
  std::uint64_t calls = 0;  // that were counted
};

// `work` in a process of its own, which is killed (SIGKILL) with all that it started as it is about
// to make counted call number `step`. Work may be another program: exec.
class TracedProcess {
 public:
  TracedProcess(std::uint64_t step, CountingCalls counting) : step_(step), counting_(counting) {}

  TracedRun run(const std::function<bool()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
      ::raise(SIGSTOP);
      ::_exit(work() ? 0 : 1);
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return seen_;
    constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE |
                             PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
    ::ptrace(PTRACE_SETOPTIONS, child, nullptr, options);
    alive_.insert(child);
    go_on(child, 0);
    follow(child);
    return seen_;
  }

 private:
  void follow(pid_t child) {
    int status = 0;
    while (!alive_.empty()) {
      const pid_t one = ::waitpid(-1, &status, __WALL | __WNOTHREAD);
      if (one < 0) return;
      if (!WIFSTOPPED(status)) {
        alive_.erase(one);
        if (one == child) seen_.went_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        continue;
      }
      alive_.insert(one);
      const bool is_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
      if (is_call && counts(one) && seen_.calls++ == step_) seen_.was_killed = true;
      if (seen_.was_killed) {
        for (const pid_t each : alive_) ::kill(each, SIGKILL);
      } else {
        go_on(one, is_call ? 0 : signal_of(status));
      }
    }
  }

  static void go_on(pid_t process, int signal) {
    ::ptrace(PTRACE_SYSCALL, process, nullptr, static_cast<long>(signal));
  }

  // What stopped it and was meant for it; how tracing itself stops a process is not.
  static int signal_of(int status) {
    const int signal = WSTOPSIG(status);
    const bool is_of_tracing = signal == SIGTRAP || signal == SIGSTOP || (status >> 16) != 0;
    return is_of_tracing ? 0 : signal;
  }

  bool counts(pid_t process) const {
    __ptrace_syscall_info call{};
    ::ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof call, &call);
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY) return false;
    return counting_ == CountingCalls::all || changes_a_file(call);
  }

  static bool changes_a_file(const __ptrace_syscall_info& call) {
    constexpr std::uint64_t standard_error = 2;
    const auto& arguments = call.entry.args;
    switch (call.entry.nr) {
      case SYS_openat:
        return (arguments[2] & O_CREAT) != 0;
      case SYS_write:
      case SYS_pwrite64:
      case SYS_writev:
        return arguments[0] > standard_error;
      case SYS_ioctl:
        return arguments[1] == FICLONE;
      case SYS_copy_file_range:
      case SYS_ftruncate:
      case SYS_fchmod:
      case SYS_renameat:
      case SYS_renameat2:
      case SYS_linkat:
      case SYS_unlinkat:
      case SYS_mkdirat:
#ifdef SYS_rename  // newer processors have the calls above alone
      case SYS_rename:
      case SYS_link:
      case SYS_unlink:
      case SYS_mkdir:
      case SYS_rmdir:
#endif
        return true;
      default:
        return false;
    }
  }

  const std::uint64_t step_;
  const CountingCalls counting_;
  std::set<pid_t> alive_;
  TracedRun seen_;
};

inline TracedRun run_traced(std::uint64_t step, const std::function<bool()>& work,
                            CountingCalls counting = CountingCalls::changes_of_files) {
  return TracedProcess(step, counting).run(work);
}

// Whether `work` was killed as it was about to change a file for the (step + 1)th time; what is not
// killed has to go well.
inline bool killed_at(std::uint64_t step, const std::function<bool()>& work) {
  const TracedRun seen = run_traced(step, work);
  EXPECT_TRUE(seen.was_killed || seen.went_well);
  return seen.was_killed;
}

inline bool can_trace() {
  const auto work = [] { return ::unlinkat(AT_FDCWD, "/nothing/here", 0) != 0; };
  return run_traced(0, work).was_killed;
}

#define HONE_SKIP_WITHOUT_TRACING() \
  if (!can_trace()) GTEST_SKIP() << "this machine lets nobody trace a process (ptrace)"

}  // namespace hone
