#pragma once
// Samples one at a time, so that a thousand of them take the memory of one: from files that are
// opened when their turn comes, or made from a seed.

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "runtime/samples.h"

namespace hone {

class SampleStream {
 public:
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  // An .npz or a folder of them (see load_samples); at most `limit` samples are read. Memory is
  // that of one file.
  static Result<SampleStream> from_files(const Path& file_or_folder, std::vector<Port> inputs,
                                         std::size_t limit = no_limit);
  // The samples generate_samples makes.
  static Result<SampleStream> from_seed(std::vector<Port> inputs, ShapeRules rules,
                                        InputFacts facts, std::uint64_t seed, std::size_t count);

  // The next sample, or an empty one at the end. A model without inputs has one sample: nothing.
  Result<std::optional<Sample>> next();
  // Starts again at the first.
  void rewind();

  bool is_seeded() const { return files_.empty(); }
  // What was assumed so far; of files, with the samples that were read.
  const std::vector<std::string>& assumptions() const { return assumptions_; }
  // Differs when the samples do: names, sizes and times of the files, or what the seed makes.
  std::string identity() const;

 private:
  std::vector<Port> inputs_;
  std::size_t limit_ = 0;
  std::vector<Path> files_;
  ShapeRules rules_;
  InputFacts facts_;
  std::uint64_t seed_ = 0;
  std::vector<std::string> assumptions_;
  // Where we are.
  std::size_t given_ = 0;
  std::size_t next_file_ = 0;
  std::deque<Sample> loaded_;
};

}  // namespace hone
