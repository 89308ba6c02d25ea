#include "base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace hone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

Result<ProcessEnd> shell(const std::string& script, const ProcessOptions& options = {}) {
  return run_process({"sh", "-c", script}, options);
}

ProcessOptions with_time(milliseconds limit) {
  ProcessOptions options;
  options.limits.time = limit;
  return options;
}

// Whether a process of that number still runs; one that ended and waits to be reaped does not.
bool is_running(const std::string& id) {
  const Result<std::string> status = read_file("/proc/" + id + "/status");
  return status && status->find("State:\tZ") == std::string::npos;
}

bool ends_soon(const std::string& id) {
  for (int i = 0; i < 200 && is_running(id); ++i) std::this_thread::sleep_for(milliseconds(10));
  return !is_running(id);
}

TEST(Process, GivesOutputAndErrorsApart) {
  const Result<ProcessEnd> end = shell("echo result; echo progress >&2");
  EXPECT_TRUE(end->ok());
  EXPECT_EQ(end->standard_output, "result\n");
  EXPECT_EQ(end->standard_error, "progress\n");
}

TEST(Process, GivesTheExitCode) {
  const Result<ProcessEnd> end = shell("exit 3");
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_FALSE(end->ok());
  EXPECT_EQ(end->describe(), "exited with 3");
}

TEST(Process, NamesTheSignalThatEndedIt) {
  const Result<ProcessEnd> end = shell("kill -SEGV $$");
  EXPECT_EQ(end->signal, "SIGSEGV");
  EXPECT_FALSE(end->ok());
  EXPECT_EQ(end->describe(), "killed by SIGSEGV");
}

TEST(Process, NumbersASignalThatHasNoName) {
  EXPECT_EQ(shell("kill -40 $$")->describe(), "killed by signal 40");
}

TEST(Process, PassesArgumentsWithoutAShell) {
  EXPECT_EQ(run_process({"printf", "%s|", "a b", "$HOME", "*", ""})->standard_output,
            "a b|$HOME|*||");
}

TEST(Process, SaysThatAProgramIsMissing) {
  const Result<ProcessEnd> end = run_process({"no-such-program"});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().fault, Fault::not_found);
  EXPECT_EQ(end.error().what, "cannot start 'no-such-program'");
  EXPECT_EQ(end.error().cause, "No such file or directory");
  EXPECT_EQ(end.error().hint, "install it, or add its folder to PATH");
}

TEST(Process, SaysThatAFileIsNoProgram) {
  const Result<ProcessEnd> end = run_process({"/dev/null"});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().fault, Fault::runtime);
  EXPECT_EQ(end.error().cause, "Permission denied");
}

TEST(Process, SaysThatItsFolderIsMissing) {
  ProcessOptions options;
  options.folder = "/no/such";
  const Result<ProcessEnd> end = run_process({"true"}, options);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().what, "cannot start 'true' in '/no/such'");
  EXPECT_EQ(end.error().hint, "");
}

TEST(Process, RunsInItsFolder) {
  ProcessOptions options;
  options.folder = "/";
  EXPECT_EQ(run_process({"pwd"}, options)->standard_output, "/\n");
}

TEST(Process, ARelativeProgramIsFoundFromHere) {
  const TemporaryFolder folder = *TemporaryFolder::create("test");
  const Path script = folder.path() / "tool";
  ASSERT_TRUE(write_file(script, "#!/bin/sh\npwd\n"));
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  ProcessOptions options;
  options.folder = "/";
  const std::string relative = std::filesystem::relative(script).string();
  const Result<ProcessEnd> end = run_process({relative}, options);
  ASSERT_TRUE(end) << end.error().cause;
  EXPECT_EQ(end->standard_output, "/\n");
}

TEST(Process, SetsVariablesOnTopOfOurs) {
  ProcessOptions options;
  options.environment = {{"HONE_TEST_NEW", "new"}, {"HOME", "changed"}};
  EXPECT_EQ(shell("echo $HONE_TEST_NEW $HOME; test -n \"$PATH\" && env | grep -c ^HOME=", options)
                ->standard_output,
            "new changed\n1\n");
}

TEST(Process, GivesItsInputAndThenTheEnd) {
  ProcessOptions options;
  options.input = std::string(5'000'000, 'x');
  EXPECT_EQ(run_process({"wc", "-c"}, options)->standard_output, "5000000\n");
  EXPECT_EQ(run_process({"wc", "-c"})->standard_output, "0\n");
}

TEST(Process, SurvivesAProgramThatIgnoresItsInput) {
  ProcessOptions options;
  options.input = std::string(5'000'000, 'x');
  EXPECT_TRUE(run_process({"true"}, options)->ok());
}

TEST(Process, ReadsMuchOutputOnBothStreamsWithoutBlocking) {
  const Result<ProcessEnd> end =
      shell("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; head -c 5 /dev/zero >&2");
  EXPECT_EQ(end->standard_output.size(), 3'000'000u);
  EXPECT_EQ(end->standard_error.size(), 3'000'005u);
}

