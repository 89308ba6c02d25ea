#pragma once
// Filling a model whose weights were taken out: seeded normal numbers of the statistics that were
// kept. Bytes depend on the seed, the tensors' names, types, shapes and statistics, and on nothing
// else: not on the machine, the number of threads, or the other tensors.

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "model/model.h"
#include "model/weights/stats.h"

namespace hone {

struct HydrateOptions {
  std::uint64_t seed = 0;
  int threads = 2;
  bool overwrite = false;
  ByteProgress progress = {};  // called from the thread that writes
};

struct HydrateReport {
  std::uint64_t tensors = 0;
  std::uint64_t bytes = 0;
  std::vector<Path> data_files;
};

// Writes the weights into "<stem>.weights" beside `model_path` (numbered when the model's tensors
// refer to several files), then the model that refers to it.
// Every tensor that the statistics name is filled; one that is absent and not named is an error.
Result<HydrateReport> hydrate(const Model& model, const WeightStats& stats, const Path& model_path,
                              const HydrateOptions& options);

// The dense bytes of elements [first, first + count) of a tensor, as hydrate writes them.
// REQUIRES: first is even, holds_numbers(stats.type()).
std::string hydrated_bytes(std::uint64_t seed, std::string_view name, const TensorStats& stats,
                           std::uint64_t first, std::uint64_t count);

}  // namespace hone
