#pragma once
// A worker: a process of its own that opens one session and runs blocks on command. What crashes or
// hangs there ends the worker, not us; how it ended is a value.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "base/conversation.h"
#include "base/json.h"
#include "record/run_plan.h"
#include "record/worker.h"

namespace hone {

struct WorkerLimits {
  std::chrono::milliseconds open{300'000};  // opening may compile for an NPU
  std::chrono::milliseconds block{120'000};
  std::chrono::milliseconds probe{30'000};  // loading libraries, listing devices
  std::uint64_t memory_bytes = 0;           // 0: none
  // Whatever it does, it is ended here: at this moment, and once this is true.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* stop = nullptr;
};

// A block of runs: first those that are not kept, then up to `iterations`, fewer when `time` has
// passed before (but at least one).
struct BlockPlan {
  std::int64_t iterations = 1;
  std::int64_t warmup = 0;
  std::chrono::nanoseconds time = std::chrono::nanoseconds::max();
};

// One model to compile: the worker goes to `folder` first, from which the plan's paths are seen.
struct CompileOrder {
  RunPlan plan;
  Path folder;
  Path output;
  bool embeds = false;
};

// The parent's side.
class Worker {
 public:
  // Starts `program worker` (see own_program()) in `folder`; empty: here. Environment entries are
  // set on top of ours.
  static Result<Worker> start(
      const Path& program, const WorkerLimits& limits,
      const std::vector<std::pair<std::string, std::string>>& environment = {},
      const Path& folder = {});

  // Its number: whose folder of /proc it is.
  int process_id() const { return conversation_.process_id(); }
  // Opens the session and runs it once. What was open is closed first, and nothing is open when
  // this fails.
  Result<WorkerOpened> open(const RunPlan& plan);
  Result<WorkerBlock> run(const BlockPlan& plan);
  // Opens the session without samples and without a run: answer() brings them.
  Result<WorkerOpened> open_session(const RunPlan& plan);
  // One run on the arrays of an .npz, one per input; what comes out is written as another.
  Result<WorkerAnswered> answer(const Path& inputs, const Path& outputs);
  // Opens the plan's model to be tried (see Trial), and runs it once on inputs of the given shapes.
  Status open_trial(const RunPlan& plan);
  Status try_inputs(const std::string& shape_config);
  // Compiles models ahead of time, one after the other in one ONNX Runtime, so that an EP can share
  // what it made; how long each took, in milliseconds.
  Result<std::vector<double>> compile(const std::vector<CompileOrder>& orders);
  // Writes the outputs of one sample as .npz.
  Status save_outputs(std::int64_t sample, const Path& file);
  // Destroys the session: what EPs write only then (profiles) is on disk afterwards.
  Status close();
  // Loads the plan's runtime, registers its plugin libraries and says what there is, without risk
  // to us.
  Result<WorkerProbed> probe(const RunPlan& plan);
  // Loads a shared library by path or name and says where the loader found it.
  Result<Path> find_library(const std::string& path_or_name);
  // The worker ended, or was stopped, instead of answering.
  bool is_gone() const { return is_gone_; }

 private:
  Worker(Conversation conversation, WorkerLimits limits)
      : conversation_(std::move(conversation)), limits_(limits) {}
  // `doing` goes behind what the worker died of: "while running the model".
  Result<Json> ask(const Json& request, std::chrono::milliseconds patience,
                   const std::string& doing);
  Conversation conversation_;
  WorkerLimits limits_;
  bool is_gone_ = false;
};

// Sends one line of JSON to the parent.
using WorkerLine = std::function<void(const Json& line)>;
// What a worker does besides sessions, by request: the answer, after as many lines as it likes.
using WorkerJob = std::function<Result<Json>(const Json& request, const WorkerLine& tell)>;

// The child's side: answers requests from `input` on `output` until the input ends; {"do": "job"}
// goes to `job`. Standard output must already have been moved out of the way of EPs that print.
int serve_worker(int input, int output, const WorkerJob& job);

}  // namespace hone
