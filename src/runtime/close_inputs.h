#pragma once
// Every input of a model with a shape: what the model declares, what the user says, what follows
// from that through the graph, and where nothing does, what is usual.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "record/shape_rules.h"
#include "runtime/input_facts.h"
#include "runtime/session.h"

namespace hone {

// What an open dimension most likely counts.
enum class DimRole { batch, past, extent, length };

// What closed a dimension: a guess, the graph, or others that were closed before it.
enum class DimOrigin { assumed, graph, follows };

// A dimension that the model leaves open and the user does not close.
struct OpenDim {
  std::string input{};
  std::size_t axis = 0;
  std::string symbol{};
  std::int64_t size = 0;
  DimRole role = DimRole::length;
  DimOrigin origin = DimOrigin::assumed;
  bool is_repeated = false;  // the same dimension stands before it
};

// A guess for one dimension, in the place of the usual one.
struct DimGuess {
  std::string input{};
  std::size_t axis = 0;
  std::int64_t size = 0;
};

struct ClosedInputs {
  std::map<std::string, std::vector<std::int64_t>> shapes{};
  std::map<std::string, double> values{};        // inputs that hold one value throughout
  std::map<std::string, double> graph_values{};  // those of them that the graph says
  std::set<std::string> branches{};              // false and true in turn
  std::vector<OpenDim> open{};
};

// Fails where an input has no rank and the rules no shape for it, or would be too large.
Result<ClosedInputs> close_inputs(const std::vector<Port>& ports, const ShapeRules& rules,
                                  const InputFacts& facts,
                                  const std::vector<DimGuess>& guesses = {});

// The rules under which these inputs are made, whatever else is assumed. What a model declares by
// itself is not among them.
ShapeRules rules_of(const ClosedInputs& closed, const std::vector<Port>& ports);

// What a user would write to have other sizes: symbols where there are, else whole shapes.
std::string hint_text(const ClosedInputs& closed);

// What was assumed in one line, with the words that say otherwise; empty when there is nothing to
// tell: a batch of one is no news.
std::string describe_assumptions(const ClosedInputs& closed);

// Names that no input and no dimension of the models has, ranks and sizes that an input does not
// take: each is an error that says what there is. A symbol may be one of any of the models.
Status check_shape_rules(const ShapeRules& rules, const std::vector<std::vector<Port>>& models);

}  // namespace hone
