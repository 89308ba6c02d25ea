#pragma once
// Compiled models: what they were made of and for, and what making one gave.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/optimize.h"
#include "record/target.h"

namespace hone {

inline constexpr std::int64_t compile_schema_version = 1;

// Everything that decides the bytes of a compiled model; its hash is the key of the cache. It
// travels inside the compiled model, so that a stale or foreign one can be told.
struct CompileIdentity {
  std::string model;  // content fingerprint of the source
  std::string ort_version;
  std::string ep;          // the short name
  std::string ep_library;  // SHA-256 of the plugin library, or of ONNX Runtime for built-in EPs
  std::string device;      // cpu, gpu or npu
  std::uint64_t vendor_id = 0;
  std::uint64_t device_id = 0;
  std::map<std::string, std::string> device_metadata;  // driver versions are in it
  std::map<std::string, std::string> provider_options;
  std::map<std::string, std::string> session_options;
  bool embeds = false;
  std::vector<std::string> shared_with;  // fingerprints of all models compiled together; or none
};
template <RecordOf<CompileIdentity> Self>
void for_each_field(Self& identity, auto&& field) {
  field("model", identity.model);
  field("ort_version", identity.ort_version);
  field("ep", identity.ep);
  field("ep_library", identity.ep_library);
  field("device", identity.device);
  field("vendor_id", identity.vendor_id);
  field("device_id", identity.device_id);
  field("device_metadata", identity.device_metadata);
  field("provider_options", identity.provider_options);
  field("session_options", identity.session_options);
  field("embeds", identity.embeds);
  field("shared_with", identity.shared_with);
}

// One EPContext node.
struct ContextNode {
  std::string node;
  std::string partition;
  std::string source;  // the EP that made it
  bool is_embedded = false;
  std::optional<std::string> blob;  // the file beside the model
  std::uint64_t bytes = 0;
};
template <RecordOf<ContextNode> Self>
void for_each_field(Self& context, auto&& field) {
  field("node", context.node);
  field("partition", context.partition);
  field("source", context.source);
  field("embedded", context.is_embedded);
  field("blob", context.blob);
  field("bytes", context.bytes);
}

struct CompileReport {
  std::string model;
  std::optional<std::string> output;
  std::string key;  // the hash of the identity
  CompileIdentity identity;
  bool was_cached = false;
  std::optional<double> compile_ms;  // null when it was cached
  std::vector<ContextNode> contexts;
  std::vector<std::string> blobs;        // files beside the output
  std::uint64_t nodes_left = 0;          // nodes that were not compiled
  std::optional<Placement> placement;    // of the compiled model
  std::optional<Verification> verified;  // against the source on the same target
  std::vector<std::string> notes;
};
template <RecordOf<CompileReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("model", report.model);
  field("output", report.output);
  field("key", report.key);
  field("identity", report.identity);
  field("cached", report.was_cached);
  field("compile_ms", report.compile_ms);
  field("contexts", report.contexts);
  field("blobs", report.blobs);
  field("nodes_left", report.nodes_left);
  field("placement", report.placement);
  field("verified", report.verified);
  field("notes", report.notes);
}

// How a compiled model stands to this machine.
enum class ContextState {
  fits,
  stale,    // made here or for the like of it, but with another runtime, library, driver or options
  foreign,  // made for another EP or device
  unknown,  // it does not say; another tool made it
};
constexpr auto enum_names(ContextState) {
  return std::to_array<EnumName<ContextState>>({{ContextState::fits, "fits"},
                                                {ContextState::stale, "stale"},
                                                {ContextState::foreign, "foreign"},
                                                {ContextState::unknown, "unknown"}});
}

// Models that were compiled together.
struct SharedCompileReport {
  std::vector<CompileReport> models;
};
template <RecordOf<SharedCompileReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("models", report.models);
}

struct ContextCheck {
  std::string model;
  ContextState state = ContextState::unknown;
  std::vector<std::string> reasons;  // what differs: "onnxruntime 1.29.0, here 1.30.0"
  std::vector<ContextNode> contexts;
};
template <RecordOf<ContextCheck> Self>
void for_each_field(Self& check, auto&& field) {
  field("model", check.model);
  field("state", check.state);
  field("reasons", check.reasons);
  field("contexts", check.contexts);
}

}  // namespace hone
