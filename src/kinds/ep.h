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
  library,        // the system's loader finds it under one of the names
  plugin,         // its own library, which is registered: in a folder that was named for such
                  // ($HONE_EP_PATH), or beside ONNX Runtime
  file,           // a file with one of the names; a '*' in the last part stands for anything
  vulkan_driver,  // likewise, and a manifest of a Vulkan driver that starts without a display
  device,         // a device node, named like a file, that this user may open
  variable,       // an environment variable that leads to something that exists
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

// A provider option of a try, with a value that is not its default: the baseline has those.
struct EpSetting {
  std::string_view name;
  std::string_view value;
};

// What may decide about speed on the EP: options, a precision, or both together where they need
// each other. A precision that is slower by itself may be the fastest in the layout it wants, so
// such a mix is tried at once and not after each of its parts has won. Gain, chance and cost are
// rough: they order tries, and measuring decides.
struct EpTry {
  std::string_view device;           // on which; empty: any
  std::vector<EpSetting> options{};  // provider options
  std::string_view precision{};      // what the model is brought to besides; empty: as it is
  std::string_view acts_on{};        // an op type without which it does nothing; empty: none
  std::string_view reason;
  double gain = 0.2;    // the share of the time that it would save
  double chance = 0.3;  // that it does
  double cost = 1;      // of finding out, as a multiple of what another session takes

  double promise() const { return gain * chance / cost; }
};

// Where the EP stands among those that `--device CLASS` without `--ep` tries: the lowest place that
// works on a machine is taken. A class without a place is given to nobody who did not name the EP.
struct EpPlace {
  std::string_view device;
  int place = 0;
};

// What the EP's library or ONNX Runtime is known to say when something usual is wrong.
struct EpFailure {
  std::string_view says;  // a part of it, word for word
  std::string_view what;  // the name of the check that the doctor adds
  std::string_view why;   // what it means; <<runtime>> and <<library>> stand for their versions
  std::string_view hint;
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
  std::vector<EpPlace> places{};          // of those classes
  // Those of them on which it takes no dimension that is open when a model is opened.
  std::vector<std::string_view> static_shapes_on{};
  bool comes_with_hone = false;  // libhone_ep.so holds it
  std::string_view origin;       // where it comes from when the runtime has none
  std::vector<EpNeed> needs{};
  std::vector<EpFailure> failures{};
  EpRecipe recipe{};
  // What a search tries on it, the most promising first.
  std::vector<EpTry> tries{};
  // Nodes that it takes are computed by the session's own threads.
  bool uses_session_threads = false;
  std::vector<EpSweepTarget> sweep{};
  // The option that, at 1, captures a run on the device and replays it from then on.
  std::string_view graph_option{};
  // Whether a node is over when its call returns, so that the host's time is the node's. Where it
  // is not, a monitor has the device's times, or a trace has the host's under that name.
  bool is_synchronous = false;
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
// Those with a place in the class, the first choice first.
std::vector<const Ep*> eps_for(std::string_view device);
// Whether the EP has that class of device (cpu, gpu, npu).
bool runs_on(const Ep& ep, std::string_view device);
// The file names of its own library; none for an EP that is in ONNX Runtime or nowhere.
std::vector<std::string_view> plugin_files(const Ep& ep);

namespace eps {
#define HONE_EP(name) Ep name();
#include "kinds/eps.inc"
#undef HONE_EP
}  // namespace eps

}  // namespace hone
