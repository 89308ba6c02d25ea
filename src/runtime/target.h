#pragma once
// From the target a user asked for to the device a session is opened on.

#include <string>
#include <vector>

#include "record/target.h"
#include "record/worker.h"
#include "runtime/runtime.h"

namespace hone {

// "qnn/npu", "cpu".
std::string describe(const Target& target);

// The devices that fit the target, best first. Fails with what was asked for and what there is.
Result<std::vector<EpDevice>> find_devices(const Runtime& runtime, const Target& target);

// The same by what a worker found (Worker::probe); none, and no failure, for an EP that is built in
// and opened by its name alone.
Result<std::vector<Device>> offered_devices(const WorkerProbed& probed, const Target& target);

// Adds the target's EP, bound to its device with its options, to session options. The CPU EP needs
// no adding.
Status append_target(const Runtime& runtime, ort::OrtSessionOptions* options, const Target& target);

}  // namespace hone
