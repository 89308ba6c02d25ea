#include "checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

#include "base/folder.h"
#include "base/json.h"
#include "base/text.h"

namespace hone {
namespace {

// The format's own limit, of its reference implementation.
constexpr std::uint64_t most_header_bytes = 100'000'000;
constexpr std::size_t most_dims = 64;

struct NamedType {
  std::string_view name;
  ElementType type;
};
constexpr std::array named_types = {
    NamedType{"F32", ElementType::float32},        NamedType{"F16", ElementType::float16},
    NamedType{"BF16", ElementType::bfloat16},      NamedType{"F64", ElementType::float64},
    NamedType{"I64", ElementType::int64},          NamedType{"I32", ElementType::int32},
    NamedType{"I16", ElementType::int16},          NamedType{"I8", ElementType::int8},
    NamedType{"U64", ElementType::uint64},         NamedType{"U32", ElementType::uint32},
    NamedType{"U16", ElementType::uint16},         NamedType{"U8", ElementType::uint8},
    NamedType{"BOOL", ElementType::boolean},       NamedType{"F8_E4M3", ElementType::float8e4m3fn},
    NamedType{"F8_E5M2", ElementType::float8e5m2}, NamedType{"F8_E8M0", ElementType::float8e8m0},
};

Failure broken(const Path& path, std::string why) {
  return fail(Fault::bad_input, "'" + path.string() + "' is no safetensors file that can be read",
              std::move(why), "fetch it again; its SHA-256 is on the page it came from");
}

Result<ElementType> type_named(std::string_view name) {
  for (const NamedType& row : named_types) {
    if (row.name == name) return row.type;
  }
  return fail(Fault::unsupported, "its type is '" + printable(name) + "'");
}

Result<std::vector<std::int64_t>> dims_in(const Json* shape) {
  if (!shape || !shape->as_array() || shape->as_array()->size() > most_dims) {
    return fail(Fault::bad_input, "it has no shape");
  }
  std::vector<std::int64_t> dims;
  for (const Json& dim : *shape->as_array()) {
    const auto size = dim.to_int();
    if (!size || *size < 0) return fail(Fault::bad_input, "its shape is " + shape->dump(-1));
    dims.push_back(*size);
  }
  return dims;
}

struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Result<Span> span_in(const Json* offsets, std::uint64_t data_bytes) {
  if (!offsets || !offsets->as_array() || offsets->as_array()->size() != 2) {
    return fail(Fault::bad_input, "it has no data_offsets");
  }
  const auto begin = (*offsets->as_array())[0].to_uint();
  const auto end = (*offsets->as_array())[1].to_uint();
  if (!begin || !end || *begin > *end || *end > data_bytes) {
    return fail(Fault::bad_input, "its data_offsets are " + offsets->dump(-1) +
                                      ", and the file has " + format_count(data_bytes) +
                                      " bytes of data");
  }
  return Span{*begin, *end};
}

struct File {
  Path path;
  Blob data;                    // what follows the header
  std::uint64_t data_begins{};  // in the file
};

Result<TensorPtr> read_tensor(const File& file, const std::string& name, const Json& entry) {
  const Json* dtype = entry.find("dtype");
  if (!dtype || !dtype->as_string()) return fail(Fault::bad_input, "it has no dtype");
  HONE_TRY(const ElementType type, type_named(*dtype->as_string()));
  HONE_TRY(std::vector<std::int64_t> dims, dims_in(entry.find("shape")));
  HONE_TRY(const Span span, span_in(entry.find("data_offsets"), file.data.size()));
  const auto elements = count_elements(dims);
  const auto bytes = elements ? bytes_of(type, *elements) : std::nullopt;
  if (!bytes || *bytes != span.end - span.begin) {
    return fail(Fault::bad_input, "its shape and type do not come to the " +
                                      format_count(span.end - span.begin) + " bytes it has");
  }
  auto tensor = std::make_shared<Tensor>();
  tensor->name = name;
  tensor->type = type;
  tensor->dims = std::move(dims);
  tensor->dense = file.data.slice(span.begin, *bytes);
  tensor->external = ExternalData{.location = file.path.filename().string(),
                                  .offset = file.data_begins + span.begin,
                                  .length = *bytes,
                                  .other = {}};
  return TensorPtr(std::move(tensor));
}

Status check_places(std::vector<TensorPtr>& tensors) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const TensorPtr& a, const TensorPtr& b) {
    return a->external->offset < b->external->offset;
  });
  std::uint64_t taken = 0;
  for (const TensorPtr& tensor : tensors) {
    if (tensor->external->length == 0) continue;
    if (tensor->external->offset < taken) {
      return fail(Fault::bad_input,
                  "tensor '" + printable(tensor->name) + "' overlaps the one before it");
    }
    taken = tensor->external->offset + tensor->external->length;
  }
  return done();
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 8; i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

