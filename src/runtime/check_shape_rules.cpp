// Whether what a user says about shapes fits the models it is said of.

#include <algorithm>

#include "base/join_some.h"
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

}  // namespace

Status check_shape_rules(const ShapeRules& rules, const std::vector<std::vector<Port>>& models) {
  const Names names = names_of(models);
  for (const auto& [name, dims] : rules.inputs) {
    const std::vector<const Port*> ports = inputs_called(models, name);
    if (ports.empty()) return no_such(name, "input", names, false);
    for (const Port* port : ports) HONE_TRY_DO(check_fits(*port, dims));
  }
  for (const auto& [name, value] : rules.values) {
    if (inputs_called(models, name).empty()) return no_such(name, "input", names, false);
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
