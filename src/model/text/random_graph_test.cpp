// Graphs made at random through the API survive print -> parse -> print, and texts damaged at
// random are refused or read, but never harm.

#include <gtest/gtest.h>

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
  std::uint64_t upto(std::uint64_t largest) { return random_.below(largest + 1); }
  std::string name();
  Type type(int depth);
  TensorPtr tensor(std::string tensor_name);
  SparseTensorPtr sparse();
  Attribute attribute(Graph& graph, int depth);
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

Type Maker::type(int depth) {
  Type made;
  made.kind = static_cast<Type::Kind>(1 + random_.below(depth > 2 ? 2 : 6));
  if (random_.below(8) == 0) made.denotation = name();
  if (made.kind == Type::Kind::opaque) {
    made.opaque_domain = coin() ? "" : name();
    made.opaque_name = coin() ? "" : name();
    return made;
  }
  made.element = static_cast<ElementType>(random_.below(28));
  if (made.kind == Type::Kind::tensor || made.kind == Type::Kind::sparse_tensor) {
    if (coin()) return made;
    Shape& shape = made.shape.emplace();
    while (coin()) {
      Dim& dim = shape.emplace_back();
      if (coin())
        dim.value = static_cast<std::int64_t>(upto(100)) - 1;
      else if (coin())
        dim.symbol = name();
      if (random_.below(8) == 0) dim.denotation = name();
    }
    return made;
  }
  if (made.kind != Type::Kind::map) made.element = ElementType::undefined;
  if (random_.below(8) != 0) made.inner = std::make_shared<const Type>(type(depth + 1));
  return made;
}

TensorPtr Maker::tensor(std::string tensor_name) {
  auto made = std::make_shared<Tensor>();
  made->name = std::move(tensor_name);
  made->type = static_cast<ElementType>(1 + random_.below(26));
  while (made->dims.size() < 3 && coin()) made->dims.push_back(static_cast<std::int64_t>(upto(4)));
  if (random_.below(8) == 0) made->doc = name();
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
  made->values = tensor(coin() ? name() : "");
  made->indices = tensor(coin() ? name() : "");
  while (coin()) made->dims.push_back(static_cast<std::int64_t>(upto(9)));
  return made;
}

Attribute Maker::attribute(Graph& graph, int depth) {
  Attribute made;
  made.name = name();
  if (random_.below(8) == 0) made.doc = name();
  const auto several = [&](auto make) {
    std::vector<decltype(make())> list;
    while (coin()) list.push_back(make());
    return list;
  };
  const auto subgraph = [&] {
    auto held = std::make_unique<Graph>(&graph);
    fill(*held, depth + 1);
    return held;
  };
  const auto real = [&] { return static_cast<float>(random_.uniform() * 100 - 50); };
  const auto integer = [&] { return static_cast<std::int64_t>(random_.next()); };
  const auto text = [&] { return Blob::own(name()); };
  const auto dense = [&] { return tensor(coin() ? name() : ""); };
  switch (random_.below(depth < 2 ? 16 : 12)) {
    case 0:
      made.held = real();
      break;
    case 1:
      made.held = integer();
      break;
    case 2:
      made.held = text();
      break;
    case 3:
      made.held = dense();
      break;
    case 4:
      made.held = several(real);
      break;
    case 5:
      made.held = several(integer);
      break;
    case 6:
      made.held = several(text);
      break;
    case 7:
      made.held = several(dense);
      break;
    case 8:
      made.held = sparse();
      break;
    case 9:
      made.held = several([&] { return sparse(); });
      break;
    case 10:
      made.held = type(0);
      break;
    case 11:
      made.held = several([&] { return type(0); });
      break;
    case 12:
      made.held = subgraph();
      break;
    case 13:
      made.held = several(subgraph);
      break;
    case 14:
      made.reference = name();
      made.declared = static_cast<AttributeType>(random_.below(15));
      break;
    default:
      break;
  }
  return made;
}

void Maker::add_node(Graph& graph, std::vector<Value*>& visible, int depth) {
  const auto left_out = [&] { return random_.below(5) == 0; };
  std::vector<Value*> inputs;
  while (!visible.empty() && coin()) {
    inputs.push_back(left_out() ? nullptr : visible[random_.below(visible.size())]);
  }
  std::vector<Value*> outputs;
  while (outputs.empty() || coin()) {
    outputs.push_back(left_out() ? nullptr : &graph.add_value(name(), coin() ? type(0) : Type{}));
  }
  Node& node = graph.add_node(name(), std::move(inputs), outputs);
  node.domain = coin() ? "" : coin() ? "com.microsoft" : name();
  node.name = coin() ? "" : name();
  if (random_.below(8) == 0) node.overload = name();
  if (random_.below(8) == 0) node.doc = name();
  node.metadata = metadata();
  while (coin()) node.attributes.push_back(attribute(graph, depth));
  for (Value* value : outputs) {
    if (value != nullptr) visible.push_back(value);
  }
}

void Maker::fill(Graph& graph, int depth) {
  graph.name = name();
  if (coin()) graph.doc = name();
  graph.metadata = metadata();
  std::vector<Value*> visible;
  if (graph.parent() != nullptr) visible = graph.parent()->values();
  for (std::uint64_t i = upto(3); i > 0; --i) {
    Value& value = graph.add_value(name(), coin() ? type(0) : Type{});
    if (random_.below(4) == 0) value.doc = name();
    if (coin())
      graph.set_initializer(value, tensor(value.name()));
    else if (coin())
      graph.set_sparse_initializer(value, sparse());
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
  function.doc = coin() ? "" : name();
  function.overload = coin() ? "" : name();
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
  made.opsets.push_back({.domain = coin() ? "" : name(), .version = 21, .unknown = {}});
  made.producer_name = coin() ? "" : name();
  made.doc = coin() ? "" : name();
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
