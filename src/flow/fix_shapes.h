#pragma once
// A model with static shapes, from what a user says to the file.

#include "flow/watch.h"
#include "record/fix_shapes.h"
#include "record/where.h"

namespace hone {

struct FixShapesOrder {
  std::string model;  // a file, or a folder with one
  std::string output;
  bool overwrite = false;
  std::string shape_config;
  std::string input_data;  // to check it on; empty: seeded
  std::uint64_t seed = 0;
  Where where;  // the host; shapes are the same everywhere
};

// Writes the model once it was seen to compute the same bytes.
Result<FixShapesReport> fix_shapes_of_model(const FixShapesOrder& order, const Watch& watch);

}  // namespace hone
