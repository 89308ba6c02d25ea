#pragma once
// The model a recipe is about: found by its hash, or made again from the skeleton in a bundle.

#include <vector>

#include "base/file.h"
#include "record/support.h"
#include "record/where.h"

namespace hone {

struct FoundSource {
  Path model;          // with weights
  ModelSource source;  // how it is known
  Path skeleton{};     // where it was hydrated from; empty: it came with its weights
  Path statistics{};   // of the skeleton's weights
};

// A model that somebody names: as it is, or hydrated into `work` where it is a skeleton.
Result<FoundSource> take_source(const Path& model, std::uint64_t seed, const Path& work,
                                const Host& host);

// The model of a bundle: its skeleton is hydrated into `work`, other models are looked for in
// `folders` by name and hash. Nothing else than the promised bytes is ever returned.
struct SourceSearch {
  Path bundle;
  std::vector<std::string> folders;
  Path work;
  Host host;
};
Result<Path> find_source(const ModelSource& source, const SourceSearch& search);

// Puts the skeleton, where there is one, into the bundle's folder.
Status keep_source(const FoundSource& found, const Path& bundle);

}  // namespace hone
