#pragma once
// Compiling a model ahead of time for an EP: in a worker, checked by loading and running it, kept
// in a cache by everything that decides its bytes.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/compile.h"
#include "runtime/worker.h"

namespace hone {

struct CompileJob {
  RunPlan run;  // model, target, libraries, options, samples
  Path output;
  bool embeds = false;
  bool overwrite = false;
  bool verifies = true;
  std::optional<Path> cache;  // its folder; nothing: none is used
  Path program;               // whose `worker` command is started
  WorkerLimits limits;
  std::vector<std::pair<std::string, std::string>> environment;
  std::function<void(const std::string& step)> progress = [](const std::string&) {};
};

// What compiling here would be done with. `model` stays empty.
Result<CompileIdentity> identity_here(const CompileJob& job);

// Writes the compiled model and its blobs, the model last. Fails, and writes nothing, when the EP
// compiles no node, or the result does not load and run, or computes something else than the source
// on the same target.
Result<CompileReport> compile_ahead(const CompileJob& job);

// Several models for one target, compiled one after the other in one process with shared contexts:
// what the EP finds in more than one of them it stores once. All of them are written or none.
// REQUIRES: jobs that differ in model and output only, at least one.
Result<std::vector<CompileReport>> compile_together(const std::vector<CompileJob>& jobs);

}  // namespace hone
