#include "runtime/close_inputs.h"

#include <algorithm>
#include <array>

#include "base/join_some.h"
#include "base/misuse.h"

namespace hone {
namespace {

// What an open dimension is taken to be when nobody says: one image of a usual size, a sentence of
// a usual length, nothing remembered yet.
constexpr std::int64_t assumed_extent = 320;
constexpr std::int64_t assumed_depth = 32;
constexpr std::int64_t assumed_length = 128;
constexpr std::size_t most_named = 6;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 28;

bool mentions(const std::string& text, std::string_view word) {
  return lowercase(text).find(word) != std::string::npos;
}

bool is_open(const Dim& dim) { return !dim.value || *dim.value < 0; }

// Channels last: an open picture whose last dimension is known to be few.
bool is_channels_last(const Shape& shape) {
  return shape.size() == 4 && !is_open(shape[3]) && *shape[3].value <= 4 && is_open(shape[1]);
}

bool counts_steps(const std::string& symbol) {
  return mentions(symbol, "seq") || mentions(symbol, "len") || mentions(symbol, "token") ||
         mentions(symbol, "frame");
}

// [layers, batch, size]: what a recurrent network is handed back.
bool is_batch_of_state(const Port& port, std::size_t axis) {
  constexpr auto short_names = std::to_array<std::string_view>({"h", "c", "h0", "c0", "hn", "cn"});
  const std::string name = lowercase(port.name);
  const bool is_state = mentions(name, "state") || mentions(name, "hidden") ||
                        mentions(name, "cell") ||
                        std::ranges::find(short_names, name) != short_names.end();
  return is_state && axis == 1 && port.type.shape->size() == 3 &&
         !is_open(port.type.shape->front());
}

DimRole role_of(const Port& port, std::size_t axis) {
  const Shape& shape = *port.type.shape;
  const std::string symbol = symbol_of(shape[axis]);
  if (axis == 0 || mentions(symbol, "batch") || is_batch_of_state(port, axis))
    return DimRole::batch;
  if (mentions(symbol, "past") || mentions(port.name, "past_")) return DimRole::past;
  const bool is_picture = shape.size() >= 4 && (axis >= 2 || is_channels_last(shape));
  if (is_picture && !counts_steps(symbol)) return DimRole::extent;
  return DimRole::length;
}

// A volume of 320 in each direction is more than most machines hold.
std::int64_t usual_size(DimRole role, std::size_t rank) {
  switch (role) {
    case DimRole::batch:
      return 1;
    case DimRole::past:
      return 0;
    case DimRole::extent:
      return rank > 4 ? assumed_depth : assumed_extent;
    case DimRole::length:
      return assumed_length;
  }
  return 1;
}

// "x=1x3x32x32": the shape with its open dimensions as small as may do.
std::string smaller(const Port& port, const std::vector<std::int64_t>& shape) {
  std::string text = port.name + "=";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool may_be_less = is_open((*port.type.shape)[axis]);
    text += axis == 0 ? "" : "x";
    text += std::to_string(may_be_less ? std::min(shape[axis], assumed_depth) : shape[axis]);
  }
  return text;
}

std::string shell_word(const std::string& text) {
  const std::string words[] = {text};
  return to_shell(words);
}

class Closing {
 public:
  Closing(const std::vector<Port>& ports, const ShapeRules& rules, const InputFacts& facts)
      : ports_(ports), rules_(rules), said_(facts), facts_(facts) {}

  Result<ClosedInputs> run(const std::vector<DimGuess>& guesses) {
    for (const Port& port : ports_) HONE_TRY_DO(enter(port));
    for (const auto& [symbol, size] : rules_.symbols) {
      const auto dim = facts_.symbols.find(symbol);
      if (dim != facts_.symbols.end()) take_word(dim->second, size);
    }
    facts_.system.solve();
    if (rules_.batch > 0) ask_for_batch();
    for (const DimGuess& guess : guesses) assume_size(dims_[guess.input][guess.axis], guess.size);
    assume(/*is_second_round*/ false);
    assume(/*is_second_round*/ true);
    for (const Port& port : ports_) list_open(port);
    for (const Port& port : ports_) HONE_TRY_DO(finish(port));
    close_values();
    return std::move(closed_);
  }

