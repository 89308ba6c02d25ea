#pragma once
// What a graph says about the inputs it takes: sizes its weights ask for, dimensions that are one,
// tables that are indexed, numbers an input is compared with.

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "model/model.h"
#include "runtime/dim_tracer.h"

namespace hone {

// The values an integer input may take, both ends included.
struct IndexRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

struct InputFacts {
  DimSystem system{};
  std::map<std::string, DimIds> dims{};            // of inputs that have a rank
  std::map<std::string, DimSystem::Id> symbols{};  // of their dimensions
  // Inputs that index into a table of the model (token ids into an embedding) must stay inside it.
  // Masks are ones.
  std::map<std::string, IndexRange> ranges{};
  // The first constant an input is compared with.
  std::map<std::string, double> values{};
  // Sizes that Reshapes ask for, small ones first: what is cut into frames of 441 is a multiple.
  std::vector<std::int64_t> frames{};
  // Inputs that decide which branch of an If is taken.
  std::set<std::string> branches{};
};

InputFacts read_input_facts(const Model& model);

// The name of an open dimension; empty where it has none. PaddlePaddle calls all of them "?".
std::string symbol_of(const Dim& dim);

// The dimension of a symbol, made when it is new. "past + sequence" and "length / 2" are tied to
// the symbols they name.
DimSystem::Id dim_of_symbol(InputFacts& facts, const std::string& symbol);

}  // namespace hone
