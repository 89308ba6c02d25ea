#pragma once
// The tensors that are looked at while the models run, and what was seen so far.

#include <optional>
#include <string>
#include <vector>

#include "inspect/debug/counterparts.h"
#include "inspect/debug/pairs.h"
#include "inspect/debug/range.h"

namespace hone {

struct Track {
  std::string name;
  RoundedTensor rounded;
  const Value* original = nullptr;  // of the float model; null: it has no counterpart
  const Node* absorbed = nullptr;
  Bounds bounds;  // that the absorbed node keeps
  // Where the three are looked at: themselves, or what lifting made of them.
  const Value* before_at = nullptr;
  const Value* after_at = nullptr;
  const Value* original_at = nullptr;
  // In half precision: of the float model, what the node alone leaves of its tensor (shadows.h).
  const Value* shadow_at = nullptr;
  std::uint64_t elements = 0;  // of the first sample
  ErrorSums local;
  ErrorSums cumulative;
  RangeCounts range;            // of the float model's tensor, in half precision
  ErrorSums device;             // against the same tensor on the CPU
  ErrorSums device_cumulative;  // against the float model
  std::string problem;          // why it was given up
};

struct OutputTrack {
  const Value* original = nullptr;
  const Value* quantized = nullptr;
  ErrorSums cumulative{};
  ErrorSums device{};
  ErrorSums device_cumulative{};
  std::string problem{};
};

struct Tracks {
  std::vector<Track> tensors;  // in the topological order of what is left of them
  std::vector<OutputTrack> outputs;
};

// Lifts what lies in subgraphs, so both models change: REQUIRES copies of the caller's. What cannot
// be tracked is added to `unmatched`. Without `with_subgraphs` nothing is lifted.
Tracks make_tracks(Model& float_model, Model& quantized_model, const Quantization& quantization,
                   const Counterparts& counterparts, bool with_subgraphs,
                   std::vector<UnmatchedTensor>& unmatched);

// For each track the nearest tracks before it, by position.
std::vector<std::vector<std::size_t>> inputs_of(const std::vector<Track>& tracks);

// The node a tensor is known by: what makes it, aside from QuantizeLinear, DequantizeLinear and
// Casts that round; what reads it where it is an input. Null where there is none.
const Node* node_of(const Value& value);

}  // namespace hone
