#include "runtime/input_facts.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace hone {
namespace {

constexpr int deepest = 8;

bool keeps_numbers(const Node& node) {
  return node.is("Cast") || node.is("Identity") || node.is("Reshape") || node.is("Unsqueeze") ||
         node.is("Squeeze") || node.is("Flatten") || node.is("Expand");
}

// Calls `visit` for every use of the value's numbers, behind ops that keep them too.
void for_each_use(const Value& value, int depth, const auto& visit) {
  if (depth > deepest) return;
  for (const Use& use : value.uses()) {
    visit(use);
    if (keeps_numbers(*use.node) && use.index == 0 && use.node->output(0) != nullptr)
      for_each_use(*use.node->output(0), depth + 1, visit);
  }
}

// The last row of the table that this input of the node is an index into.
std::optional<std::int64_t> last_index(const Use& use) {
  const Node& node = *use.node;
  const bool gathers = (node.is("Gather") || node.is("GatherElements")) && use.index == 1;
  // Word, position and segment tables are inputs 2 to 4; ids and segments are inputs 0 and 1.
  const bool embeds = node.op_type == "EmbedLayerNormalization" && use.index < 2;
  if (!gathers && !embeds) return std::nullopt;
  const Value* held = node.input(gathers ? 0 : (use.index == 0 ? 2 : 4));
  const TensorPtr table = held != nullptr ? held->constant() : nullptr;
  const auto axis =
      table ? place_of(gathers ? node.int_or("axis", 0) : 0, table->dims.size()) : std::nullopt;
  return axis ? std::optional(table->dims[*axis] - 1) : std::nullopt;
}

std::optional<IndexRange> index_range(const Value& input) {
  std::optional<IndexRange> range;
  for_each_use(input, 0, [&](const Use& use) {
    const auto last = last_index(use);
    if (last && *last >= 0) range = {0, range ? std::min(range->high, *last) : *last};
  });
  return range;
}

std::optional<double> single_number(const Value* value) {
  const TensorPtr tensor = value != nullptr ? value->constant() : nullptr;
  if (!tensor || tensor->element_count() != 1) return std::nullopt;
  if (is_float(tensor->type)) {
    const auto numbers = to_doubles(*tensor);
    return numbers ? std::optional(numbers->front()) : std::nullopt;
  }
  const auto numbers = to_ints(*tensor);
  return numbers ? std::optional(static_cast<double>(numbers->front())) : std::nullopt;
}

// What it is asked for.
std::optional<double> compared_value(const Value& input) {
  std::optional<double> value;
  for_each_use(input, 0, [&](const Use& use) {
    if (!value && use.node->is("Equal")) value = single_number(use.node->input(1 - use.index));
  });
  return value;
}

bool decides_branch(const Value& input) {
  bool decides = false;
  for_each_use(input, 0, [&](const Use& use) {
    decides = decides || (use.node->is("If") && use.index == 0);
  });
  return decides;
}

bool is_mask(const std::string& name) { return lowercase(name).find("mask") != std::string::npos; }

void read_values(const Model& model, InputFacts& facts) {
  for (const Value* input : model.graph->inputs()) {
    if (input->initializer()) continue;
    if (const auto value = compared_value(*input)) facts.values[input->name()] = *value;
    if (decides_branch(*input)) facts.branches.insert(input->name());
    if (is_float(input->type.element)) continue;
    const auto range = index_range(*input);
    if (range) facts.ranges[input->name()] = *range;
    if (!range && is_mask(input->name())) facts.ranges[input->name()] = {1, 1};
  }
}

// What inputs are cut into, directly or behind ops that keep their numbers.
void read_frames(const Model& model, InputFacts& facts) {
  constexpr std::int64_t most_of_a_frame = 1 << 16;
  constexpr std::size_t most_frames = 4;
  std::set<std::int64_t> frames;
  for (const Value* input : model.graph->inputs()) {
    for_each_use(*input, 0, [&](const Use& use) {
      const Value* sizes = use.node->is("Reshape") && use.index == 0 ? use.node->input(1) : nullptr;
      const TensorPtr held = sizes != nullptr ? sizes->constant() : nullptr;
      if (!held) return;
      const auto numbers = to_ints(*held);
      if (!numbers || std::ranges::find(*numbers, -1) == numbers->end()) return;
      for (const std::int64_t number : *numbers)
        if (number > 1 && number <= most_of_a_frame) frames.insert(number);
    });
  }
  for (const std::int64_t frame : frames)
    if (facts.frames.size() < most_frames) facts.frames.push_back(frame);
}

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

// "a + b", "a - 1", "a * 2", "a / 2", as exporters write them.
void tie_expression(InputFacts& facts, DimSystem::Id dim, const std::string& symbol) {
  for (const char op : {'+', '-', '*', '/'}) {
    const std::size_t at = symbol.find(std::string(" ") + op + " ");
    if (at == std::string::npos || at == 0) continue;
    const std::string left = symbol.substr(0, at);
    const std::string right = symbol.substr(at + 3);
    const auto number = number_in(right);
    if (right.empty() || (!number && op != '+')) return;
    const DimSystem::Id first = dim_of_symbol(facts, left);
    if (op == '+' && !number) facts.system.add_sum(dim, {first, dim_of_symbol(facts, right)});
    if (op == '+' && number) facts.system.add_sum(dim, {first}, *number);
    if (op == '-') facts.system.add_sum(dim, {first}, -*number);
    if (op == '*') facts.system.add_scale(dim, first, *number, 1);
    if (op == '/') facts.system.add_scale(dim, first, 1, *number);
    return;
  }
}

}  // namespace

std::string symbol_of(const Dim& dim) { return dim.value || dim.symbol == "?" ? "" : dim.symbol; }

DimSystem::Id dim_of_symbol(InputFacts& facts, const std::string& symbol) {
  if (const auto found = facts.symbols.find(symbol); found != facts.symbols.end())
    return found->second;
  const DimSystem::Id dim = facts.symbols[symbol] = facts.system.open();
  tie_expression(facts, dim, symbol);
  return dim;
}

InputFacts read_input_facts(const Model& model) {
  InputFacts facts;
  for (const Value* input : model.graph->inputs()) {
    if (input->initializer() || !input->type.is_tensor() || !input->type.shape) continue;
    DimIds& dims = facts.dims[input->name()];
    for (const Dim& dim : *input->type.shape) {
      // PaddlePaddle writes -1 for a dimension that is open; known() takes it as that.
      const std::string symbol = symbol_of(dim);
      dims.push_back(!symbol.empty() ? dim_of_symbol(facts, symbol)
                                     : facts.system.known(dim.value.value_or(-1)));
    }
  }
  DimTracer tracer(facts.system);
  for (const Value* input : model.graph->inputs()) {
    const auto found = facts.dims.find(input->name());
    if (found != facts.dims.end()) tracer.set_shape(input, found->second);
  }
  tracer.trace(*model.graph);
  facts.system.solve();
  read_values(model, facts);
  read_frames(model, facts);
  return facts;
}

}  // namespace hone
