#include "runtime/sample_stream.h"

#include <algorithm>

#include "base/file.h"

namespace hone {

Result<SampleStream> SampleStream::from_files(const Path& file_or_folder, std::vector<Port> inputs,
                                              std::size_t limit) {
  SampleStream stream;
  HONE_TRY(stream.files_, list_sample_files(file_or_folder));
  stream.inputs_ = std::move(inputs);
  stream.limit_ = limit;
  return stream;
}

Result<SampleStream> SampleStream::from_seed(std::vector<Port> inputs, ShapeRules rules,
                                             InputFacts facts, std::uint64_t seed,
                                             std::size_t count) {
  SampleStream stream;
  HONE_TRY(const ClosedInputs closed, close_inputs(inputs, rules, facts));
  if (std::string line = describe_assumptions(closed); !line.empty())
    stream.assumptions_.push_back(std::move(line));
  // From here on nothing is open, and the graph needs no second look.
  stream.rules_ = rules_of(closed, inputs);
  stream.facts_.ranges = std::move(facts.ranges);
  stream.inputs_ = std::move(inputs);
  stream.seed_ = seed;
  stream.limit_ = count;
  return stream;
}

Result<std::optional<Sample>> SampleStream::next() {
  if (given_ >= limit_) return std::optional<Sample>();
  if (is_seeded()) {
    // Sample i of a seed is the first one of seed + i.
    HONE_TRY(GeneratedSamples made, generate_samples(inputs_, rules_, facts_, seed_ + given_, 1));
    ++given_;
    return std::optional(std::move(made.samples.front()));
  }
  while (loaded_.empty() && next_file_ < files_.size()) {
    HONE_TRY(LoadedSamples read, load_samples(files_[next_file_++], inputs_));
    std::move(read.samples.begin(), read.samples.end(), std::back_inserter(loaded_));
    for (std::string& note : read.notes)
      if (std::ranges::find(assumptions_, note) == assumptions_.end())
        assumptions_.push_back(std::move(note));
  }
  if (loaded_.empty()) return std::optional<Sample>();
  std::optional<Sample> sample = std::move(loaded_.front());
  loaded_.pop_front();
  ++given_;
  return sample;
}

void SampleStream::rewind() {
  given_ = 0;
  next_file_ = 0;
  loaded_.clear();
}

std::string SampleStream::identity() const {
  if (is_seeded()) {
    return "seed " + std::to_string(seed_) + " samples " + std::to_string(limit_) + " " +
           to_shape_text(rules_);
  }
  std::string text = "limit " + std::to_string(limit_);
  for (const Path& file : files_) text += "\n" + stamp_of_file(file);
  return text;
}

}  // namespace hone
