#include "app/interrupt.h"

#include <csignal>
#include <cstdio>

#include "base/unfinished_files.h"

namespace hone::app {
namespace {

void end_by(int signal_number) {
  remove_unfinished_files();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

std::atomic<bool> is_interrupted = false;
std::atomic<int> noted_signal = 0;

void note_once(int signal_number) {
  noted_signal = signal_number;
  is_interrupted = true;
  // A signal that is ignored from outside stays ignored.
  for (const int other : {SIGINT, SIGTERM})
    if (std::signal(other, end_by) == SIG_IGN) std::signal(other, SIG_IGN);
}

}  // namespace

const std::atomic<bool>& stop_when_interrupted() {
  for (const int signal_number : {SIGINT, SIGTERM}) {
    if (std::signal(signal_number, note_once) == SIG_IGN) std::signal(signal_number, SIG_IGN);
  }
  return is_interrupted;
}

void end_if_interrupted() {
  if (!is_interrupted) return;
  std::fflush(stdout);
  std::fflush(stderr);
  end_by(noted_signal);
}

void clean_up_when_interrupted() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    // A signal that is ignored from outside (nohup) stays ignored.
    if (std::signal(signal_number, end_by) == SIG_IGN) std::signal(signal_number, SIG_IGN);
  }
}

}  // namespace hone::app
