#pragma once
// What is kept of weights that were taken out of a model: per tensor its type, shape, mean,
// standard deviation and place in the data file. This is the file beside a stripped model,
// NAME.stats.json:
//
//   {"model": "bert", "bytes": 4096, "tensors": {"w": {"dtype": 1, "shape": [32, 32],
//    "mean": 0.01, "std": 0.02, "offset": 0, "length": 4096}}}
//
// dtype is the number of TensorProto.DataType; offset and length lie in NAME.weights.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/result.h"
#include "model/types.h"
#include "record/fields.h"

namespace hone {

struct TensorStats {
  std::int32_t dtype = 0;
  std::vector<std::int64_t> shape;
  double mean = 0;
  double std = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  ElementType type() const { return static_cast<ElementType>(dtype); }
};

template <RecordOf<TensorStats> Self>
void for_each_field(Self& tensor, auto&& field) {
  field("dtype", tensor.dtype, Presence::required);
  field("shape", tensor.shape, Presence::required);
  field("mean", tensor.mean, Presence::required);
  field("std", tensor.std, Presence::required);
  field("offset", tensor.offset);
  field("length", tensor.length);
}

struct WeightStats {
  std::string model;
  std::uint64_t bytes = 0;                                   // of the data file
  std::vector<std::pair<std::string, TensorStats>> tensors;  // in the order of the data file
};

Result<WeightStats> load_stats(const Path& path);
Status save_stats(const WeightStats& stats, const Path& path);
// Complete, and without its name yet.
Result<AtomicFile> write_stats(const WeightStats& stats, const Path& path);

// "bert.stats.json" for "bert.onnx", in the same folder.
Path stats_path_for(const Path& model_path);

// The name they have before the model they belong to is in its place: that path with the first
// digits of the SHA-256 of its bytes, "bert.stats.json.hone-0123456789abcdef".
Path stats_path_before(const Path& model_path, const Digest& model);

// Where the statistics of the model at this path are: under the second name after a kill, else
// under the first.
Result<Path> find_stats(const Path& model_path);

}  // namespace hone
