#pragma once
// A small host for tests of the library: the real ONNX Runtime with the library registered, as any
// program would do it.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "base/result.h"
#include "ep/ort.h"

namespace hone::ep::testing {

struct Tensor {
  std::vector<std::int64_t> dims;
  int element = 1;
  std::string bytes;
  bool operator==(const Tensor&) const = default;
};
// Small distinct numbers, the same for every call.
Tensor floats(std::vector<std::int64_t> dims);
Tensor ints(std::vector<std::int64_t> values);
Tensor boolean(bool value);

using Feeds = std::map<std::string, Tensor>;

struct AssignedSubgraph {
  std::string ep;
  std::vector<std::string> nodes;
  bool operator==(const AssignedSubgraph&) const = default;
};

// A model, and how to open it. `ep` empty: the CPU alone.
struct Opening {
  std::string bytes{};  // of a model, or
  Path file{};          // where it is
  std::string ep{};
  DeviceType device = device_cpu;
  KeyValues options{};  // of the provider
  KeyValues config{};   // of the session
  OptimizationLevel level = optimize_all;
};

class Session {
 public:
  Result<std::vector<Tensor>> run(const Feeds& feeds);
  // Subgraphs in the order ONNX Runtime tells them; the CPU has one per node.
  std::vector<AssignedSubgraph> placement() const;
  // Those of one provider.
  std::vector<std::vector<std::string>> groups_on(const std::string& ep) const;

 private:
  friend class Host;
  explicit Session(Owned<OrtSession> session) : session_(std::move(session)) {}
  Owned<OrtSession> session_;
};

class Host {
 public:
  // Made once and kept to the end of the process: an environment that is destroyed while the
  // process ends may find its libraries gone.
  static Host& get();

  bool is_ready() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }
  const Ort& ort() const { return ort_; }

  const OrtEpDevice* device(const std::string& ep, DeviceType type) const;

  Result<Session> open(const Opening& opening);
  // Makes an EPContext model in `output` with the compile interface.
  Status compile(const Opening& opening, const Path& output, bool embeds);

  // Ends what get() began, in the order a host should: no session may be left.
  Status close();

  // All messages since the last call.
  std::string take_log();

 private:
  Host();
  Status load();
  Result<Owned<OrtSessionOptions>> make_options(const Opening& opening);
  Ort ort_;
  CompileApi compile_;
  OrtEnv* env_ = nullptr;
  std::string registration_;
  std::string why_not_;
};

// The model a text describes, in the form of a file.
std::string model_of(std::string_view text);

// This program once more, as a host that opens a session with these options ("crash=create") and
// runs it three times; "reached: ..." on standard error tells how far it came (main.cpp).
ProcessEnd run_child(const std::vector<std::string>& options, ProcessOptions process = {});

// The message of what was meant to fail.
template <class T>
std::string problem_of(const Result<T>& result) {
  return result ? "(it succeeded)" : result.error().what;
}

}  // namespace hone::ep::testing

// Without ONNX Runtime there is nothing to test; the reason is told.
#define HONE_NEEDS_ORT()                            \
  if (!::hone::ep::testing::Host::get().is_ready()) \
  GTEST_SKIP() << ::hone::ep::testing::Host::get().why_not()
