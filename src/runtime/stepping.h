#pragma once
// A session whose runs follow each other: what one run makes the next one takes, where it lies.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/session.h"

namespace hone {

class Stepping {
 public:
  // REQUIRES that the session outlives it. Outputs stay where the EP makes them, but for those that
  // are named: they are on the host. All of them are where the runtime does not tell (before 1.23).
  static Result<Stepping> open(const Session& session, const std::vector<std::string>& on_host);

  // Binds an input until the next take() of it. A value of this session's outputs is not copied;
  // one of the host is, where the EP wants it elsewhere. REQUIRES: its memory lives until then.
  Status take(const std::string& input, const ort::OrtValue& value);
  Status run();
  // Of the last run, in the order of the session's outputs; who moves one out has it.
  std::vector<Owned<ort::OrtValue>>& made() { return made_; }

 private:
  Stepping(const Session& session, Owned<ort::OrtIoBinding> binding,
           Owned<ort::OrtRunOptions> run_options);
  Status find_places(const std::vector<std::string>& on_host);
  Status collect();

  const Session* session_;
  Owned<ort::OrtIoBinding> binding_;
  Owned<ort::OrtRunOptions> run_options_;
  Owned<ort::OrtMemoryInfo> host_;
  std::vector<const ort::OrtMemoryInfo*> places_;  // of each output
  std::vector<Owned<ort::OrtValue>> made_;
};

// The same rows in another order, some of them several times: along the first axis. The value has
// to be on the host.
Result<Owned<ort::OrtValue>> pick_rows(const Runtime& runtime, const ort::OrtValue& value,
                                       std::span<const std::size_t> rows);

}  // namespace hone
