#include "app/interrupt.h"

#include <csignal>

#include "base/unfinished_files.h"

namespace hone::app {
namespace {

void end_by(int signal_number) {
  remove_unfinished_files();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

std::atomic<bool> is_interrupted = false;

void note_once(int signal_number) {
  is_interrupted = true;
  std::signal(signal_number, end_by);
}

}  // namespace

const std::atomic<bool>& stop_when_interrupted() {
  for (const int signal_number : {SIGINT, SIGTERM}) {
    if (std::signal(signal_number, note_once) == SIG_IGN) std::signal(signal_number, SIG_IGN);
  }
  return is_interrupted;
}

void clean_up_when_interrupted() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    // A signal that is ignored from outside (nohup) stays ignored.
    if (std::signal(signal_number, end_by) == SIG_IGN) std::signal(signal_number, SIG_IGN);
  }
}

}  // namespace hone::app
