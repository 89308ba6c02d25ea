#include "transform/compile/context.h"

#include <algorithm>

#include "base/folder.h"
#include "base/hash.h"
#include "base/hash_file.h"
#include "base/json.h"

namespace hone {
namespace {

constexpr auto metadata_key = "hone.compile";
constexpr std::size_t blob_digits = 16;  // of the SHA-256 of its bytes

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

// "bert.0123456789abcdef.bin", as far as the name tells.
bool has_blob_name(const std::string& stem, const std::string& name) {
  if (!name.starts_with(stem + ".")) return false;
  const std::string digits = name.substr(stem.size() + 1, blob_digits);
  return digits.size() == blob_digits &&
         digits.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// A file of somebody else's is not called by the hash of its bytes.
bool is_named_by_its_bytes(const std::string& stem, const Path& file) {
  const auto digest = hash_of_file(file);
  return digest && file.filename() == blob_name(stem, digest->hex(), file.extension().string());
}

// One that cannot be read may.
bool reads_blob(const Path& file, const std::string& name) {
  const auto model = load_model(file);
  if (!model) return true;
  return std::ranges::any_of(model->graph->nodes(), [&](const Node& node) {
    return node.op_type == "EPContext" && node.string_or("ep_cache_context", "") == name;
  });
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

std::string blob_name(const std::string& stem, const std::string& sha256,
                      const std::string& extension) {
  return stem + "." + sha256.substr(0, blob_digits) + extension;
}

void remove_unused_blobs(const Path& output) {
  const Path folder = output.has_parent_path() ? output.parent_path() : Path(".");
  const std::string stem = output.stem().string();
  std::vector<Path> models;
  std::vector<Path> others;
  std::error_code ignored;
  const auto files = files_in(folder);
  for (const Path& file : files ? *files : std::vector<Path>())
    (file.extension() == ".onnx" ? models : others).push_back(file);
  for (const Path& file : others) {
    if (!has_blob_name(stem, file.filename().string())) continue;
    const auto reads = [&](const Path& model) {
      return reads_blob(model, file.filename().string());
    };
    if (std::ranges::none_of(models, reads) && is_named_by_its_bytes(stem, file))
      std::filesystem::remove(file, ignored);
  }
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
