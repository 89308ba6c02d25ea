// Where weights go when a model is saved, and the writing itself.

#include <algorithm>
#include <map>

#include "base/text.h"
#include "model/replace.h"

namespace hone {
namespace {

constexpr std::uint64_t inline_limit = 100ull << 20;
// protobuf refuses messages above 2 GiB; the margin is for the graph around the weights.
constexpr std::uint64_t protobuf_limit = (2ull << 30) - (1ull << 20);
constexpr std::uint64_t smallest_split = 1024;

struct Weights {
  std::vector<TensorPtr> initializers;
  std::uint64_t total_bytes = 0;
  bool any_absent = false;
  std::vector<TensorPtr> external;
};

Weights gather(const Model& model) {
  Weights weights;
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node* holder) {
    weights.total_bytes += tensor->byte_size();
    weights.any_absent |= tensor->absent;
    if (holder == nullptr) weights.initializers.push_back(tensor);
    if (tensor->external) weights.external.push_back(tensor);
  });
  return weights;
}

// Big tensors start on a page, so that a runtime can map them where they lie.
std::uint64_t align(std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t alignment = length >= (1u << 20) ? 4096 : 64;
  return (offset + alignment - 1) / alignment * alignment;
}

struct Split {
  writing::Placement placement;
  std::vector<TensorPtr> order;
};

// Tensors that are one place in memory (tied weights) become one place in the file.
Result<Split> plan_split(const Weights& weights, const std::string& data_file) {
  Split split;
  std::map<std::pair<const char*, std::uint64_t>, std::uint64_t> offsets;
  std::uint64_t end = 0;
  for (const TensorPtr& tensor : weights.initializers) {
    const std::uint64_t length = tensor->byte_size();
    if (tensor->type == ElementType::string || split.placement.contains(tensor.get())) continue;
    HONE_TRY(const std::string_view bytes, tensor->bytes());
    if (length < smallest_split) {
      split.placement.emplace(tensor.get(), std::nullopt);
      continue;
    }
    const auto [place, is_new] = offsets.try_emplace({bytes.data(), length}, align(end, length));
    split.placement.emplace(tensor.get(), ExternalData{data_file, place->second, length, {}});
    if (!is_new) continue;
    split.order.push_back(tensor);
    end = place->second + length;
  }
  // What is external and no initializer goes inside: its old file is not the model's any more.
  for (const TensorPtr& tensor : weights.external) {
    HONE_TRY_DO(tensor->bytes());
    split.placement.emplace(tensor.get(), std::nullopt);
  }
  return split;
}

Result<AtomicFile> write_split(const Split& split, const Path& path) {
  HONE_TRY(AtomicFile file, AtomicFile::create(path));
  for (const TensorPtr& tensor : split.order) {
    HONE_TRY_DO(file.pad_to(split.placement.at(tensor.get())->offset));
    HONE_TRY_DO(file.append(tensor->dense));
  }
  return file;
}

// One save: the files being written, all under temporary names until the last one is complete.
class Saver {
 public:
  Saver(const Model& model, const Path& path, const SaveOptions& options,
        std::vector<writing::NewData> data)
      : model_(model),
        path_(path),
        options_(options),
        weights_(gather(model)),
        data_(std::move(data)) {}

  Result<SaveReport> run() {
    HONE_TRY_DO(refuse_existing(path_, options_.overwrite));
    HONE_TRY_DO(place_weights());
    HONE_TRY(AtomicFile file, writing::write_model_file(model_, placement_, path_));
    report_.model_bytes = file.size();
    // Everything is on disk now; what is left are names.
    HONE_TRY_DO(writing::replace_model({.model = model_,
                                        .placement = placement_,
                                        .file = std::move(file),
                                        .data = std::move(data_)}));
    return std::move(report_);
  }

 private:
  Path folder() const { return path_.parent_path(); }

  DataPlacement placement() const {
    if (options_.placement != DataPlacement::automatic) return options_.placement;
    if (weights_.any_absent) return DataPlacement::keep;
    if (weights_.total_bytes < inline_limit) return DataPlacement::inlined;
    return lies_here() ? DataPlacement::keep : DataPlacement::split;
  }

  // Whether the data files that the model names are there already, the very ones it was read from.
  bool lies_here() const {
    return !weights_.external.empty() &&
           std::ranges::all_of(weights_.external, [&](const TensorPtr& tensor) {
             return writing::lies_in(tensor->dense, folder() / tensor->external->location);
           });
  }

  Status place_weights() {
    switch (placement()) {
      case DataPlacement::inlined:
        return inline_all();
      case DataPlacement::split:
        return split_off();
      default:
        return keep_external();
    }
  }

  Status inline_all() {
    for (const TensorPtr& tensor : weights_.external) {
      HONE_TRY_DO(tensor->bytes());
      placement_.emplace(tensor.get(), std::nullopt);
    }
    return done();
  }