  // The user says something else than the graph.
  bool is_contradicted() const { return is_contradicted_; }

 private:
  // What the rules say of this input alone.
  std::optional<std::vector<std::int64_t>> given_shape(const Port& port) const {
    const auto whole = rules_.inputs.find(port.name);
    if (whole != rules_.inputs.end()) return whole->second;
    const auto length = rules_.symbols.find(port.name);
    const bool has_one =
        !port.type.shape || (port.type.shape->size() == 1 && is_open(port.type.shape->front()));
    if (length == rules_.symbols.end() || !has_one) return std::nullopt;
    return std::vector{length->second};
  }

  Status enter(const Port& port) {
    const auto given = given_shape(port);
    if (!port.type.shape && !given) {
      return misuse(
          "the input '" + printable(port.name) + "' has no rank, so no sample can be made for it",
          "give its shape: --shape-config " +
              shell_word(to_shape_text({.inputs = {{port.name, {1, 128}}}})));
    }
    DimIds& dims = dims_[port.name];
    const auto traced = facts_.dims.find(port.name);
    const std::size_t rank = given ? given->size() : port.type.shape->size();
    const bool is_traced = traced != facts_.dims.end() && traced->second.size() == rank;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const bool is_declared = port.type.shape && port.type.shape->size() == rank;
      const Dim declared = is_declared ? (*port.type.shape)[axis] : Dim{};
      dims.push_back(is_traced ? traced->second[axis] : facts_.system.open());
      if (const std::string symbol = symbol_of(declared); !symbol.empty())
        facts_.system.equate(dims.back(), dim_of_symbol(facts_, symbol));
      if (given) take_word(dims.back(), (*given)[axis]);
      if (!given && !is_open(declared)) facts_.system.set(dims.back(), *declared.value);
    }
    if (given) closed_.shapes[port.name] = *given;
    return done();
  }

  // What the user says of a dimension.
  void take_word(DimSystem::Id dim, std::int64_t size) {
    const auto known = facts_.system.size(dim);
    is_contradicted_ = is_contradicted_ || (known && *known != size);
    facts_.system.set(dim, size);
  }

  void ask_for_batch() {
    for (const Port& port : ports_) {
      const bool is_asked = port.type.shape && !port.type.shape->empty() &&
                            is_open(port.type.shape->front()) &&
                            !rules_.symbols.contains(symbol_of(port.type.shape->front())) &&
                            !closed_.shapes.contains(port.name);
      if (is_asked) take_word(dims_[port.name].front(), rules_.batch);
    }
    facts_.system.solve();
  }

  // The usual size for what is still open. What follows from others comes after them.
  void assume(bool is_second_round) {
    for (const Port& port : ports_) {
      if (closed_.shapes.contains(port.name)) continue;
      for (std::size_t axis = 0; axis < port.type.shape->size(); ++axis) {
        const DimSystem::Id dim = dims_[port.name][axis];
        const bool is_expression =
            symbol_of((*port.type.shape)[axis]).find(' ') != std::string::npos;
        if (facts_.system.size(dim) || (is_expression && !is_second_round)) continue;
        const DimRole role = role_of(port, axis);
        assume_size(dim, role == DimRole::batch ? batch_of_others()
                                                : usual_size(role, port.type.shape->size()));
      }
    }
  }

  // Where one input was given with a batch, the others come in as many.
  std::int64_t batch_of_others() const {
    for (const Port& port : ports_) {
      const auto given = closed_.shapes.find(port.name);
      if (given == closed_.shapes.end() || given->second.size() < 2 || !port.type.shape) continue;
      if (is_open(port.type.shape->front())) return given->second.front();
    }
    return usual_size(DimRole::batch, 0);
  }

