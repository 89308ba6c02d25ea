#pragma once
// What a worker process answers. One JSON line each.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fault.h"
#include "record/fields.h"
#include "record/target.h"

namespace hone {

// After a session was opened and has run once.
struct WorkerOpened {
  std::string ort_version;
  std::string device;     // cpu, gpu or npu; empty: the EP does not tell
  double runtime_ms = 0;  // loading the library and the EPs
  double load_ms = 0;     // opening the session
  double first_inference_ms = 0;
  Placement placement;
  std::int64_t batch = 1;
  std::vector<std::string> assumptions;
  std::vector<std::string> wrong_outputs;  // not of the declared shape, a sentence each
  std::uint64_t memory_before_bytes = 0;   // resident, before the session
  std::uint64_t memory_loaded_bytes = 0;   // after it was opened
  std::vector<std::string> warnings;       // what ONNX Runtime logged meanwhile
};
template <RecordOf<WorkerOpened> Self>
void for_each_field(Self& opened, auto&& field) {
  field("ort_version", opened.ort_version);
  field("device", opened.device);
  field("runtime_ms", opened.runtime_ms);
  field("load_ms", opened.load_ms);
  field("first_inference_ms", opened.first_inference_ms);
  field("placement", opened.placement);
  field("batch", opened.batch);
  field("assumptions", opened.assumptions);
  field("wrong_outputs", opened.wrong_outputs);
  field("memory_before_bytes", opened.memory_before_bytes);
  field("memory_loaded_bytes", opened.memory_loaded_bytes);
  field("warnings", opened.warnings);
}

// What a runtime offers once the plan's plugin libraries are registered.
struct WorkerProbed {
  std::string ort_version;
  std::string ort_path;                   // where the loader found it
  std::vector<std::string> built_in_eps;  // their own names; being listed is no promise
  std::vector<Device> devices;
};
template <RecordOf<WorkerProbed> Self>
void for_each_field(Self& probed, auto&& field) {
  field("ort_version", probed.ort_version);
  field("ort_path", probed.ort_path);
  field("built_in_eps", probed.built_in_eps);
  field("devices", probed.devices);
}

// One block of runs, every one of them.
struct WorkerBlock {
  std::vector<std::uint64_t> samples_ns;  // in the order in which they ended
  std::uint64_t elapsed_ns = 0;           // of the block: less than their sum where streams run
};
template <RecordOf<WorkerBlock> Self>
void for_each_field(Self& block, auto&& field) {
  field("samples_ns", block.samples_ns);
  field("elapsed_ns", block.elapsed_ns);
}

// One output of a run from file to file.
struct WorkerOutput {
  std::string name;
  std::string type;  // of its elements; empty: it is no tensor
  // The type it has in the file, where NumPy has none of its own for it.
  std::optional<std::string> saved_as;
  std::optional<std::string> not_saved;  // why it is not in the file
  std::uint64_t entries = 0;             // of a sequence or a map
};
template <RecordOf<WorkerOutput> Self>
void for_each_field(Self& output, auto&& field) {
  field("name", output.name);
  field("type", output.type);
  field("saved_as", output.saved_as);
  field("not_saved", output.not_saved);
  field("entries", output.entries);
}

struct WorkerAnswered {
  std::vector<WorkerOutput> outputs;  // in the model's order
};
template <RecordOf<WorkerAnswered> Self>
void for_each_field(Self& answered, auto&& field) {
  field("outputs", answered.outputs);
}

}  // namespace hone
