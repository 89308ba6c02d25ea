#pragma once
// A child process that is talked to: one line there, one line back. Its end, at any moment and in
// any way, is a value.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/result.h"

namespace hone {

class Conversation {
 public:
  // options.input is not used. options.limits.time is the limit of the whole conversation, counted
  // while waiting.
  static Result<Conversation> start(const std::vector<std::string>& arguments,
                                    const ProcessOptions& options = {});
  Conversation(Conversation&&) noexcept;
  Conversation& operator=(Conversation&&) noexcept;
  // Kills what is still running.
  ~Conversation();

  // The child's number: whose folder of /proc it is.
  int process_id() const;
  // Sends one line. A child that is gone is no error here: the next ask for an answer says how it
  // ended.
  void say(std::string_view line);
  // The next line of its standard output. Fails with Fault::timeout when `patience` is over (the
  // child is then killed), and with Fault::runtime when the child has ended: `what` says how
  // ("killed by SIGSEGV"), `cause` holds the end of what it wrote to standard error. Once `stop` is
  // true the child is killed at once, which is a failure like its end.
  Result<std::string> hear(std::chrono::milliseconds patience,
                           const std::atomic<bool>* stop = nullptr);
  // Closes its input and waits; after `patience` it is killed.
  ProcessEnd finish(std::chrono::milliseconds patience);

 private:
  struct State;
  explicit Conversation(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone
