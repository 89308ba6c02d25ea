#pragma once
// Placement from ONNX Runtime's log. The assignment it records (runtime/placement.h) leaves out the
// nodes of EPs that transform the layout after they were given them: of 400 nodes of a model on
// WebGPU it tells 16. The verbose log of opening a session names all of them.

#include <memory>

#include "record/target.h"
#include "runtime/session.h"

namespace hone {

// Takes the lines of the log one by one.
class PlacementLog {
 public:
  void hear(std::string_view line);
  // What was heard; not known when the log said nothing about it.
  Placement placement(const std::string& own_ep) const;

 private:
  std::map<std::string, EpShare> shares_;
  EpShare* current_ = nullptr;
};

// The recorded placement when it covers the model, else the one of a second, verbose opening.
Placement whole_placement(const std::shared_ptr<Runtime>& runtime, const Path& model,
                          const SessionSettings& settings, Placement recorded);

}  // namespace hone
