#include "model/weights/strip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/killed_for_tests.h"
#include "model/elements.h"
#include "model/fingerprint.h"
#include "model/text/text.h"
#include "model/weights/hydrate.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TensorPtr weight(std::string name, ElementType type, std::int64_t count, double value = 1) {
  std::vector<double> numbers(static_cast<std::size_t>(count), value);
  std::string bytes(*bytes_of(type, numbers.size()), '\0');
  encode_elements(type, numbers, bytes.data());
  return make_tensor(std::move(name), type, {count}, Blob::own(std::move(bytes)));
}

// A model that concatenates the tensors; what it computes does not matter here.
Model model_of(const std::vector<TensorPtr>& tensors) {
  Model model;
  model.ir_version = 8;
  model.set_opset("", 17);
  std::vector<Value*> inputs;
  for (const TensorPtr& tensor : tensors) inputs.push_back(&model.graph->add_initializer(tensor));
  Value& y = model.graph->add_value("y");
  model.graph->add_node("Concat", inputs, {&y});
  model.graph->add_output(y);
  return model;
}

std::vector<std::string> names_of(const WeightStats& stats) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : stats.tensors) names.push_back(name);
  return names;
}

TEST(Strip, TakesLargeWeightsAndLeavesWhatAStructureNeeds) {
  Model model = model_of(
      {weight("large", ElementType::float32, 256), weight("small", ElementType::float32, 255),
       weight("bytes", ElementType::int8, 1024), weight("indices", ElementType::int64, 999),
       weight("half", ElementType::float16, 512), weight("nibbles", ElementType::uint4, 2048)});
  const auto stats = strip_weights(model, {.name = "m"});
  ASSERT_TRUE(stats);
  EXPECT_THAT(names_of(*stats), ElementsAre("large", "bytes", "half", "nibbles"));
  EXPECT_TRUE(model.graph->find("large")->initializer()->absent);
  EXPECT_FALSE(model.graph->find("indices")->initializer()->absent);
}

TEST(Strip, RefersToADataFileWhereEveryTensorStartsAtAMultipleOf64) {
  Model model =
      model_of({weight("a", ElementType::float32, 257), weight("b", ElementType::float32, 256)});
  const auto stats = strip_weights(model, {.name = "m"});
  ASSERT_TRUE(stats);
  const auto& external = model.graph->find("b")->initializer()->external;
  ASSERT_TRUE(external);
  EXPECT_EQ(*external, (ExternalData{"m.weights", 1088, 1024, {}}));
  EXPECT_EQ(stats->bytes, 1088u + 1024u);
}

TEST(Strip, KeepsMeanAndDeviation) {
  Model model = model_of({weight("w", ElementType::float32, 512, 0.75)});
  const auto stats = strip_weights(model, {.name = "m"});
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->tensors[0].second.mean, 0.75);
  EXPECT_EQ(stats->tensors[0].second.std, 0);
}

TEST(Strip, TheThresholdIsTheCallersToChoose) {
  Model model = model_of({weight("w", ElementType::float32, 2)});
  const auto stats = strip_weights(model, {.name = "m", .min_bytes = 8});
  ASSERT_TRUE(stats);
  EXPECT_THAT(names_of(*stats), ElementsAre("w"));
}

TEST(Strip, TakesTheWeightsOfConstantNodesUnderTheNameOfTheirOutput) {
  Model model = model_of({});
  Value& out = model.graph->add_value("constant_out");
  Node& node = model.graph->add_node("Constant", {}, {&out});
  node.set_attribute(make_attribute("value", weight("", ElementType::float32, 256)));
  const Digest fingerprint = structure_fingerprint(model);
  const auto stats = strip_weights(model, {.name = "m"});
  ASSERT_TRUE(stats);
  EXPECT_THAT(names_of(*stats), ElementsAre("constant_out"));
  EXPECT_TRUE(node.attribute("value")->as_tensor()->absent);
  EXPECT_EQ(structure_fingerprint(model), fingerprint);
}

TEST(Strip, TwoWeightsOfTheSameNameAreRefused) {
  Model model = model_of({});
  for (const char* branch : {"then_branch", "else_branch"}) {
    auto graph = std::make_unique<Graph>(model.graph.get());
    Value& w = graph->declare_value("w");
    graph->set_initializer(w, weight("w", ElementType::float32, 256));
    Node& node = model.graph->add_node("If", {}, {});
    Attribute attribute;
    attribute.name = branch;
    attribute.held = std::move(graph);
    node.set_attribute(std::move(attribute));
  }
  const auto stats = strip_weights(model, {.name = "m"});
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().what, "two weights are called 'w'");
}

TEST(Strip, WhatIsAbsentAlreadyCannotBeStripped) {
  Model model = model_of({weight("w", ElementType::float32, 256)});
  ASSERT_TRUE(strip_weights(model, {.name = "m"}));
  const auto again = strip_weights(model, {.name = "m"});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().what, HasSubstr("'m.weights' is missing"));
  EXPECT_THAT(again.error().hint, HasSubstr("hone hydrate"));
}

TEST(Strip, WhatStaysComesIntoTheModelFile) {
  const TemporaryFolder folder = *TemporaryFolder::create("strip-test");
  const Path original = folder.path() / "original.onnx";
  Model model = model_of(
      {weight("w", ElementType::float32, 256), weight("indices", ElementType::int64, 256)});
  SaveOptions split;
  split.placement = DataPlacement::split;
  ASSERT_TRUE(save_model(model, original, split));
  Model loaded = *load_model(original);
  ASSERT_TRUE(loaded.graph->find("indices")->initializer()->external);
  ASSERT_TRUE(strip_weights(loaded, {.name = "m"}));
  EXPECT_FALSE(loaded.graph->find("indices")->initializer()->external);
  EXPECT_EQ(to_ints(*loaded.graph->find("indices")->initializer())->front(), 1);
}

TEST(SaveStripped, StatisticsBelongToTheModelWheneverItIsKilled) {
  HONE_SKIP_WITHOUT_TRACING();
  const TemporaryFolder folder = TemporaryFolder::create("strip").value();
  const Path path = folder.path() / "m.onnx";
  const auto save = [&](std::int64_t count) {
    Model model = model_of({weight("w", ElementType::float32, count)});
    const auto stats = strip_weights(model, {.name = "m"});
    return stats && save_stripped(model, *stats, path, true);
  };
  for (std::uint64_t step = 0;; ++step) {
    ASSERT_TRUE(save(1024));
    const bool was_killed = killed_at(step, [&] { return save(2048); });
    const auto model = load_model(path);
    const auto stats = load_stats(find_stats(path).value());
    ASSERT_TRUE(model && stats) << "killed at step " << step;
    EXPECT_EQ(model->graph->find("w")->initializer()->dims, stats->tensors.front().second.shape)
        << "killed at step " << step;
    ASSERT_TRUE(save(4096));
    EXPECT_EQ(find_stats(path).value(), folder.path() / "m.stats.json");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2)
        << "after a kill at step " << step;
    if (was_killed) continue;
    EXPECT_GE(step, 6u);
    return;
  }
}

TEST(SaveStripped, RefusesToReplaceFilesUnlessAsked) {
  const TemporaryFolder folder = TemporaryFolder::create("strip").value();
  ASSERT_TRUE(write_file(folder.path() / "m.stats.json", "mine"));
  const auto saved = save_stripped(model_of({}), {}, folder.path() / "m.onnx", false);
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().what, HasSubstr("m.stats.json' exists already"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "m.onnx"));
}

}  // namespace
}  // namespace hone