  void assume_size(DimSystem::Id dim, std::int64_t size) {
    if (facts_.system.size(dim)) return;
    assumed_.push_back(facts_.system.root(dim));
    facts_.system.set(dim, size);
    facts_.system.solve();
  }

  // Which of them the user did not close.
  void list_open(const Port& port) {
    if (closed_.shapes.contains(port.name)) return;
    const Shape& shape = *port.type.shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const std::string symbol = symbol_of(shape[axis]);
      const bool is_given =
          (!symbol.empty() && rules_.symbols.contains(symbol)) || (axis == 0 && rules_.batch > 0);
      if (!is_open(shape[axis]) || is_given) continue;
      const DimSystem::Id root = facts_.system.root(dims_[port.name][axis]);
      OpenDim& open = closed_.open.emplace_back(
          OpenDim{port.name, axis, symbol, *facts_.system.size(root), role_of(port, axis)});
      open.origin = origin_of(port, axis);
      open.is_repeated = std::ranges::find(seen_, root) != seen_.end();
      seen_.push_back(root);
    }
  }

  DimOrigin origin_of(const Port& port, std::size_t axis) const {
    const DimSystem::Id root = facts_.system.root(dims_.at(port.name)[axis]);
    if (std::ranges::find(assumed_, root) != assumed_.end()) return DimOrigin::assumed;
    const auto traced = said_.dims.find(port.name);
    const bool is_said = traced != said_.dims.end() && axis < traced->second.size() &&
                         said_.system.size(traced->second[axis]);
    return is_said ? DimOrigin::graph : DimOrigin::follows;
  }

  Status finish(const Port& port) {
    if (!closed_.shapes.contains(port.name)) {
      std::vector<std::int64_t>& shape = closed_.shapes[port.name];
      for (std::size_t axis = 0; axis < port.type.shape->size(); ++axis) {
        const Dim& declared = (*port.type.shape)[axis];
        shape.push_back(is_open(declared) ? *facts_.system.size(dims_[port.name][axis])
                                          : *declared.value);
      }
    }
    const std::vector<std::int64_t>& shape = closed_.shapes[port.name];
    const auto count = count_elements(shape);
    if (count && *count <= most_elements) return done();
    return fail(Fault::bad_input,
                "the input '" + printable(port.name) + "' would be too large: " +
                    to_string(Type::tensor(port.type.element, shape_of(shape))),
                {}, "give its shape: --shape-config " + shell_word(smaller(port, shape)));
  }

  void close_values() {
    for (const Port& port : ports_) {
      const auto given = rules_.values.find(port.name);
      const auto number = rules_.symbols.find(port.name);
      const auto said = facts_.values.find(port.name);
      const bool is_scalar = closed_.shapes[port.name].empty();
      if (given != rules_.values.end()) {
        closed_.values[port.name] = given->second;
      } else if (is_scalar && number != rules_.symbols.end()) {
        closed_.values[port.name] = static_cast<double>(number->second);
      } else if (said != facts_.values.end() && is_single(port)) {
        closed_.values[port.name] = said->second;
        closed_.graph_values[port.name] = said->second;
      } else if (facts_.branches.contains(port.name) && is_single(port)) {
        closed_.branches.insert(port.name);
      } else if (is_length(port)) {
        closed_.values[port.name] = static_cast<double>(longest_length());
      }
    }
  }

  // A scalar, or what is declared to be one element: a sequence of one is none.
  static bool is_single(const Port& port) {
    return port.type.shape &&
           std::ranges::all_of(*port.type.shape, [](const Dim& dim) { return dim.value == 1; });
  }

  // How much of a sequence counts: all of it.
  bool is_length(const Port& port) const {
    const std::string name = lowercase(port.name);
    const bool is_named =
        mentions(name, "length") || name.ends_with("_len") || name.ends_with("_lens");
    return is_named && !is_float(port.type.element) && port.type.element != ElementType::boolean &&
           longest_length() > 0 && closed_.shapes.at(port.name).size() <= 1 &&
           !facts_.ranges.contains(port.name);
  }

  std::int64_t longest_length() const {
    std::int64_t longest = 0;
    for (const OpenDim& dim : closed_.open)
      if (dim.role == DimRole::length) longest = std::max(longest, dim.size);
    return longest;
  }

  const std::vector<Port>& ports_;
  const ShapeRules& rules_;
  const InputFacts& said_;  // before anything is closed
  InputFacts facts_;
  std::map<std::string, DimIds> dims_;
  std::vector<DimSystem::Id> seen_;
  std::vector<DimSystem::Id> assumed_;
  bool is_contradicted_ = false;
  ClosedInputs closed_;
};