TEST(Process, KeepsNoMoreOutputThanItsLimit) {
  ProcessOptions options;
  options.limits.output_bytes = 1000;
  const Result<ProcessEnd> end = shell("head -c 3000000 /dev/zero; exit 4", options);
  EXPECT_EQ(end->standard_output.size(), 1000u);
  EXPECT_EQ(end->exit_code, 4);
}

TEST(Process, StopsAtItsTimeLimit) {
  const auto start = Clock::now();
  const Result<ProcessEnd> end = shell("echo before; exec sleep 60", with_time(milliseconds(300)));
  EXPECT_TRUE(end->timed_out);
  EXPECT_FALSE(end->ok());
  EXPECT_EQ(end->standard_output, "before\n");
  EXPECT_GE(end->elapsed, milliseconds(300));
  EXPECT_LT(Clock::now() - start, seconds(20));
}

TEST(Process, EndsWhenItIsStopped) {
  std::atomic<bool> stop = false;
  ProcessOptions options;
  options.limits.stop = &stop;
  std::thread someone([&] { stop = true; });
  const Result<ProcessEnd> end = shell("exec sleep 600", options);
  someone.join();
  EXPECT_TRUE(end->stopped);
  EXPECT_FALSE(end->timed_out);
  EXPECT_FALSE(end->ok());
  EXPECT_EQ(end->describe(), "stopped");
}

TEST(Process, DescribesATimeLimitInSeconds) {
  ProcessEnd end;
  end.timed_out = true;
  end.signal = "SIGKILL";
  end.elapsed = milliseconds(2004);
  EXPECT_EQ(end.describe(), "stopped after 2.0 s (time limit)");
}

TEST(Process, TheTimeLimitKillsGrandchildrenToo) {
  const Result<ProcessEnd> end = shell("sleep 60 & echo $!; wait", with_time(milliseconds(300)));
  ASSERT_TRUE(end->timed_out);
  const std::string grandchild = end->standard_output.substr(0, end->standard_output.find('\n'));
  EXPECT_TRUE(ends_soon(grandchild)) << grandchild;
}

TEST(Process, TheTimeLimitHoldsForAProgramThatClosedItsStreams) {
  EXPECT_TRUE(shell("exec sleep 60 >&- 2>&-", with_time(milliseconds(300)))->timed_out);
}

TEST(Process, DoesNotWaitForAHelperThatHoldsTheOutput) {
  const auto start = Clock::now();
  const Result<ProcessEnd> end = shell("sleep 60 & echo $!; exit 5");
  EXPECT_LT(Clock::now() - start, seconds(20));
  EXPECT_EQ(end->exit_code, 5);
  EXPECT_FALSE(end->timed_out);
  const std::string helper = end->standard_output.substr(0, end->standard_output.find('\n'));
  EXPECT_TRUE(ends_soon(helper)) << helper;
}

TEST(Process, WaitsForAProgramThatClosedItsStreams) {
  EXPECT_EQ(shell("exec >&- 2>&-; sleep 0.2; exit 6")->exit_code, 6);
}

TEST(Process, HoldsItsMemoryLimit) {
  ProcessOptions options;
  options.limits.memory_bytes = std::uint64_t{64} << 20;
  const std::string script = "head -c 300000000 /dev/zero | tail -c 300000000 | wc -c";
  EXPECT_NE(shell(script, options)->standard_output, "300000000\n");
  EXPECT_EQ(shell(script)->standard_output, "300000000\n");
}

TEST(Process, MeasuresHowLongItRan) {
  const Result<ProcessEnd> end = shell("sleep 0.2");
  EXPECT_GE(end->elapsed, milliseconds(190));
}

TEST(Process, LeavesNoDescriptorOpen) {
  const auto count = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = count();
  EXPECT_TRUE(shell("true"));
  EXPECT_FALSE(run_process({"no-such-program"}));
  EXPECT_EQ(count(), before);
}

TEST(Process, HandsOnNoDescriptorButTheStandardStreams) {
  EXPECT_EQ(shell("ls /proc/self/fd | wc -l")->standard_output, "4\n")
      << "0, 1, 2 and the one ls opens";
}

TEST(Process, KeepsItsOwnSignalsAsTheyWere) {
  sigset_t before;
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  EXPECT_TRUE(shell("true"));
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
}

TEST(Process, WhatIsIgnoredStaysIgnoredInTheChild) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const Result<ProcessEnd> end = shell("kill -HUP $$; echo alive");
  std::signal(SIGHUP, before);
  EXPECT_EQ(end->standard_output, "alive\n");
}

TEST(Process, GivesTheChildAnUnignoredSigpipe) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const Result<ProcessEnd> end = shell("kill -PIPE $$; echo ignored");
  std::signal(SIGPIPE, before);
  EXPECT_EQ(end->signal, "SIGPIPE");
}

TEST(Process, KnowsItsOwnProgram) {
  const Result<Path> path = own_program();
  ASSERT_TRUE(path);
  EXPECT_TRUE(path->is_absolute());
  EXPECT_TRUE(std::filesystem::exists(*path));
}

}  // namespace
}  // namespace hone