std::optional<std::string> pickle_in(const Path& folder) {
  std::error_code ignored;
  for (const char* pickle :
       {"pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "model.bin"})
    if (std::filesystem::exists(folder / pickle, ignored)) return pickle;
  return std::nullopt;
}

// Of any name; what an adapter adds to a checkpoint is none.
std::vector<Path> safetensors_in(const Path& folder) {
  std::vector<Path> found;
  const auto files = files_in(folder);
  for (const Path& file : files ? *files : std::vector<Path>()) {
    const bool is_adapter = file.filename().string().starts_with("adapter_");
    if (file.extension() == ".safetensors" && !is_adapter) found.push_back(file);
  }
  return found;
}

Result<std::vector<TensorPtr>> read_listed_shards(const Path& folder, const Path& index) {
  HONE_TRY(const std::string text, read_file(index, most_header_bytes));
  auto document = Json::parse(text);
  const Json* map = document ? document->find("weight_map") : nullptr;
  if (!map || !map->as_object()) {
    return fail(Fault::bad_input, "'" + index.string() + "' has no weight_map",
                document ? "" : document.error().what, "fetch it again");
  }
  std::map<std::string, std::set<std::string>> promised;  // names by file
  for (const auto& [name, file] : *map->as_object()) {
    if (!file.as_string()) {
      return fail(Fault::bad_input,
                  "'" + index.string() + "' names no file for '" + printable(name) + "'");
    }
    promised[*file.as_string()].insert(name);
  }
  std::vector<TensorPtr> all;
  for (const auto& [file, names] : promised) {
    HONE_TRY_DO(check_stays_inside(file));
    if (Path(file).has_parent_path()) {
      return fail(Fault::bad_input, "'" + index.string() + "' names '" + printable(file) +
                                        "', which is not beside it");
    }
    HONE_TRY(const std::vector<TensorPtr> shard, read_safetensors(folder / file));
    std::set<std::string> found;
    for (const TensorPtr& tensor : shard) {
      // A shard may hold what the index gives to another; that one is read there.
      if (names.contains(tensor->name)) all.push_back(tensor), found.insert(tensor->name);
    }
    for (const std::string& name : names) {
      if (!found.contains(name)) {
        return broken(folder / file, "'" + index.filename().string() + "' says that it has '" +
                                         printable(name) + "', and it does not");
      }
    }
  }
  return all;
}

}  // namespace

Result<std::vector<TensorPtr>> read_safetensors(const Path& path) {
  HONE_TRY(const Blob bytes, map_file(path));
  return parse_safetensors(bytes, path);
}

Result<std::vector<TensorPtr>> parse_safetensors(const Blob& bytes, const Path& path) {
  if (bytes.size() < 8) return broken(path, "it has " + std::to_string(bytes.size()) + " bytes");
  const std::uint64_t header_bytes = little_endian(bytes.view());
  if (header_bytes > most_header_bytes || header_bytes > bytes.size() - 8) {
    return broken(path, "its header would take " + format_count(header_bytes) + " bytes of the " +
                            format_count(bytes.size()) + " it has");
  }
  const auto header = Json::parse(bytes.view().substr(8, header_bytes));
  if (!header) return broken(path, "its header: " + header.error().what);
  if (!header->as_object()) return broken(path, "its header is " + header->described_kind());

  const std::uint64_t data_begins = 8 + header_bytes;
  const File file{.path = path,
                  .data = bytes.slice(data_begins, bytes.size() - data_begins),
                  .data_begins = data_begins};
  std::vector<TensorPtr> tensors;
  for (const auto& [name, entry] : *header->as_object()) {
    if (name == "__metadata__") continue;
    auto tensor = read_tensor(file, name, entry);
    if (!tensor) return broken(path, "tensor '" + printable(name) + "': " + tensor.error().what);
    tensors.push_back(*tensor);
  }
  if (auto placed = check_places(tensors); !placed) return broken(path, placed.error().what);
  return tensors;
}

std::optional<Path> weights_in(const Path& folder) {
  std::error_code ignored;
  for (const std::string_view usual : {"model.safetensors", "model.safetensors.index.json"})
    if (std::filesystem::exists(folder / usual, ignored)) return folder / usual;
  const std::vector<Path> others = safetensors_in(folder);
  if (others.size() != 1 || pickle_in(folder)) return std::nullopt;
  return others.front();
}

Result<std::vector<TensorPtr>> read_checkpoint_tensors(const Path& folder) {
  if (const auto weights = weights_in(folder)) {
    return weights->extension() == ".json" ? read_listed_shards(folder, *weights)
                                           : read_safetensors(*weights);
  }
  if (const auto pickle = pickle_in(folder)) {
    return fail(Fault::unsupported,
                "'" + folder.string() + "' has its weights as a pickle, '" + *pickle + "'",
                "reading a pickle runs what is written in it",
                "a revision with model.safetensors: most repositories have one");
  }
  const std::vector<Path> others = safetensors_in(folder);
  if (others.size() > 1) {
    return fail(Fault::bad_input, "'" + folder.string() + "' has no model.safetensors",
                "several files may be its weights: " + others.front().filename().string() + ", " +
                    others[1].filename().string() + (others.size() > 2 ? ", ..." : ""),
                "name one of them: hone export " + others.front().string() + " -o FOLDER");
  }
  return fail(Fault::not_found, "'" + folder.string() + "' has no model.safetensors", {},
              "the folder of a checkpoint: config.json with model.safetensors beside it");
}

}  // namespace hone
