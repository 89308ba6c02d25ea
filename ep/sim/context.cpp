#include "ep/sim/context.h"

#include "base/hash.h"
#include "base/text.h"
#include "ep/sim/attributes.h"
#include "ep/sim/sim.h"

namespace hone::ep::sim {
namespace {

constexpr std::string_view magic = "HONESIM ";

Failure broken(std::string why) {
  return fail(Fault::bad_input, "HoneSim: this is no context of the simulator", std::move(why));
}

// Reads the number alone first: the fields of another format are not ours to know.
Result<ContextHeader> read_header(std::string_view line) {
  auto json = Json::parse(line);
  if (!json) return broken(json.error().what);
  const Json* format = json->find("format");
  if (!format) return broken("its header has no format");
  if (*format != Json(context_format)) {
    return fail(Fault::unsupported,
                "HoneSim: the model was compiled by another version (context format " +
                    format->dump(-1) + ", this one reads " + std::to_string(context_format) + ")",
                {}, "compile it again");
  }
  auto header = from_json<ContextHeader>(*json);
  if (!header) return broken(header.error().what);
  return header;
}

std::string device_name(const Json& device) {
  const Json* name = device.find("name");
  return name && name->as_string() ? *name->as_string() : "?";
}

// Which part of the two identities differs.
std::string first_difference(const Json& compiled, const Json& here) {
  const Json::Object* fields = here.as_object();
  for (const auto& [key, value] : *fields) {
    const Json* other = compiled.find(key);
    if (!other || *other != value) return key;
  }
  return "?";
}

Status check_device(const ContextHeader& header, const Profile& profile) {
  const Json here = identity(profile);
  if (header.device == here) return done();
  return fail(Fault::bad_input,
              "HoneSim: the model was compiled for the profile '" + device_name(header.device) +
                  "', this session has '" + profile.name + "' (they differ in " +
                  first_difference(header.device, here) + ")",
              {}, "compile it again for this profile");
}

// Where the compiled model is, or will be: contexts that are files lie beside it.
Result<Path> folder_of(const Ort& ort, const OrtGraph* graph, const ContextWish& wish) {
  if (!wish.file.empty()) return wish.file.parent_path();
  HONE_TRY(const std::string path, model_path(ort, graph));
  if (!path.empty()) return Path(path).parent_path();
  return fail(Fault::bad_input,
              "HoneSim: a context in a file of its own needs to know the compiled model's folder",
              {}, "set ep.context_file_path, or ep.context_embed_mode=1");
}

// The compiled model's name without its ending; ONNX Runtime's own default where none is given.
Result<std::string> stem_of(const Ort& ort, const OrtGraph* graph, const ContextWish& wish) {
  if (!wish.file.empty()) return wish.file.stem().string();
  HONE_TRY(const std::string path, model_path(ort, graph));
  return Path(path).stem().string() + "_ctx";
}

constexpr auto shared_file = "HoneSim_shared.bin";

// The first context of some bytes, and what stands behind it.
struct Parted {
  ContextHeader header;
  std::string_view model;
  std::string_view rest;
};

Result<Parted> part(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (!bytes.starts_with(magic) || end == std::string_view::npos) {
    return broken("it does not begin like one");
  }
  HONE_TRY(ContextHeader header, read_header(bytes.substr(magic.size(), end - magic.size())));
  const std::string_view behind = bytes.substr(end + 1);
  if (behind.size() < header.model_bytes) {
    return broken("it holds " + format_bytes(behind.size()) + " instead of " +
                  format_bytes(header.model_bytes));
  }
  const std::uint64_t size = header.model_bytes;
  return Parted{std::move(header), behind.substr(0, size), behind.substr(size)};
}

// What is there already stays once.
Status add_to_shared(const Path& file, const Context& context) {
  const std::string added = pack(context);
  std::error_code problem;
  if (!std::filesystem::exists(file, problem)) return write_file(file, added);
  HONE_TRY(const std::string there, read_file(file));
  for (std::string_view left = there; !left.empty();) {
    HONE_TRY(const Parted first, part(left));
    const std::string_view bytes = left.substr(0, left.size() - first.rest.size());
    if (bytes == added) return done();
    left = first.rest;
  }
  return write_file(file, there + added);
}

// What the node carries: the context itself, or the name of its file.
Result<std::string> store(const Ort& ort, const CompileRequest& group, const ContextWish& wish,
                          const Context& context, const std::string& group_name) {
  if (wish.embeds) return pack(context);
  HONE_TRY(const Path folder, folder_of(ort, group.graph, wish));
  if (wish.shares) {
    HONE_TRY_DO(add_to_shared(folder / shared_file, context));
    return std::string(shared_file);
  }
  HONE_TRY(const std::string stem, stem_of(ort, group.graph, wish));
  const std::string file = stem + "_" + group_name + ".bin";
  HONE_TRY_DO(write_file(folder / file, pack(context)));
  return file;
}

}  // namespace

ContextWish read_wish(const KeyValues& config) {
  ContextWish wish;
  const auto text = [&](const char* key) {
    const std::string* value = find(config, key);
    return value ? *value : std::string();
  };
  wish.is_wanted = text("ep.context_enable") == "1";
  wish.embeds = text("ep.context_embed_mode") == "1";
  wish.shares = text("ep.share_ep_contexts") == "1";
  wish.file = text("ep.context_file_path");
  return wish;
}

Result<Owned<OrtNode>> make_context_node(const Ort& ort, const CompileRequest& group,
                                         const ContextWish& wish, Context context) {
  HONE_TRY(const GraphNode fused, read_node(ort, group.fused));
  // ONNX Runtime makes the name from the model's file name: two models may have one.
  context.header.partition = fused.name + "_" + sha256(context.model).hex().substr(0, 16);
  HONE_TRY(const std::string content, store(ort, group, wish, context, fused.name));
  // The name must be the fused node's: by it ONNX Runtime finds what the node stands for.
  NodeParts parts{"EPContext",           "com.microsoft",        fused.name,
                  context.header.inputs, context.header.outputs, {}};
  const auto add = [&](const char* key, const auto& value) -> Status {
    HONE_TRY(auto attribute, make_attribute(ort, key, value));
    parts.attributes.push_back(std::move(attribute));
    return done();
  };
  HONE_TRY_DO(add("main_context", std::int64_t{1}));
  HONE_TRY_DO(add("embed_mode", std::int64_t{wish.embeds ? 1 : 0}));
  HONE_TRY_DO(add("ep_cache_context", content));
  HONE_TRY_DO(add("source", std::string(provider_name)));
  HONE_TRY_DO(add("ep_sdk_version", std::to_string(context_format)));
  HONE_TRY_DO(add("hardware_architecture", device_name(context.header.device)));
  HONE_TRY_DO(add("partition_name", context.header.partition));
  return make_node(ort, std::move(parts));
}

bool is_context_node(const GraphNode& node) {
  return node.op == "EPContext" && node.domain == "com.microsoft";
}

Result<Context> load_context(const Ort& ort, const CompileRequest& group, const GraphNode& node,
                             const ContextWish& wish, const Profile& profile) {
  HONE_TRY(const std::string content, string_attribute(ort, node.handle, "ep_cache_context"));
  HONE_TRY(const auto embed_mode, int_attribute(ort, node.handle, "embed_mode", 1));
  if (embed_mode != 0) return unpack(content, profile);
  HONE_TRY(const std::string partition, string_attribute(ort, node.handle, "partition_name"));
  HONE_TRY(const std::string path, model_path(ort, group.graph));
  HONE_TRY(const Path folder, path.empty() ? folder_of(ort, group.graph, wish)
                                           : Result<Path>(Path(path).parent_path()));
  HONE_TRY(const Blob bytes, map_file_inside(folder.empty() ? Path(".") : folder, content));
  return unpack(bytes.view(), profile, partition);
}

std::string pack(const Context& context) {
  ContextHeader header = context.header;
  header.model_bytes = context.model.size();
  return std::string(magic) + to_json(header).dump(-1) + "\n" + context.model;
}

Result<Context> unpack(std::string_view bytes, const Profile& profile, std::string_view partition) {
  HONE_TRY(Parted found, part(bytes));
  while (!partition.empty() && found.header.partition != partition && !found.rest.empty()) {
    HONE_TRY(found, part(found.rest));
  }
  const bool is_it = partition.empty() ? found.rest.empty() : found.header.partition == partition;
  if (!is_it) return broken("it holds none of the node '" + printable(partition) + "'");
  HONE_TRY_DO(check_device(found.header, profile));
  return Context{std::move(found.header), std::string(found.model)};
}

std::string compatibility(const Profile& profile) {
  Json facts = Json::object();
  facts.set("format", context_format).set("device", to_json(profile.device));
  facts.set("profile", profile.name);
  return facts.dump(-1);
}

CompiledModelCompatibility judge_compatibility(DeviceType device, const std::string& text) {
  const auto facts = Json::parse(text);
  if (!facts) return compatibility_unsupported;
  const Json* format = facts->find("format");
  if (!format || *format != Json(context_format)) return compatibility_unsupported;
  const Json* compiled_for = facts->find("device");
  if (!compiled_for || compiled_for->is_null()) return compatibility_optimal;
  const bool is_same = *compiled_for == Json(name_of(static_cast<DeviceClass>(device)));
  return is_same ? compatibility_optimal : compatibility_unsupported;
}

}  // namespace hone::ep::sim
