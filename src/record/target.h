#pragma once
// Where a model runs: the target as asked for, the devices a runtime offers, the EPs it knows, and
// where the nodes of a session ended up.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

// One EP on one device class with its options.
struct Target {
  std::string ep = "cpu";  // the short name: cpu, qnn, webgpu, sim, ... or a library's own EP name
  std::string device = "auto";  // cpu, gpu, npu or auto
  std::map<std::string, std::string> options;
};
template <RecordOf<Target> Self>
void for_each_field(Self& target, auto&& field) {
  field("ep", target.ep, Presence::required);
  field("device", target.device);
  field("options", target.options);
}

// One EP on one piece of hardware, as the runtime reports it.
struct Device {
  std::string ep;  // the EP's own name, e.g. CPUExecutionProvider
  std::string ep_vendor;
  std::string type;  // cpu, gpu or npu
  std::string hardware_vendor;
  std::uint64_t vendor_id = 0;
  std::uint64_t device_id = 0;
  std::map<std::string, std::string> metadata;    // of EP and hardware
  std::map<std::string, std::string> ep_options;  // what the EP would set by itself
  bool operator==(const Device&) const = default;
};
template <RecordOf<Device> Self>
void for_each_field(Self& device, auto&& field) {
  field("ep", device.ep);
  field("ep_vendor", device.ep_vendor);
  field("type", device.type);
  field("hardware_vendor", device.hardware_vendor);
  field("vendor_id", device.vendor_id);
  field("device_id", device.device_id);
  field("metadata", device.metadata);
  field("ep_options", device.ep_options);
}

// primary: usable here. failed: it is there but cannot be used, for `reason`. absent: this runtime
// has none of it.
enum class EpState { primary, failed, absent };
constexpr auto enum_names(EpState) {
  return std::to_array<EnumName<EpState>>(
      {{EpState::primary, "primary"}, {EpState::failed, "failed"}, {EpState::absent, "absent"}});
}

struct EpStatus {
  std::string name;  // the short name
  EpState state = EpState::absent;
  std::string reason;
  std::string library;                    // the plugin library, empty for built-in ones
  std::vector<std::string> device_types;  // of the devices it offers here
};
template <RecordOf<EpStatus> Self>
void for_each_field(Self& status, auto&& field) {
  field("name", status.name);
  field("status", status.state);
  field("reason", status.reason);
  field("library", status.library);
  field("device_types", status.device_types);
}

// The nodes one EP got.
struct EpShare {
  std::string ep;  // the short name
  std::uint64_t nodes = 0;
  std::uint64_t subgraphs = 0;
  std::map<std::string, std::uint64_t> op_counts;
};
template <RecordOf<EpShare> Self>
void for_each_field(Self& share, auto&& field) {
  field("ep", share.ep);
  field("nodes", share.nodes);
  field("subgraphs", share.subgraphs);
  field("op_counts", share.op_counts);
}

struct Placement {
  bool known = false;
  std::string reason;           // why it is not known
  std::vector<EpShare> shares;  // the target's own EP first

  std::uint64_t total_nodes() const {
    std::uint64_t total = 0;
    for (const EpShare& share : shares) total += share.nodes;
    return total;
  }
  // The part of all nodes that `ep` got, 0 to 1; nothing when placement is not known.
  std::optional<double> share_of(const std::string& ep) const {
    if (!known || total_nodes() == 0) return std::nullopt;
    for (const EpShare& share : shares) {
      if (share.ep == ep)
        return static_cast<double>(share.nodes) / static_cast<double>(total_nodes());
    }
    return 0.0;
  }
};
template <RecordOf<Placement> Self>
void for_each_field(Self& placement, auto&& field) {
  field("known", placement.known);
  field("reason", placement.reason);
  field("shares", placement.shares);
}

// "placement: qnn 412 nodes in 3 subgraphs, cpu 7 (Softmax x3, ...)": one line, in every command
// that runs a model.
std::string describe(const Placement& placement);

}  // namespace hone
