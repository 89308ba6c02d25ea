#pragma once
// What a decoder is fed with, by the names that exporters give its inputs, and where its caches go.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session.h"

namespace hone {

enum class PortUse {
  ids,           // [rows, length]
  mask,          // of its tokens and those before, 0: none
  source_mask,   // of what the encoder saw
  positions,     // [rows, length]
  states,        // of the encoder
  cache,         // of the step before
  cache_switch,  // whether there are caches: two graphs in one (Optimum's merged decoders)
};

struct DecoderInput {
  Port port;
  PortUse use = PortUse::ids;
  std::string cache{};  // "0.decoder.key": what both sides share of its name
};

struct DecoderPorts {
  std::vector<DecoderInput> inputs;
  // Of each output the cache it is of; empty: none.
  std::vector<std::string> caches;
  std::size_t logits = 0;
  bool has(PortUse use) const;
};

// An input of another name, and outputs without logits, are refused: a wrong guess would write
// nonsense.
Result<DecoderPorts> read_decoder_ports(const std::string& part, const Session& session);

// Whether a cache is of what the encoder made: it stays as it is.
bool is_of_encoder(const std::string& cache);

// A cache in which nothing is yet.
Result<TensorPtr> empty_cache(const Port& port, std::size_t rows);
// Numbers as the input has them. REQUIRES: as many as `dims` say.
Result<TensorPtr> whole_numbers(const Port& port, std::vector<std::int64_t> dims,
                                const std::vector<std::int64_t>& numbers);

}  // namespace hone
