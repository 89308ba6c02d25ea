#include "transform/compile/context.h"

#include <algorithm>

#include "base/hash.h"
#include "base/json.h"

namespace hone {
namespace {

constexpr auto metadata_key = "hone.compile";

Result<ContextNode> read_context(const Model& model, const Node& node) {
  ContextNode context;
  context.node = describe(node);
  context.partition = node.string_or("partition_name", "");
  context.source = node.string_or("source", "");
  context.is_embedded = node.int_or("embed_mode", 1) == 1;
  const std::string content = node.string_or("ep_cache_context", "");
  if (context.is_embedded) {
    context.bytes = content.size();
    return context;
  }
  if (content.empty()) return context;  // it shares the blob of another node
  context.blob = content;
  HONE_TRY(const Blob blob, map_file_inside(model.source.parent_path(), content));
  context.bytes = blob.view().size();
  return context;
}

// "onnxruntime 1.29.0, here 1.30.0", when they differ.
void compare(const std::string& what, const std::string& there, const std::string& here,
             std::vector<std::string>& reasons) {
  if (there != here) reasons.push_back(what + " " + there + ", here " + here);
}

void compare(const std::string& what, const std::map<std::string, std::string>& there,
             const std::map<std::string, std::string>& here, std::vector<std::string>& reasons) {
  for (const auto& [key, value] : there) {
    const auto same = here.find(key);
    if (same == here.end()) {
      reasons.push_back(what + " " + key + "=" + value + ", here not set");
    } else {
      compare(what + " " + key, value, same->second, reasons);
    }
  }
  for (const auto& [key, value] : here) {
    if (!there.contains(key)) reasons.push_back(what + " " + key + " not set, here " + value);
  }
}

std::string hardware_of(const CompileIdentity& identity) {
  return identity.device + " " + std::to_string(identity.vendor_id) + ":" +
         std::to_string(identity.device_id);
}

}  // namespace

Result<std::vector<ContextNode>> read_contexts(const Model& model) {
  std::vector<ContextNode> contexts;
  for (const Node& node : model.graph->nodes()) {
    if (node.op_type != "EPContext") continue;
    HONE_TRY(ContextNode context, read_context(model, node));
    contexts.push_back(std::move(context));
  }
  return contexts;
}

std::string key_of(const CompileIdentity& identity) {
  return sha256(to_json(identity).canonical()).hex();
}

void store_identity(const CompileIdentity& identity, Model& model) {
  std::erase_if(model.metadata, [](const auto& entry) { return entry.first == metadata_key; });
  model.metadata.emplace_back(metadata_key, to_json(identity).canonical());
}

std::optional<CompileIdentity> stored_identity(const Model& model) {
  const auto entry =
      std::ranges::find(model.metadata, metadata_key, &std::pair<std::string, std::string>::first);
  if (entry == model.metadata.end()) return std::nullopt;
  const auto document = Json::parse(entry->second);
  const auto identity = document ? from_json<CompileIdentity>(*document)
                                 : Result<CompileIdentity>(fail(document.error()));
  return identity ? std::optional(*identity) : std::nullopt;
}

ContextCheck check_context(const Model& model, const CompileIdentity& here) {
  ContextCheck check;
  check.model = model.source.string();
  const std::optional<CompileIdentity> there = stored_identity(model);
  if (!there) {
    check.reasons.emplace_back("it does not say what it was made with");
    return check;
  }
  compare("EP", there->ep, here.ep, check.reasons);
  compare("hardware", hardware_of(*there), hardware_of(here), check.reasons);
  if (!check.reasons.empty()) {
    check.state = ContextState::foreign;
    return check;
  }
  compare("onnxruntime", there->ort_version, here.ort_version, check.reasons);
  compare("EP library", there->ep_library.substr(0, 12), here.ep_library.substr(0, 12),
          check.reasons);
  compare("device", there->device_metadata, here.device_metadata, check.reasons);
  compare("provider option", there->provider_options, here.provider_options, check.reasons);
  compare("session option", there->session_options, here.session_options, check.reasons);
  check.state = check.reasons.empty() ? ContextState::fits : ContextState::stale;
  return check;
}

}  // namespace hone
