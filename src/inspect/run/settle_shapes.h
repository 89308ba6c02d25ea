#pragma once
// The shapes of inputs that do not bring their own: pictures, values and what is made up.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "inspect/eval/image_file.h"
#include "record/run_plan.h"
#include "runtime/close_inputs.h"
#include "runtime/samples.h"

namespace hone {

struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

struct ShapeRequest {
  RunPlan plan;  // of workers that try sizes
  Path program;
  std::vector<Port> ports;
  InputFacts facts;
  ShapeRules said;                 // by the user
  std::set<std::string> pictures;  // inputs that get one
  std::optional<ImageSize> image_size{};
};

struct SettledShapes {
  ShapeRules rules{};  // close everything
  std::map<std::string, std::vector<std::int64_t>> shapes{};
  std::map<std::string, ImageLayout> layouts{};  // of pictures
  std::vector<std::string> notes{};              // what was assumed, and what did not run
};

// What the model declares, what the user says, what follows from inputs that are there, what the
// graph says; where that leaves something open, sizes that are usual are tried until one runs.
Result<SettledShapes> settle_shapes(const ShapeRequest& request, const Sample& given);

// The port with the sizes that the user says of its open dimensions.
Port close_port(Port port, const ShapeRules& rules);

}  // namespace hone
