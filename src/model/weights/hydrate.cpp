#include "model/weights/hydrate.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "base/text.h"
#include "model/elements.h"
#include "model/replace.h"
#include "model/weights/normal.h"

namespace hone {
namespace {

// Large enough that a write is worth its call, small enough that a few are nothing in memory. Even.
constexpr std::uint64_t piece_elements = 256 * 1024;
// Aligning tensors takes a page at most; a larger gap is a broken or hostile file.
constexpr std::uint64_t largest_gap = 64 * 1024;
constexpr std::size_t block_elements = 2048;

struct Filling {
  const Tensor* tensor;
  std::string name;
  const TensorStats* stats;
  std::uint64_t end() const { return tensor->external->offset + tensor->byte_size(); }
};

// One data file: its tensors in the order they lie there.
using DataFile = std::vector<Filling>;
using Plan = std::map<std::string, DataFile>;

struct Piece {
  const Filling* filling;
  std::uint64_t first;
  std::uint64_t count;
};

std::string name_of_weight(const Tensor& tensor, const Node* holder) {
  const bool is_constant = holder != nullptr && holder->is("Constant") && holder->output(0);
  return is_constant ? holder->output(0)->name() : tensor.name;
}

std::string to_text(const std::vector<std::int64_t>& dims) {
  std::vector<std::string> texts;
  for (const std::int64_t dim : dims) texts.push_back(std::to_string(dim));
  return "[" + join(texts, ",") + "]";
}

Status check_match(const Filling& filling) {
  const Tensor& tensor = *filling.tensor;
  const TensorStats& stats = *filling.stats;
  if (!holds_numbers(tensor.type)) {
    return fail(Fault::unsupported, "cannot make up values for tensor '" + filling.name +
                                        "' of type " + name_of(tensor.type));
  }
  if (tensor.type == stats.type() && tensor.dims == stats.shape) return done();
  return fail(Fault::bad_input, "the statistics do not belong to this model",
              "tensor '" + filling.name + "' is " + name_of(tensor.type) + to_text(tensor.dims) +
                  ", its statistics are for " + name_of(stats.type()) + to_text(stats.shape));
}

Failure has_no_stats(const std::string& name) {
  return fail(Fault::bad_input, "the statistics do not belong to this model",
              "they say nothing about tensor '" + name + "', whose data is absent");
}

// Two tensors may share one place; anything else that overlaps, or a place far off, is refused.
Status order_by_place(const std::string& location, DataFile& file) {
  std::ranges::sort(file, {}, [](const Filling& filling) {
    return std::pair(filling.tensor->external->offset, filling.tensor->byte_size());
  });
  const auto is_same_place = [](const Filling& a, const Filling& b) {
    return a.tensor->external->offset == b.tensor->external->offset && a.end() == b.end();
  };
  const auto rest = std::ranges::unique(file, is_same_place);
  file.erase(rest.begin(), rest.end());
  std::uint64_t end = 0;
  for (const Filling& filling : file) {
    const std::uint64_t offset = filling.tensor->external->offset;
    if (offset < end || offset - end > largest_gap || filling.end() < offset) {
      return fail(Fault::bad_input, "cannot lay out '" + location + "'",
                  "tensor '" + filling.name + "' at offset " + std::to_string(offset) +
                      (offset < end ? " overlaps the one before it"
                                    : " is far behind the one before it, which ends at " +
                                          std::to_string(end)));
    }
    end = filling.end();
  }
  return done();
}

// A data file is written as a whole, so all that lies in it must be made up.
Status check_nothing_is_lost(const Model& model, const Plan& plan) {
  Status status = done();
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node* holder) {
    if (!status || !tensor->external) return;
    const auto file = plan.find(tensor->external->location);
    if (file == plan.end()) return;
    const bool is_filled = std::ranges::any_of(
        file->second, [&](const Filling& filling) { return filling.tensor == tensor.get(); });
    if (is_filled) return;
    status = fail(Fault::bad_input, "the statistics do not belong to this model",
                  "they say nothing about tensor '" + name_of_weight(*tensor, holder) +
                      "', which shares '" + file->first + "' with tensors they name");
  });
  return status;
}

Result<Plan> make_plan(const Model& model, const WeightStats& stats) {
  std::map<std::string_view, const TensorStats*> by_name;
  for (const auto& [name, entry] : stats.tensors) by_name.emplace(name, &entry);
  Plan plan;
  Status status = done();
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node* holder) {
    if (!status || (!tensor->absent && !tensor->external)) return;
    Filling filling{tensor.get(), name_of_weight(*tensor, holder), nullptr};
    if (!tensor->external) {
      status = fail(tensor->bytes().error());
    } else if (const auto found = by_name.find(filling.name); found != by_name.end()) {
      filling.stats = found->second;
      status = check_match(filling);
      plan[tensor->external->location].push_back(std::move(filling));
    } else if (tensor->absent) {
      status = has_no_stats(filling.name);
    }
  });
  HONE_TRY_DO(std::move(status));
  HONE_TRY_DO(check_nothing_is_lost(model, plan));
  for (auto& [location, file] : plan) HONE_TRY_DO(order_by_place(location, file));
  return plan;
}

std::vector<Piece> cut(const DataFile& file) {
  std::vector<Piece> pieces;
  for (const Filling& filling : file) {
    const std::uint64_t total = filling.tensor->element_count();
    for (std::uint64_t first = 0; first < total; first += piece_elements) {
      pieces.push_back({&filling, first, std::min(piece_elements, total - first)});
    }
  }
  return pieces;
}

