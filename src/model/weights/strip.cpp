#include "model/weights/strip.h"

#include <unordered_set>

#include "base/folder.h"
#include "base/hash.h"
#include "model/elements.h"
#include "model/weights/moments.h"

namespace hone {
namespace {

// Where mapped weights may be read in place by any instruction set.
constexpr std::uint64_t alignment = 64;

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + alignment - 1) / alignment * alignment;
}

class Stripper {
 public:
  explicit Stripper(const StripOptions& options) : options_(options) {
    stats_.model = options.name;
  }

  bool takes(const TensorPtr& tensor) const {
    return tensor && is_strippable(tensor->type) && tensor->byte_size() >= options_.min_bytes;
  }

  void expect(const TensorPtr& tensor) { total_ += tensor->byte_size(); }

  // The tensor to hold instead: the same name and shape, its bytes elsewhere.
  Result<TensorPtr> take(const TensorPtr& tensor, const std::string& name) {
    if (!names_.insert(name).second) {
      return fail(Fault::unsupported, "two weights are called '" + name + "'",
                  "statistics are kept by name", "give every initializer its own name");
    }
    HONE_TRY(const Moments moments, moments_of(*tensor));
    TensorStats entry{.dtype = static_cast<std::int32_t>(tensor->type),
                      .shape = tensor->dims,
                      .mean = moments.mean(),
                      .std = moments.deviation(),
                      .offset = stats_.bytes,
                      .length = tensor->byte_size()};
    auto stripped = std::make_shared<Tensor>(*tensor);
    stripped->name = name;
    stripped->dense = {};
    stripped->absent = true;
    stripped->external = ExternalData{options_.name + ".weights", entry.offset, entry.length, {}};
    stats_.bytes = aligned(entry.offset + entry.length);
    done_ += entry.length;
    stats_.tensors.emplace_back(name, std::move(entry));
    if (options_.progress) options_.progress(done_, total_);
    return TensorPtr(std::move(stripped));
  }

  WeightStats finish() && { return std::move(stats_); }

 private:
  const StripOptions& options_;
  WeightStats stats_;
  std::unordered_set<std::string> names_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

// Calls `visit(tensor, name, replace)` for initializers and the tensors of Constant nodes.
template <class Visit>
void for_each_weight(Graph& graph, Visit visit) {
  for (Value* value : graph.initializers()) {
    if (!value->initializer()) continue;
    visit(value->initializer(), value->name(),
          [&](TensorPtr tensor) { graph.set_initializer(*value, std::move(tensor)); });
  }
  for (Node& node : graph.nodes()) {
    if (!node.is("Constant") || node.output(0) == nullptr) continue;
    for (Attribute& attribute : node.attributes) {
      if (attribute.name != "value" || !attribute.as_tensor()) continue;
      visit(attribute.as_tensor(), node.output(0)->name(),
            [&](TensorPtr tensor) { attribute.held = std::move(tensor); });
    }
  }
}

// What stays must not point at the data file of the model it came from.
Status bring_inside(Model& model, const std::string& data_file) {
  Status status = done();
  map_tensors(model, [&](const TensorPtr& tensor, const Node*) -> TensorPtr {
    const bool is_stripped = tensor->external && tensor->external->location == data_file;
    if (!tensor->external || (is_stripped && tensor->absent)) return tensor;
    if (tensor->absent) {
      if (status) status = fail(tensor->bytes().error());
      return tensor;
    }
    auto inside = std::make_shared<Tensor>(*tensor);
    inside->external.reset();
    return inside;
  });
  return status;
}

// Of a save that was killed.
void remove_stats_left(const Path& path) {
  const std::string start = stats_path_for(path).filename().string() + ".hone-";
  const auto files = files_in(path.has_parent_path() ? path.parent_path() : Path("."));
  std::error_code ignored;
  for (const Path& file : files ? *files : std::vector<Path>())
    if (file.filename().string().starts_with(start)) std::filesystem::remove(file, ignored);
}

}  // namespace

bool is_strippable(ElementType type) {
  return holds_numbers(type) && (is_float(type) || bits_of(type) <= 16);
}

Result<WeightStats> strip_weights(Model& model, const StripOptions& options) {
  Stripper stripper(options);
  for_each_graph(model, [&](Graph& graph) {
    for_each_weight(graph, [&](const TensorPtr& tensor, const std::string&, const auto&) {
      if (stripper.takes(tensor)) stripper.expect(tensor);
    });
  });
  Status status = done();
  for_each_graph(model, [&](Graph& graph) {
    for_each_weight(graph,
                    [&](const TensorPtr& tensor, const std::string& name, const auto& replace) {
                      if (!status || !stripper.takes(tensor)) return;
                      Result<TensorPtr> stripped = stripper.take(tensor, name);
                      if (stripped) {
                        replace(std::move(stripped).value());
                      } else {
                        status = fail(std::move(stripped).error());
                      }
                    });
  });
  HONE_TRY_DO(std::move(status));
  HONE_TRY_DO(bring_inside(model, options.name + ".weights"));
  return std::move(stripper).finish();
}

Result<SaveReport> save_stripped(const Model& model, const WeightStats& stats, const Path& path,
                                 bool overwrite) {
  HONE_TRY_DO(refuse_existing(stats_path_for(path), overwrite));
  HONE_TRY_DO(refuse_existing(path, overwrite));
  HONE_TRY(const std::string bytes, serialize(model));
  const Path before = stats_path_before(path, sha256(bytes));
  HONE_TRY(AtomicFile first, write_stats(stats, stats_path_for(path)));
  HONE_TRY_DO(first.commit_as(before));
  SaveOptions options;
  options.placement = DataPlacement::keep;  // of references to data that is not there
  options.overwrite = overwrite;
  HONE_TRY(SaveReport saved, save_model(model, path, options));
  HONE_TRY(AtomicFile second, AtomicFile::take(before, stats_path_for(path)));
  HONE_TRY_DO(second.commit());
  remove_stats_left(path);
  return saved;
}

}  // namespace hone