InputFacts without_dims(const InputFacts& facts) {
  InputFacts plain;
  plain.ranges = facts.ranges;
  plain.values = facts.values;
  plain.branches = facts.branches;
  return plain;
}

std::string name_of_dim(const OpenDim& dim) {
  return dim.symbol.empty() ? dim.input + "[" + std::to_string(dim.axis) + "]" : dim.symbol;
}

}  // namespace

Result<ClosedInputs> close_inputs(const std::vector<Port>& ports, const ShapeRules& rules,
                                  const InputFacts& facts, const std::vector<DimGuess>& guesses) {
  Closing closing(ports, rules, facts);
  Result<ClosedInputs> closed = closing.run(guesses);
  if (!closing.is_contradicted()) return closed;
  // The user's word stands, and nothing follows from a graph that is contradicted.
  return Closing(ports, rules, without_dims(facts)).run(guesses);
}

ShapeRules rules_of(const ClosedInputs& closed, const std::vector<Port>& ports) {
  ShapeRules rules;
  for (const Port& port : ports) {
    const bool is_declared = port.type.shape && std::ranges::none_of(*port.type.shape, is_open);
    if (!is_declared) rules.inputs[port.name] = closed.shapes.at(port.name);
  }
  rules.values = closed.values;
  return rules;
}

std::string hint_text(const ClosedInputs& closed) {
  ShapeRules rules;
  for (const OpenDim& dim : closed.open) {
    // A symbol that an input is called like would size that too.
    const bool has_word = !dim.symbol.empty() && !closed.shapes.contains(dim.symbol);
    if (!has_word) rules.inputs[dim.input] = closed.shapes.at(dim.input);
    if (has_word && dim.origin != DimOrigin::follows) rules.symbols[dim.symbol] = dim.size;
  }
  rules.values = closed.graph_values;
  return to_shape_text(rules);
}

std::string describe_assumptions(const ClosedInputs& closed) {
  std::vector<std::string> assumed;
  std::vector<std::string> by_graph;
  std::vector<std::string> following;
  bool is_news = !closed.graph_values.empty();
  for (const OpenDim& dim : closed.open) {
    is_news = is_news || dim.role != DimRole::batch || dim.size != 1;
    if (dim.is_repeated) continue;
    const std::string sized = name_of_dim(dim) + "=" + std::to_string(dim.size);
    if (dim.origin == DimOrigin::assumed) assumed.push_back(sized);
    if (dim.origin == DimOrigin::graph) by_graph.push_back(sized);
    if (dim.origin == DimOrigin::follows) following.push_back(sized);
  }
  if (!is_news) return {};
  for (const auto& [name, value] : closed.graph_values)
    by_graph.push_back(to_shape_text({.values = {{name, value}}}));
  std::vector<std::string> parts;
  const std::size_t count = closed.open.size();
  if (count > 0)
    parts.push_back(std::to_string(count) + (count == 1 ? " dimension was" : " dimensions were") +
                    " open");
  if (!by_graph.empty()) parts.push_back("the graph says " + join_some(by_graph, most_named));
  if (!assumed.empty()) parts.push_back("assumed " + join_some(assumed, most_named));
  if (assumed.empty() && by_graph.empty())
    parts.push_back("it follows that " + join_some(following, most_named));
  if (const std::string hint = hint_text(closed); !hint.empty())
    parts.push_back("say otherwise with --shape-config " + shell_word(hint));
  return printable(join(parts, "; "));
}

}  // namespace hone
