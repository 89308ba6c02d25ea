#pragma once
// A pass: one rewrite of the graph, on its own. One file in passes/ that returns this struct, and
// one line in passes.inc, whose order is the order in which passes run.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "transform/detection.h"
#include "transform/patterns.h"
#include "transform/rewriter.h"

namespace hone {

// What the verifier may hold a pass to.
enum class Numerics {
  bitwise,  // the outputs are the same bytes
  close,    // they differ by rounding
  relaxed,  // they differ where the pass says so (a clamp, an epsilon that is dropped): never on by
            // itself
};

struct Pass {
  std::string_view name;     // kebab-case, for ever
  std::string_view summary;  // at most 72 characters, no full stop
  std::string_view category;
  Numerics numerics = Numerics::bitwise;
  std::vector<std::string_view> depends_on{};  // other capabilities, switched on with it
  // Null for a group: a name for the passes it depends on, which rewrites nothing of its own.
  Status (*run)(Rewriter& rewriter) = nullptr;
  // What `analyze` looks for to suggest it, and so builds and searches to try it by themselves;
  // nothing: it is done only when it is asked for.
  std::optional<Detection> detection{};
};

std::span<const Pass> all_passes();
// The one of that name; null when there is none.
const Pass* find_pass(std::string_view name);

struct PassEffect {
  std::string name;
  std::size_t rewrites = 0;
  std::vector<Declined> declined;
};

// Runs one pass over the model, removes what it left unused, and puts nodes into order. A pass sees
// them in order too: a graph with a cycle is an error before it begins. A group runs its passes in
// turn.
Result<PassEffect> run_pass(const Pass& pass, Model& model);

namespace passes {
#define HONE_PASS(name) Pass name();
#include "transform/passes.inc"
#undef HONE_PASS
}  // namespace passes

}  // namespace hone
