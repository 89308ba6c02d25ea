#pragma once
// What happens on Ctrl-C, SIGTERM and SIGHUP: files that are half written go, then the process ends
// by that very signal, so that a shell or a supervisor sees what ended it (130 after Ctrl-C).

#include <atomic>

namespace hone::app {

// Also makes a reader that went away an error of write() instead of a silent end (SIGPIPE).
void clean_up_when_interrupted();

// For work that ends by itself at the next good moment: the first Ctrl-C or SIGTERM only sets what
// this returns, whichever comes second is as above.
const std::atomic<bool>& stop_when_interrupted();

// What the work does when it has ended by itself and told what it has: ends the process by the
// signal that was noted. Returns where there was none.
void end_if_interrupted();

}  // namespace hone::app
