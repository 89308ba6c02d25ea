#pragma once
// Finds a small set of nodes to keep in float so that a quantized model reaches a score. Every step
// is a model that was made and run; nothing is predicted.

#include <functional>
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
  std::size_t most_alone = 256;
  Path journal;  // what was tried is kept here; empty: nowhere
  Path folder;   // for the models that are tried
  QuantizeTools tools;
  std::function<void(const std::string& step)> progress = [](const std::string&) {};
};

// Nodes that the plan's quantization would take, in the order of the graph.
Result<std::vector<std::string>> quantized_nodes(const FixPlan& plan);

// 1. Each candidate alone quantized: how much does rank_score lose? 2. The most harmful ones in
// float, more and more of them, until the target is reached. 3. Those that are not needed go back,
// one at a time. 4. The smallest of the sets that reach the target has to reach it on held-out data
// as well, else the next larger one. A target that is not reached gives the best set that was seen.
Result<FixResult> find_fix(const FixPlan& plan);

// The least SQNR of an output against the float model's, in dB, over samples that are run now. The
// quantized model runs as it ships: with ONNX Runtime's optimizations, on the CPU EP.
Result<Score> score_by_sqnr(const std::shared_ptr<Runtime>& runtime, const Path& float_model,
                            std::vector<Sample> samples);

// {"float_nodes": [...]}, which `hone quantize --overrides` takes. Names stand for themselves.
Status write_fix(const Path& file, const std::vector<std::string>& float_nodes);

}  // namespace hone