// Pieces are made on several threads and written in order, each by the thread that made it: while
// one thread writes, the others make.
class Writer {
 public:
  Writer(AtomicFile& file, std::vector<Piece> pieces, std::uint64_t seed,
         std::function<void(std::uint64_t)> written)
      : file_(file), pieces_(std::move(pieces)), seed_(seed), written_(std::move(written)) {}

  Status run(int threads) {
    std::vector<std::jthread> helpers;
    for (int i = 1; i < threads; ++i) helpers.emplace_back([this] { work(); });
    work();
    helpers.clear();  // joins
    if (error_) return fail(*error_);
    return done();
  }

 private:
  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      const std::size_t mine = next_++;
      if (mine >= pieces_.size() || error_) return;
      lock.unlock();
      const Piece& piece = pieces_[mine];
      const std::string bytes = hydrated_bytes(seed_, piece.filling->name, *piece.filling->stats,
                                               piece.first, piece.count);
      lock.lock();
      is_due_.wait(lock, [&] { return turn_ == mine || error_; });
      if (error_) return;
      const Status status = write(piece, bytes);
      if (!status) error_ = status.error();
      ++turn_;
      is_due_.notify_all();
    }
  }

  Status write(const Piece& piece, const std::string& bytes) {
    if (piece.first == 0) HONE_TRY_DO(file_.pad_to(piece.filling->tensor->external->offset));
    HONE_TRY_DO(file_.append(bytes));
    if (written_) written_(bytes.size());
    return done();
  }

  AtomicFile& file_;
  const std::vector<Piece> pieces_;
  const std::uint64_t seed_;
  const std::function<void(std::uint64_t)> written_;
  std::mutex mutex_;
  std::condition_variable is_due_;
  std::size_t next_ = 0;  // the next piece to make
  std::size_t turn_ = 0;  // the next piece to write
  std::optional<Error> error_;
};

std::uint64_t bytes_of(const Plan& plan) {
  std::uint64_t total = 0;
  for (const auto& [location, file] : plan) {
    for (const Filling& filling : file) total += filling.tensor->byte_size();
  }
  return total;
}

// Location -> the name its data gets beside the filled model: that model's own, so that a structure
// can be filled twice in one folder.
using DataNames = std::map<std::string, std::string>;

DataNames name_data(const Model& model, const Plan& plan, const Path& model_path) {
  std::set<std::string> taken;  // by data that stays as it is
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    if (tensor->external && !plan.contains(tensor->external->location)) {
      taken.insert(tensor->external->location);
    }
  });
  DataNames names;
  int number = 0;
  for (const auto& [location, file] : plan) {
    std::string name;
    do {
      const std::string suffix = number == 0 ? "" : "." + std::to_string(number);
      name = model_path.stem().string() + suffix + ".weights";
      ++number;
    } while (taken.contains(name));
    names.emplace(location, std::move(name));
  }
  return names;
}

// The model with its data: what was filled lies in files that are complete already.
Status save_with_references(const Model& model, const DataNames& names, const Path& path,
                            std::vector<writing::NewData> data, bool overwrite) {
  Model copy = clone(model);
  map_tensors(copy, [&](const TensorPtr& tensor, const Node*) -> TensorPtr {
    const auto name = tensor->external ? names.find(tensor->external->location) : names.end();
    if (name == names.end()) return tensor;
    auto reference = std::make_shared<Tensor>(*tensor);
    reference->external->location = name->second;
    reference->dense = {};
    reference->absent = true;
    return reference;
  });
  SaveOptions options;
  options.placement = DataPlacement::keep;
  options.overwrite = overwrite;
  HONE_TRY_DO(writing::save_with_data(copy, path, options, std::move(data)));
  return done();
}

}  // namespace

std::string hydrated_bytes(std::uint64_t seed, std::string_view name, const TensorStats& stats,
                           std::uint64_t first, std::uint64_t count) {
  const NormalStream stream(seed, name);
  std::string bytes(*bytes_of(stats.type(), count), '\0');
  std::array<double, block_elements> block;
  const std::uint64_t block_bytes = *bytes_of(stats.type(), block_elements);
  char* at = bytes.data();
  for (std::uint64_t made = 0; made < count; made += block_elements, at += block_bytes) {
    const std::span<double> numbers(block.data(),
                                    std::min<std::uint64_t>(block_elements, count - made));
    stream.fill(first + made, numbers);
    for (double& number : numbers) number = stats.mean + stats.std * number;
    encode_elements(stats.type(), numbers, at);
  }
  return bytes;
}

Result<HydrateReport> hydrate(const Model& model, const WeightStats& stats, const Path& model_path,
                              const HydrateOptions& options) {
  HONE_TRY(const Plan plan, make_plan(model, stats));
  const std::uint64_t total = bytes_of(plan);
  HydrateReport report;
  const auto count_written = [&](std::uint64_t bytes) {
    report.bytes += bytes;
    if (options.progress) options.progress(report.bytes, total);
  };
  const DataNames names = name_data(model, plan, model_path);
  for (const auto& [location, name] : names) {
    report.data_files.push_back(model_path.parent_path() / name);
    HONE_TRY_DO(refuse_existing(report.data_files.back(), options.overwrite));
  }
  std::vector<writing::NewData> written;
  for (const auto& [location, file] : plan) {
    const std::string& name = names.at(location);
    HONE_TRY(AtomicFile data, AtomicFile::create(model_path.parent_path() / name));
    HONE_TRY_DO(Writer(data, cut(file), options.seed, count_written).run(options.threads));
    report.tensors += file.size();
    written.push_back({name, std::move(data)});
  }
  HONE_TRY_DO(
      save_with_references(model, names, model_path, std::move(written), options.overwrite));
  return report;
}

}  // namespace hone
