// Saves that are killed: whatever the moment, the model that is there opens, and the next save
// leaves nothing of the killed one.

#include "model/replace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/killed_for_tests.h"
#include "model/fingerprint.h"
#include "model/weights/hydrate.h"
#include "model/weights/strip.h"

namespace hone {
namespace {

using testing::AnyOf;
using testing::ElementsAre;

class KilledSave : public testing::Test {
 protected:
  Path at(const std::string& name) const { return folder_.path() / name; }

  // x + w + b: one number in all of w, which is data, and in b, which is in the model. So a model
  // with the data of another one is seen.
  static Model model_of(float number, std::size_t elements = 4096) {
    Model model;
    model.ir_version = 8;
    model.set_opset("", 17);
    Graph& graph = *model.graph;
    const auto length = static_cast<std::int64_t>(elements);
    Value& x = graph.add_value("x", Type::tensor(ElementType::float32, shape_of({length})));
    graph.add_input(x);
    const std::vector<float> numbers(elements, number);
    Value& w = graph.add_initializer(make_float_tensor("w", numbers));
    Value& b = graph.add_initializer(make_float_tensor("b", std::span(numbers).first(1)));
    Value& t = graph.add_value("t");
    Value& y = graph.add_value("y");
    graph.add_node("Add", {&x, &w}, {&t});
    graph.add_node("Add", {&t, &b}, {&y});
    graph.add_output(y);
    return model;
  }

  static SaveOptions split(const std::string& data_file = {}) {
    return {.placement = DataPlacement::split, .data_file = data_file, .overwrite = true};
  }

  static std::optional<float> first_of(const Model& model, const char* name) {
    const auto bytes = model.graph->find(name)->initializer()->bytes();
    if (!bytes) return std::nullopt;
    float first = 0;
    std::memcpy(&first, bytes->data(), sizeof first);
    return first;
  }

  // The number the model at this place adds; nothing where it does not open or has other data.
  std::optional<float> number_in(const std::string& name) const {
    const auto model = load_model(at(name));
    if (!model) return std::nullopt;
    const std::optional<float> number = first_of(*model, "w");
    return number == first_of(*model, "b") ? number : std::nullopt;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }

  void clear() const {
    for (const std::string& name : names()) std::filesystem::remove_all(at(name));
  }

  // Kills `save`, which puts 2 in the place of 1, before each change of a file in turn.
  void expect_to_survive(const std::function<bool()>& make_old, const std::function<bool()>& save,
                         std::uint64_t least_steps, const std::vector<std::string>& files) {
    HONE_SKIP_WITHOUT_TRACING();
    for (std::uint64_t step = 0;; ++step) {
      clear();
      ASSERT_TRUE(make_old());
      const bool was_killed = killed_at(step, save);
      EXPECT_THAT(number_in("m.onnx"), AnyOf(1.0F, 2.0F)) << "killed at step " << step;
      ASSERT_TRUE(save()) << "after a kill at step " << step;
      EXPECT_EQ(number_in("m.onnx"), 2.0F);
      EXPECT_EQ(names(), files) << "after a kill at step " << step;
      if (was_killed) continue;
      EXPECT_GE(step, least_steps);
      return;
    }
  }

  bool save(float number, const SaveOptions& options) const {
    return save_model(model_of(number), at("m.onnx"), options).has_value();
  }

