#pragma once
// A model said in the operators of another opset, as a file of its own.

#include <string>

#include "base/result.h"
#include "record/convert.h"
#include "record/where.h"

namespace hone {

struct ConvertOrder {
  std::string model;  // a file, or a folder with one
  std::string output;
  bool overwrite = false;
  std::int64_t opset = 0;
  std::string external_data{};  // keep, inline, or the name of a data file; empty: by size
  Host host{};                  // whose cache has what checkpoints were exported to
};

Result<ConvertedModel> convert_model(const ConvertOrder& order);

}  // namespace hone
