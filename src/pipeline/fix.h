#pragma once
// Finds a small set of nodes to keep in float so that a quantized model reaches a score. Every step
// is a model that was made and run; nothing is predicted.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "record/fix.h"
#include "transform/quantize/quantize.h"

namespace hone {

// Of a model file; the larger, the better.
using Score = std::function<Result<double>(const Path& model)>;

struct FixPlan {
  QuantizeRequest quantize;  // model, recipe, samples; output and exclusions are filled in here
  std::string score_name;
  std::string scored_on;  // where, if not on the CPU EP as it ships: what was tried there counts
  Score score;
  double target = 0;
  // By which nodes are ranked: one that moves with every node, as decibels do. A share of right
  // answers does not.
  Score rank_score;
  // The same score on data that chose nothing: the fewest nodes that reach the target there too.
  // Empty: there is no such data.
  Score held_out_score;
  double held_out_target = 0;
  // Nodes by name, the likeliest first. The first `most_alone` are tried one by one.
  std::vector<std::string> candidates;
  // Nodes that go to float together with a candidate. In half precision a tensor that does not fit
  // is a matter of all who make and read it: one node alone in float hands it on in half.
  std::map<std::string, std::vector<std::string>> companions;
  std::size_t most_alone = 256;
  Path journal;  // what was tried is kept here; empty: nowhere
  Path folder;   // for the models that are tried
  QuantizeTools tools;
  std::function<void(const std::string& step)> progress = [](const std::string&) {};
};

// Whether the plan is of half precision.
bool is_of_halves(const FixPlan& plan);

// In half precision what has no room in a tensor is kept in float by all who touch it: fills the
// companions. Nothing is tried alone then: what debug saw of a node is what it does alone.
void keep_together(const Model& model, FixPlan& plan);

// Nodes that the plan's quantization would take, in the order of the graph. In half precision those
// that hold no floats are among them: they stay what they are.
Result<std::vector<std::string>> quantized_nodes(const FixPlan& plan);

// 1. Each candidate alone quantized: how much does rank_score lose? 2. The most harmful ones in
// float, more and more of them, until the target is reached. 3. Those that are not needed go back,
// one at a time. 4. The smallest of the sets that reach the target has to reach it on held-out data
// as well, else the next larger one. A target that is not reached gives the best set that was seen.
Result<FixResult> find_fix(const FixPlan& plan);

// How a model is run that is to be scored: as it ships, with ONNX Runtime's optimizations, on the
// CPU EP or where the settings say; or in floats, rounded to half at the border of every tensor.
struct ScoredRun {
  bool rounds_halves = false;
  SessionSettings settings{};
};
Result<Session> open_scored(const std::shared_ptr<Runtime>& runtime, const Path& file,
                            const ScoredRun& how);

// The least SQNR of an output against the float model's, in dB, over samples that are run now. The
// float model runs on the CPU EP.
Result<Score> score_by_sqnr(const std::shared_ptr<Runtime>& runtime, const Path& float_model,
                            std::vector<Sample> samples, const ScoredRun& how = {});

// {"float_nodes": [...]}, which `hone quantize --overrides` takes. Names stand for themselves.
Status write_fix(const Path& file, const std::vector<std::string>& float_nodes);

}  // namespace hone
