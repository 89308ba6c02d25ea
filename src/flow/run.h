#pragma once
// A model on inputs of the user's: what comes out.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flow/pictures.h"
#include "flow/watch.h"
#include "inspect/run/settle_shapes.h"
#include "record/run_report.h"
#include "record/where.h"

namespace hone {

struct RunOrder {
  std::string model;
  std::vector<std::string> inputs;  // "[NAME=]WHAT" (inspect/run/given_input.h)
  std::string input_data;           // .npz or folder, by the inputs' names
  bool makes_up_rest = false;       // from the seed
  std::string shape_config;
  std::int64_t samples = 0;  // 0: not said
  std::uint64_t seed = 0;
  bool may_lose = false;  // takes the nearest value where a type cannot hold all
  PictureOrder pictures;
  std::optional<ImageSize> image_size;
  std::optional<std::int64_t> sample_rate;
  std::string labels;            // a file; empty: those that come with the model
  std::int64_t top = 5;          // classes that are told of scores
  std::string output;            // an .npz; empty: outputs are not kept
  std::int64_t timeout_s = 300;  // of opening, and of each run
  Where where;
};

struct RunWatch {
  Watch watch{};
  std::function<void(const std::string& warning)> warn{};  // what ONNX Runtime logs
};

// Each sample runs in a worker. Fails (not_held) where the placement that was asked for is not got.
Result<RunReport> run_on_inputs(const RunOrder& order, const RunWatch& watch);

}  // namespace hone
