// Whether what a user says about shapes fits the models it is said of.

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/join_some.h"
#include "base/misuse.h"
#include "runtime/close_inputs.h"

namespace hone {
namespace {

using Models = std::vector<std::vector<Port>>;

std::vector<const Port*> inputs_called(const Models& models, const std::string& name) {
  std::vector<const Port*> found;
  for (const auto& ports : models)
    for (const Port& port : ports)
      if (port.name == name) found.push_back(&port);
  return found;
}

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

struct Names {
  std::vector<std::string> inputs;
  std::vector<std::string> symbols;
};

Names names_of(const Models& models) {
  Names names;
  for (const auto& ports : models) {
    for (const Port& port : ports) {
      add_once(names.inputs, port.name);
      for (const Dim& dim : port.type.shape.value_or(Shape{}))
        if (const std::string symbol = symbol_of(dim); !symbol.empty())
          add_once(names.symbols, symbol);
    }
  }
  return names;
}

// "past + sequence" names two that may be sized as well.
bool is_part_of_symbol(const Names& names, const std::string& word) {
  return std::ranges::any_of(names.symbols, [&](const std::string& symbol) {
    return symbol == word || symbol.starts_with(word + " ") || symbol.ends_with(" " + word);
  });
}

std::string some_quoted(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back("'" + printable(name) + "'");
  return join_some(quoted, most);
}

Failure no_such(const std::string& name, const std::string& kind, const Names& names,
                bool takes_symbols) {
  std::vector<std::string> known = names.inputs;
  std::string cause = "its inputs are " + some_quoted(names.inputs);
  if (names.inputs.empty()) cause = "it has no inputs";
  if (takes_symbols) {
    known.insert(known.end(), names.symbols.begin(), names.symbols.end());
    cause += names.symbols.empty() ? "; none of their dimensions has a name"
                                   : "; their open dimensions " + some_quoted(names.symbols);
  }
  const std::string meant = nearest(name, known);
  return fail(Fault::bad_input, "the model has no " + kind + " '" + printable(name) + "'", cause,
              meant.empty() ? "--shape-config takes those names"
                            : "did you mean '" + printable(meant) + "'?");
}

std::string shape_text(const std::vector<std::int64_t>& dims) {
  std::vector<std::string> sizes;
  for (const std::int64_t dim : dims) sizes.push_back(std::to_string(dim));
  return join(sizes, "x");
}

Status check_fits(const Port& port, const std::vector<std::int64_t>& dims) {
  if (!port.type.shape) return done();
  const Shape& shape = *port.type.shape;
  bool fits = shape.size() == dims.size();
  for (std::size_t i = 0; fits && i < dims.size(); ++i)
    fits = !shape[i].value || *shape[i].value < 0 || *shape[i].value == dims[i];
  if (fits) return done();
  return fail(
      Fault::bad_input,
      "the input '" + printable(port.name) + "' does not take the shape " + shape_text(dims),
      "it is " + to_string(port.type), "only dimensions that are open can be sized");
}

// The user's own words about one dimension: a symbol's size, and the shape of an input that has it.
Status check_agrees(const ShapeRules& rules, const Models& models, const Port& port,
                    const std::vector<std::int64_t>& dims) {
  if (!port.type.shape || port.type.shape->size() != dims.size()) return done();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto said = rules.symbols.find(symbol_of((*port.type.shape)[i]));
    if (said == rules.symbols.end() || said->second == dims[i]) continue;
    // The word may mean the input of that name.
    if (!inputs_called(models, said->first).empty()) continue;
    const std::string symbol = printable(said->first);
    return fail(Fault::bad_input,
                "'" + symbol + "' cannot be " + std::to_string(said->second) + " and " +
                    std::to_string(dims[i]),
                symbol + "=" + std::to_string(said->second) + ", and " + printable(port.name) +
                    "=" + shape_text(dims) + " is " + to_string(port.type),
                "leave one of them out");
  }
  return done();
}

struct Whole {
  double least;
  double most;
};

// What an input of integers takes; nothing for other inputs.
std::optional<Whole> whole_numbers_of(ElementType type) {
  switch (type) {
    case ElementType::int8:
      return Whole{-0x1p7, 0x1p7 - 1};
    case ElementType::uint8:
      return Whole{0, 0x1p8 - 1};
    case ElementType::int16:
      return Whole{-0x1p15, 0x1p15 - 1};
    case ElementType::uint16:
      return Whole{0, 0x1p16 - 1};
    case ElementType::int32:
      return Whole{-0x1p31, 0x1p31 - 1};
    case ElementType::uint32:
      return Whole{0, 0x1p32 - 1};
    // Beyond these a double skips numbers.
    case ElementType::int64:
      return Whole{-0x1p53, 0x1p53};
    case ElementType::uint64:
      return Whole{0, 0x1p53};
    default:
      return std::nullopt;
  }
}

Status check_value(const Port& port, double value) {
  const auto range = whole_numbers_of(port.type.element);
  const bool fits =
      !range || (value == std::floor(value) && value >= range->least && value <= range->most);
  if (fits) return done();
  return fail(Fault::bad_input,
              "the input '" + printable(port.name) + "' does not take the value " +
                  to_shape_text({.values = {{port.name, value}}}).substr(port.name.size() + 2),
              "it is " + to_string(port.type), "a whole number that fits is taken");
}

Failure is_a_dimension(const std::string& name) {
  return misuse("'" + printable(name) + "' is a dimension, and takes a size",
                "write " + printable(name) + "=64: a whole number that is not negative");
}

}  // namespace

Status check_shape_rules(const ShapeRules& rules, const std::vector<std::vector<Port>>& models) {
  const Names names = names_of(models);
  for (const auto& [name, dims] : rules.inputs) {
    const std::vector<const Port*> ports = inputs_called(models, name);
    if (ports.empty()) return no_such(name, "input", names, false);
    for (const Port* port : ports) {
      HONE_TRY_DO(check_fits(*port, dims));
      HONE_TRY_DO(check_agrees(rules, models, *port, dims));
    }
  }
  for (const auto& [name, value] : rules.values) {
    const std::vector<const Port*> ports = inputs_called(models, name);
    if (ports.empty() && is_part_of_symbol(names, name)) return is_a_dimension(name);
    if (ports.empty()) return no_such(name, "input", names, false);
    for (const Port* port : ports) HONE_TRY_DO(check_value(*port, value));
  }
  for (const auto& [name, size] : rules.symbols) {
    if (is_part_of_symbol(names, name)) continue;
    const std::vector<const Port*> ports = inputs_called(models, name);
    if (ports.empty()) return no_such(name, "input or dimension", names, true);
    for (const Port* port : ports) {
      const bool is_scalar = port->type.shape && port->type.shape->empty();
      if (!is_scalar) HONE_TRY_DO(check_fits(*port, {size}));
    }
  }
  return done();
}

}  // namespace hone