  Status split_off() {
    const std::string name =
        options_.data_file.empty() ? path_.filename().string() + ".data" : options_.data_file;
    HONE_TRY_DO(check_stays_inside(name));
    HONE_TRY_DO(check_is_for_weights(name));
    HONE_TRY_DO(check_is_not_read(name));
    HONE_TRY_DO(refuse_existing(folder() / name, options_.overwrite));
    HONE_TRY(Split split, plan_split(weights_, name));
    HONE_TRY(AtomicFile file, write_split(split, folder() / name));
    placement_ = std::move(split.placement);
    return add_data(name, std::move(file));
  }

  bool is_the_model(const std::string& location) const {
    return (folder() / location).lexically_normal() == path_.lexically_normal();
  }

  static Failure is_no_data_file(const std::string& name, const char* why) {
    return fail(Fault::bad_input, "'" + name + "' is no file for weights", why,
                "choose a name like model.onnx.data, or another output");
  }

  // The file of a model, this one or another, would be replaced by bytes that are none.
  Status check_is_for_weights(const std::string& name) const {
    if (is_the_model(name)) return is_no_data_file(name, "the model itself is written there");
    if (Path(name).extension() == ".onnx") return is_no_data_file(name, "it is a model's name");
    return done();
  }

  // Weights that are read from the file which is to be written belong to the model they came with;
  // where nothing is at the output's place, that is another one, and it would lose them.
  Status check_is_not_read(const std::string& name) const {
    const bool is_read = std::ranges::any_of(weights_.external, [&](const TensorPtr& tensor) {
      return writing::lies_in(tensor->dense, folder() / name);
    });
    if (!is_read || std::filesystem::exists(path_)) return done();
    return fail(Fault::bad_input, "'" + name + "' holds the weights of the model that is read", {},
                "choose another output, or another folder");
  }

  // Tensors say where they are, so nothing in the model changes; only the files must be beside it.
  Status keep_external() {
    std::map<std::string, Blob> files;
    for (const TensorPtr& tensor : weights_.external) {
      if (!tensor->absent) files.emplace(tensor->external->location, tensor->dense);
    }
    for (const auto& [location, part] : files) {
      const Path target = folder() / location;
      if (is_the_model(location)) return is_no_data_file(location, "the model itself is there");
      const auto& backing = part.backing();
      if (writing::lies_in(part, target)) {
        report_.shares_data = true;
        report_.data_files.push_back(target);
        continue;
      }
      HONE_TRY_DO(refuse_existing(target, options_.overwrite));
      HONE_TRY_DO(copy_data(location, backing ? Blob(backing->bytes(), backing) : part));
    }
    return done();
  }

  Status copy_data(const std::string& location, const Blob& whole_file) {
    const Path target = folder() / location;
    std::error_code problem;
    std::filesystem::create_directories(target.parent_path(), problem);
    HONE_TRY(AtomicFile file, AtomicFile::create(target));
    HONE_TRY_DO(file.append(whole_file));
    return add_data(location, std::move(file));
  }

  Status add_data(const std::string& location, AtomicFile file) {
    report_.data_bytes += file.size();
    report_.data_files.push_back(file.path());
    data_.push_back({location, std::move(file)});
    return done();
  }

  const Model& model_;
  const Path& path_;
  const SaveOptions& options_;
  const Weights weights_;
  writing::Placement placement_;
  std::vector<writing::NewData> data_;
  SaveReport report_;
};

}  // namespace

Result<SaveReport> save_model(const Model& model, const Path& path, const SaveOptions& options) {
  return Saver(model, path, options, {}).run();
}

Result<SaveReport> writing::save_with_data(const Model& model, const Path& path,
                                           const SaveOptions& options, std::vector<NewData> data) {
  return Saver(model, path, options, std::move(data)).run();
}

Result<AtomicFile> writing::write_model_file(const Model& model, const Placement& placement,
                                             const Path& path) {
  Rope rope = write_model(model, placement);
  if (rope.size() > protobuf_limit) {
    return fail(Fault::unsupported,
                "'" + path.string() + "' would be " + format_bytes(rope.size()) +
                    ", and one ONNX file can hold 2 GiB at most",
                {}, "put the weights into a file of their own: --external-data FILE");
  }
  HONE_TRY(AtomicFile file, AtomicFile::create(path));
  for (const Blob& piece : rope.pieces()) HONE_TRY_DO(file.append(piece));
  return file;
}

Result<std::string> serialize(const Model& model) {
  writing::Rope rope = writing::write_model(model, {});
  if (rope.size() > protobuf_limit) {
    return fail(Fault::unsupported,
                "the model is too large for one message: " + format_bytes(rope.size()));
  }
  std::string bytes;
  bytes.reserve(rope.size());
  for (const Blob& piece : rope.pieces()) bytes += piece.view();
  return bytes;
}

}  // namespace hone
