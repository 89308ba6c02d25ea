// Graphs made at random through the API survive print -> parse -> print, and texts damaged at
// random are refused or read, but never harm.

#include <gtest/gtest.h>

#include <functional>
#include <iterator>

#include "base/random.h"
#include "model/fingerprint.h"
#include "model/text/text.h"

namespace hone {
namespace {

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  Model model();

 private:
  bool coin() { return random_.below(2) == 0; }
  std::string any_name() { return coin() ? "" : name(); }
  std::string rare_name() { return random_.below(8) == 0 ? name() : ""; }
  std::uint64_t upto(std::uint64_t largest) { return random_.below(largest + 1); }
  std::string name();
  Dim dim();
  Type type(int depth);
  TensorPtr tensor(std::string tensor_name);
  SparseTensorPtr sparse();
  Attribute::Held held(Graph& graph, int depth);
  Attribute attribute(Graph& graph, int depth);
  std::vector<Value*> some_of(const std::vector<Value*>& visible);
  Metadata metadata();
  void fill(Graph& graph, int depth);
  void add_node(Graph& graph, std::vector<Value*>& visible, int depth);
  void add_function(Model& model);

  Random random_;
};

std::string Maker::name() {
  static const char* const names[] = {"x",           "y_1",       "/layer.0/MatMul_output_0",
                                      "a:0",         "1st",       "float",
                                      "nan",         "inf",       "quote\"",
                                      "back\\slash", "seq",       "\xc3\xa4",
                                      "a b",         "new\nline", "_",
                                      "type_7",      "Q",         "..."};
  return names[random_.below(std::size(names))];
}

Metadata Maker::metadata() {
  Metadata made;
  while (random_.below(4) == 0) made.emplace_back(name(), name());
  return made;
}

Dim Maker::dim() {
  Dim made;
  if (coin()) {
    made.value = static_cast<std::int64_t>(upto(100)) - 1;
  } else if (coin()) {
    made.symbol = name();
  }
  made.denotation = rare_name();
  return made;
}

Type Maker::type(int depth) {
  Type made;
  made.kind = static_cast<Type::Kind>(1 + random_.below(depth > 2 ? 2 : 6));
  made.denotation = rare_name();
  switch (made.kind) {
    case Type::Kind::opaque:
      made.opaque_domain = any_name();
      made.opaque_name = any_name();
      return made;
    case Type::Kind::tensor:
    case Type::Kind::sparse_tensor:
      if (coin()) made.shape.emplace();
      while (made.shape && coin()) made.shape->push_back(dim());
      break;
    default:
      if (random_.below(8) != 0) made.inner = std::make_shared<const Type>(type(depth + 1));
      break;
  }
  const bool has_element = made.kind != Type::Kind::sequence && made.kind != Type::Kind::optional;
  if (has_element) made.element = static_cast<ElementType>(random_.below(28));
  return made;
}

TensorPtr Maker::tensor(std::string tensor_name) {
  auto made = std::make_shared<Tensor>();
  made->name = std::move(tensor_name);
  made->type = static_cast<ElementType>(1 + random_.below(26));
  while (made->dims.size() < 3 && coin()) made->dims.push_back(static_cast<std::int64_t>(upto(4)));
  made->doc = rare_name();
  made->metadata = metadata();
  if (made->type == ElementType::string) {
    while (made->strings.size() < made->element_count()) made->strings.push_back(name());
  } else if (random_.below(8) == 0) {
    made->external = ExternalData{"w.bin", random_.next(), made->byte_size(), metadata()};
    made->absent = true;
  } else {
    std::string bytes;
    while (bytes.size() < made->byte_size()) bytes += static_cast<char>(random_.next());
    // The bits behind the last element of a packed type mean nothing and have no text.
    const std::uint64_t used =
        made->element_count() * static_cast<std::uint64_t>(bits_of(made->type)) % 8;
    if (used != 0) bytes.back() = static_cast<char>(bytes.back() & ((1 << used) - 1));
    made->dense = Blob::own(std::move(bytes));
  }
  return made;
}

SparseTensorPtr Maker::sparse() {
  auto made = std::make_shared<SparseTensor>();
  made->values = tensor(any_name());
  made->indices = tensor(any_name());
  while (coin()) made->dims.push_back(static_cast<std::int64_t>(upto(9)));
  return made;
}

Attribute::Held Maker::held(Graph& graph, int depth) {
  using Held = Attribute::Held;
  const auto real = [&] { return static_cast<float>(random_.uniform() * 100 - 50); };
  const auto integer = [&] { return static_cast<std::int64_t>(random_.next()); };
  const auto text = [&] { return Blob::own(name()); };
  const auto dense = [&] { return tensor(any_name()); };
  const auto sparse_one = [&] { return sparse(); };
  const auto any_type = [&] { return type(0); };
  const auto subgraph = [&] {
    auto inside = std::make_unique<Graph>(&graph);
    fill(*inside, depth + 1);
    return inside;
  };
  const auto several = [&](auto make) {
    std::vector<decltype(make())> list;
    while (coin()) list.push_back(make());
    return list;
  };
  const std::function<Held()> makers[] = {
      [&] { return Held(); },
      [&] { return Held(real()); },
      [&] { return Held(integer()); },
      [&] { return Held(text()); },
      [&] { return Held(dense()); },
      [&] { return Held(sparse_one()); },
      [&] { return Held(any_type()); },
      [&] { return Held(several(real)); },
      [&] { return Held(several(integer)); },
      [&] { return Held(several(text)); },
      [&] { return Held(several(dense)); },
      [&] { return Held(several(sparse_one)); },
      [&] { return Held(several(any_type)); },
      [&] { return Held(subgraph()); },
      [&] { return Held(several(subgraph)); },
  };
  constexpr std::size_t with_graphs = 2;
  return makers[random_.below(std::size(makers) - (depth < 2 ? 0 : with_graphs))]();
}

Attribute Maker::attribute(Graph& graph, int depth) {
  Attribute made;
  made.name = name();
  made.doc = rare_name();
  made.reference = rare_name();
  if (made.reference.empty()) {
    made.held = held(graph, depth);
  } else {
    made.declared = static_cast<AttributeType>(random_.below(16));
  }
  return made;
}

std::vector<Value*> Maker::some_of(const std::vector<Value*>& visible) {
  std::vector<Value*> chosen;
  while (!visible.empty() && coin()) {
    const bool is_left_out = random_.below(5) == 0;
    chosen.push_back(is_left_out ? nullptr : visible[random_.below(visible.size())]);
  }
  return chosen;
}

void Maker::add_node(Graph& graph, std::vector<Value*>& visible, int depth) {
  std::vector<Value*> outputs = {&graph.add_value(name())};
  while (coin()) outputs.push_back(coin() ? nullptr : &graph.add_value(name(), type(0)));
  Node& node = graph.add_node(name(), some_of(visible), outputs);
  node.domain = coin() ? "com.microsoft" : any_name();
  node.name = any_name();
  node.overload = rare_name();
  node.doc = rare_name();
  node.metadata = metadata();
  while (coin()) node.attributes.push_back(attribute(graph, depth));
  std::erase(outputs, nullptr);
  visible.insert(visible.end(), outputs.begin(), outputs.end());
}

void Maker::fill(Graph& graph, int depth) {
  graph.name = name();
  graph.doc = any_name();
  graph.metadata = metadata();
  std::vector<Value*> visible;
  if (graph.parent() != nullptr) visible = graph.parent()->values();
  for (std::uint64_t i = upto(3); i > 0; --i) {
    Value& value = graph.add_value(name(), coin() ? type(0) : Type{});
    value.doc = rare_name();
    if (coin()) {
      graph.set_initializer(value, tensor(value.name()));
    } else if (coin()) {
      graph.set_sparse_initializer(value, sparse());
    }
    if (coin()) graph.add_input(value);
    visible.push_back(&value);
  }
  for (std::uint64_t i = upto(4); i > 0; --i) add_node(graph, visible, depth);
  while (!visible.empty() && coin()) graph.add_output(*visible[random_.below(visible.size())]);
}

void Maker::add_function(Model& model) {
  Function& function = model.functions.emplace_back();
  function.domain = name();
  function.name = name();
  function.doc = any_name();
  function.overload = any_name();
  function.opsets.push_back(
      {.domain = name(), .version = static_cast<std::int64_t>(upto(30)), .unknown = {}});
  function.metadata = metadata();
  function.body = std::make_unique<Graph>();
  Graph& body = *function.body;
  std::vector<Value*> visible;
  while (coin()) {
    visible.push_back(&body.add_value(name(), coin() ? type(0) : Type{}));
    body.add_input(*visible.back());
  }
  while (coin()) function.attribute_names.push_back(name());
  while (coin()) function.attribute_defaults.push_back(attribute(body, 2));
  while (coin()) add_node(body, visible, 2);
  for (Value* value : visible) {
    if (coin()) body.add_output(*value);
  }
}

Model Maker::model() {
  Model made;
  made.ir_version = static_cast<std::int64_t>(upto(12));
  made.opsets.push_back({.domain = any_name(), .version = 21, .unknown = {}});
  made.producer_name = any_name();
  made.doc = any_name();
  made.model_version = static_cast<std::int64_t>(upto(2));
  made.metadata = metadata();
  fill(*made.graph, 0);
  while (random_.below(3) == 0) add_function(made);
  return made;
}

class RandomText : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomText, GraphsSurvivePrintingAndParsing) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Model model = Maker(GetParam() * 1000 + i).model();
    const std::string text = print_text(model, PrintOptions::everything());
    const auto parsed = parse_text(text);
    ASSERT_TRUE(parsed) << parsed.error().what << "\n" << text;
    ASSERT_EQ(print_text(*parsed, PrintOptions::everything()), text);
    ASSERT_EQ(structure_fingerprint(*parsed), structure_fingerprint(model)) << text;
  }
}

TEST_P(RandomText, DamagedTextDoesNoHarm) {
  Random random(GetParam());
  constexpr std::string_view alphabet = "()[]{}<>,:=.@?!#\"\\-0 9exnaf\n\xff";
  int read = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::string text = print_text(Maker(GetParam() * 1000 + i).model(), PrintOptions::everything());
    for (std::uint64_t damage = random.below(3) + 1; damage > 0; --damage) {
      const std::uint64_t at = random.below(text.size());
      const char c = alphabet[random.below(alphabet.size())];
      if (random.below(3) == 0)
        text.erase(at, random.below(20));
      else if (random.below(2) == 0)
        text.insert(at, 1, c);
      else
        text[at] = c;
    }
    const auto parsed = parse_text(text);
    if (!parsed) {
      EXPECT_FALSE(parsed.error().what.empty());
      continue;
    }
    ++read;
    const std::string printed = print_text(*parsed, PrintOptions::everything());
    const auto again = parse_text(printed);
    ASSERT_TRUE(again) << again.error().what << "\n" << text;
    ASSERT_EQ(print_text(*again, PrintOptions::everything()), printed);
  }
  EXPECT_GT(read, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomText, testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace hone
