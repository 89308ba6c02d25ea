#pragma once
// Compiled groups as EPContext nodes: made from a nested model, and opened again. What is stored is
// a line of JSON that says for which device and how, and the nested model behind it.

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "ep/graph.h"
#include "ep/provider.h"
#include "ep/sim/profile.h"
#include "ep/sim/trace.h"

namespace hone::ep::sim {

// Of the stored form; a context with another number is refused.
inline constexpr std::int64_t context_format = 1;

struct ContextHeader {
  std::int64_t format = context_format;
  Json device;                      // identity() of the profile it was compiled with
  std::vector<std::string> inputs;  // of the nested model, in the order of the node's
  std::vector<std::string> outputs;
  std::vector<TracedOp> ops;
  std::uint64_t model_bytes = 0;
  std::string partition{};  // the node it stands for, by which it is found among those of a file
};
template <RecordOf<ContextHeader> Self>
void for_each_field(Self& header, auto&& field) {
  field("format", header.format, Presence::required);
  field("device", header.device, Presence::required);
  field("inputs", header.inputs, Presence::required);
  field("outputs", header.outputs, Presence::required);
  field("ops", header.ops, Presence::required);
  field("model_bytes", header.model_bytes, Presence::required);
  field("partition", header.partition);
}

struct Context {
  ContextHeader header;
  std::string model;
};

// What the session was asked to make, from its `ep.context_*` entries.
struct ContextWish {
  bool is_wanted = false;
  bool embeds = false;
  bool shares = false;  // contexts of several models go into one file
  Path file;            // of the compiled model; empty when it has none
};
ContextWish read_wish(const KeyValues& config);

// The node to stand in the compiled model. Without embedding, the context becomes a file beside it.
Result<Owned<OrtNode>> make_context_node(const Ort& ort, const CompileRequest& group,
                                         const ContextWish& wish, Context context);

bool is_context_node(const GraphNode& node);
// The context of such a node, if it was compiled for this very device.
Result<Context> load_context(const Ort& ort, const CompileRequest& group, const GraphNode& node,
                             const ContextWish& wish, const Profile& profile);

// The bytes of a context, and back. Several may stand one behind the other; the one of that
// partition is taken, or the only one where no name is given.
std::string pack(const Context& context);
Result<Context> unpack(std::string_view bytes, const Profile& profile,
                       std::string_view partition = {});

// What a compiled model says about itself, and how well that suits a device.
std::string compatibility(const Profile& profile);
CompiledModelCompatibility judge_compatibility(DeviceType device, const std::string& text);

}  // namespace hone::ep::sim
