#pragma once
// The command that does the same as an order, for people who repeat a climb. It is shown, and held
// against what others show; nothing of hone is started by it.

#include <string>
#include <vector>

#include "flow/compare.h"
#include "flow/eval.h"
#include "flow/inspect.h"
#include "flow/perf.h"

namespace hone {

using Words = std::vector<std::string>;

// "perf", "model.onnx", "--iterations", ...: of what a climb asks for, no more.
Words words_of(const InspectOrder& order);
Words words_of(const PerfOrder& order);
Words words_of(const CompareOrder& order);
Words words_of(const ParityOrder& order);
Words words_of(const DataOrder& order);
Words words_of(const TaskOrder& order);

// What is shown beside a bundle in the place of a folder of ours.
struct Renamed {
  std::string path;
  std::string name;
};
// "hone perf work/build/model.onnx ...", as a shell takes it.
std::string command_of(Words words, const std::vector<Renamed>& names);

}  // namespace hone