  TemporaryFolder folder_ = TemporaryFolder::create("killed-save").value();
};

using ReplacedModel = KilledSave;

TEST_F(KilledSave, OverAModelThatReadsTheSameFileLeavesOneThatOpens) {
  expect_to_survive([&] { return save(1, split()); }, [&] { return save(2, split()); }, 10,
                    {"m.onnx", "m.onnx.data"});
}

TEST_F(KilledSave, UnderANameOfTheUsersLeavesOneThatOpens) {
  expect_to_survive([&] { return save(1, split("w.bin")); },
                    [&] { return save(2, split("w.bin")); }, 10, {"m.onnx", "w.bin"});
}

TEST_F(KilledSave, OverAModelWithoutDataLeavesOneThatOpens) {
  const SaveOptions inside{.placement = DataPlacement::inlined, .data_file = {}, .overwrite = true};
  expect_to_survive([&] { return save(1, inside); }, [&] { return save(2, split()); }, 5,
                    {"m.onnx", "m.onnx.data"});
}

TEST_F(KilledSave, OverOneWithOtherDataLeavesOneThatOpens) {
  const TemporaryFolder apart = TemporaryFolder::create("apart").value();
  ASSERT_TRUE(save_model(model_of(2), apart.path() / "n.onnx", split("w.bin")));
  const auto keep = [&] {
    const Model model = load_model(apart.path() / "n.onnx").value();
    const SaveOptions options{.placement = DataPlacement::keep, .data_file = {}, .overwrite = true};
    return save_model(model, at("m.onnx"), options).has_value();
  };
  expect_to_survive([&] { return save(1, split("w.bin")); }, keep, 10, {"m.onnx", "w.bin"});
}

TEST_F(KilledSave, OfAModelMadeElsewhereLeavesOneThatOpens) {
  const TemporaryFolder apart = TemporaryFolder::create("apart").value();
  for (const Placing how : {Placing::copy, Placing::move}) {
    const auto place = [&] {
      const Path made = apart.path() / "m.onnx";
      return save_model(model_of(2), made, split()).has_value() &&
             place_model(made, at("m.onnx"), how, true).has_value();
    };
    expect_to_survive([&] { return save(1, split()); }, place, 10, {"m.onnx", "m.onnx.data"});
  }
}

TEST_F(KilledSave, OfFilledWeightsLeavesAModelThatOpens) {
  const auto fill = [&](double mean) {
    Model model = model_of(static_cast<float>(mean));
    const auto stats = strip_weights(model, {.name = "m"});
    return hydrate(model, *stats, at("m.onnx"), {.overwrite = true}).has_value();
  };
  expect_to_survive([&] { return fill(1); }, [&] { return fill(2); }, 10, {"m.onnx", "m.weights"});
}

TEST_F(KilledSave, IsFollowedByOneWithoutData) {
  HONE_SKIP_WITHOUT_TRACING();
  const SaveOptions inside{.placement = DataPlacement::inlined, .data_file = {}, .overwrite = true};
  for (std::uint64_t step = 0;; ++step) {
    clear();
    ASSERT_TRUE(save(1, split()));
    const bool was_killed = killed_at(step, [&] { return save(2, split()); });
    ASSERT_TRUE(save(3, inside));
    EXPECT_EQ(number_in("m.onnx"), 3.0F);
    // The data of the model that was replaced is the user's to remove: another may read it.
    EXPECT_THAT(names(), AnyOf(ElementsAre("m.onnx"), ElementsAre("m.onnx", "m.onnx.data")));
    if (!was_killed) return;
  }
}

TEST_F(ReplacedModel, LeavesWhatAnotherModelReadsByThen) {
  ASSERT_TRUE(save(1, split("m.onnx.data.hone-new")));
  std::filesystem::rename(at("m.onnx"), at("kept.onnx"));
  ASSERT_TRUE(save(2, split()));
  ASSERT_TRUE(save(3, split()));
  EXPECT_EQ(number_in("kept.onnx"), 1.0F);
  EXPECT_EQ(number_in("m.onnx"), 3.0F);
  EXPECT_THAT(names(), ElementsAre("kept.onnx", "m.onnx", "m.onnx.data", "m.onnx.data.hone-new"));
}

TEST_F(ReplacedModel, HasTheSameNamesWhateverWasThere) {
  ASSERT_TRUE(save(2, split()));
  const std::string alone = read_file(at("m.onnx")).value();
  ASSERT_TRUE(save(1, split()));
  ASSERT_TRUE(save(2, split()));
  EXPECT_EQ(read_file(at("m.onnx")).value(), alone);
}

TEST_F(ReplacedModel, HandsThePermissionsOfAllFilesOn) {
  ASSERT_TRUE(save(1, split()));
  const auto only_us = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  for (const char* name : {"m.onnx", "m.onnx.data"})
    std::filesystem::permissions(at(name), only_us);
  ASSERT_TRUE(save(2, split()));
  for (const char* name : {"m.onnx", "m.onnx.data"})
    EXPECT_EQ(std::filesystem::status(at(name)).permissions(), only_us) << name;
}

TEST_F(ReplacedModel, IsNotPutOverFilesThatNobodyNamed) {
  const TemporaryFolder apart = TemporaryFolder::create("apart").value();
  ASSERT_TRUE(save_model(model_of(2), apart.path() / "m.onnx", split()));
  ASSERT_TRUE(write_file(at("m.onnx.data"), "mine"));
  const Status placed = place_model(apart.path() / "m.onnx", at("m.onnx"), Placing::copy, false);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().what, "'" + at("m.onnx.data").string() + "' exists already");
  EXPECT_THAT(names(), ElementsAre("m.onnx.data"));
}

}  // namespace
}  // namespace hone
