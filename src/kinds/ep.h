#pragma once
// EPs as plain facts: what each is called, runs on, needs, and is given when the user leaves it to
// us. An EP is one file in eps/ that returns an Ep, and one line in eps.inc; names, the doctor,
// recipes, hypotheses, sweeps, tracing, help and docs/eps.md are derived from it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

enum class NeedKind {
  library,         // the system's loader finds it under one of the names
  beside_runtime,  // a file in the folder of ONNX Runtime, which is registered as a plugin
  file,            // a file with one of the names; a '*' in the last part stands for anything
  device,          // a device node, named like a file, that this user may open
  variable,        // an environment variable that leads to something that exists
};

// What an EP needs around it on Linux. runtime/ep_doctor.h looks at a machine with it.
struct EpNeed {
  NeedKind kind;
  std::string_view what;                       // "NVIDIA driver"
  std::vector<std::string_view> names;         // one of them is enough
  std::string_view hint;                       // what to do when there is none
  std::string_view only_for = {};              // "the NPU"; empty: the EP does not work without
  std::vector<std::string_view> instead = {};  // variables that name the files to look at instead
};

// What a model is given for the EP when nothing else is said.
struct EpRecipe {
  std::string_view preset = "ort";  // of `hone quantize`
  bool compiles_ahead = false;      // it makes compiled models (EPContext) ahead of time
  bool quantizes_itself = false;    // it is given the float model
};

// A provider option that may decide about speed, with a value worth a try. Defaults are not among
// them: the baseline has them.
struct EpOption {
  std::string_view device;  // on which; empty: any
  std::string_view name;
  std::string_view value;
  std::string_view reason;
};

// A target that every sweep is over unless it is told others.
struct EpSweepTarget {
  std::string_view label;  // for ever: it is a part of versions, and read by others
  std::string_view device;
  int place = 0;  // in the order in which a sweep reports them
};

struct Ep {
  std::string_view name;      // what people type and recipes hold: "qnn"
  std::string_view own_name;  // ONNX Runtime's: "QNNExecutionProvider"
  std::string_view title;     // as its makers write it: "QNN"
  std::string_view summary;   // whose devices it runs on; at most 72 characters, no full stop
  std::vector<std::string_view> aliases{};  // what people type besides
  // What SessionOptionsAppendExecutionProvider calls it, where it may be built in and offer no
  // devices; empty when that takes none.
  std::string_view append_name{};
  std::vector<std::string_view> devices;  // its classes (cpu, gpu, npu), the usual one first
  bool comes_with_hone = false;           // libhone_ep.so holds it
  std::string_view origin;                // where it comes from when the runtime has none
  std::vector<EpNeed> needs{};
  EpRecipe recipe{};
  std::vector<EpOption> options{};
  std::vector<EpSweepTarget> sweep{};
  // How it is traced and proven to have worked, by the names of measure/monitors.inc. Without a
  // tracer among them it is traced by ONNX Runtime's own profiler.
  std::vector<std::string_view> monitors{};
  std::vector<std::string_view> hazards{};  // what is known to go wrong, a clause each
};

// In the order in which EPs are listed.
std::span<const Ep> all_eps();
// By its name, an alias or ONNX Runtime's name, in capitals or not; null for an EP of somebody
// else's library.
const Ep* find_ep(std::string_view name);
// Their names, in the order of the table.
std::vector<std::string> ep_names();

namespace eps {
#define HONE_EP(name) Ep name();
#include "kinds/eps.inc"
#undef HONE_EP
}  // namespace eps

}  // namespace hone
