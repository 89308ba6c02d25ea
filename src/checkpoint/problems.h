#pragma once
// What is wrong with a checkpoint, gathered while its graph is written: a family reads forty
// switches and two hundred tensors, and whoever has to mend the checkpoint wants all of them at
// once. Nothing that is written is handed out while there is a problem.

#include <string>
#include <vector>

#include "base/result.h"

namespace hone {

class Problems {
 public:
  void add(std::string problem);
  bool any() const { return !said_.empty(); }
  const std::vector<std::string>& said() const { return said_; }
  // The failure: `what`, and the first of them.
  Failure failure(std::string what, std::string hint) const;

 private:
  std::vector<std::string> said_;
};

}  // namespace hone
