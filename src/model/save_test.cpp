// Saving and loading through real files: where weights go, and what a model file may not make us
// read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "model/fingerprint.h"
#include "model/model.h"

namespace hone {
namespace {

using testing::HasSubstr;

class Saving : public testing::Test {
 protected:
  Path at(const std::string& name) const { return folder_.path() / name; }

  // x + w, with as many floats in w as asked for.
  static Model small_model(std::int64_t elements = 1024) {
    Model model;
    model.ir_version = 8;
    model.set_opset("", 17);
    Graph& graph = *model.graph;
    Value& x = graph.add_value("x", Type::tensor(ElementType::float32, shape_of({elements})));
    graph.add_input(x);
    std::vector<float> numbers(static_cast<std::size_t>(elements));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
    Value& w = graph.add_initializer(make_float_tensor("w", numbers));
    const float half[] = {0.5f};
    Value& b = graph.add_initializer(make_float_tensor("b", half));
    Value& t = graph.add_value("t");
    Value& y = graph.add_value("y");
    graph.add_node("Add", {&x, &w}, {&t});
    graph.add_node("Mul", {&t, &b}, {&y});
    graph.add_output(y);
    return model;
  }

  static std::string fingerprint(const Model& model) { return content_fingerprint(model)->hex(); }

  // A model whose weight is said to be in `location`, as a hostile file would say it.
  Path hostile(const std::string& location, std::uint64_t offset = 0) {
    Model model = small_model();
    Tensor tensor = *model.graph->find("w")->initializer();
    tensor.external = ExternalData{location, offset, tensor.byte_size(), {}};
    model.graph->set_initializer(*model.graph->find("w"), std::make_shared<const Tensor>(tensor));
    const Path path = at("hostile.onnx");
    EXPECT_TRUE(write_file(path, *serialize(model)));
    return path;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("save-test");
};

TEST_F(Saving, ALoadedModelIsTheSavedOne) {
  const Model model = small_model();
  ASSERT_TRUE(save_model(model, at("m.onnx")));
  const auto loaded = load_model(at("m.onnx"));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(fingerprint(*loaded), fingerprint(model));
  EXPECT_EQ(loaded->source, at("m.onnx"));
}

TEST_F(Saving, TheSameModelGivesTheSameBytes) {
  ASSERT_TRUE(save_model(small_model(), at("a.onnx")));
  ASSERT_TRUE(save_model(*load_model(at("a.onnx")), at("b.onnx")));
  EXPECT_EQ(*read_file(at("a.onnx")), *read_file(at("b.onnx")));
}

TEST_F(Saving, SplitsWeightsIntoADataFileAndInlinesThemAgain) {
  const Model model = small_model();
  const auto report =
      save_model(model, at("m.onnx"),
                 {.placement = DataPlacement::split, .data_file = {}, .overwrite = false});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->data_bytes, 4096u);
  EXPECT_LT(report->model_bytes, 1024u);
  const auto split = load_model(at("m.onnx"));
  ASSERT_TRUE(split);
  EXPECT_TRUE(split->graph->find("w")->initializer()->external);
  EXPECT_FALSE(split->graph->find("b")->initializer()->external)
      << "small weights stay in the model";
  EXPECT_EQ(fingerprint(*split), fingerprint(model));

  ASSERT_TRUE(
      save_model(*split, at("inline.onnx"),
                 {.placement = DataPlacement::inlined, .data_file = {}, .overwrite = false}));
  EXPECT_FALSE(load_model(at("inline.onnx"))->graph->find("w")->initializer()->external);
}

TEST_F(Saving, WeightsBelow100MiBAreInlinedByDefault) {
  ASSERT_TRUE(save_model(small_model(), at("m.onnx"),
                         {.placement = DataPlacement::split, .data_file = {}, .overwrite = false}));
  ASSERT_TRUE(save_model(*load_model(at("m.onnx")), at("n.onnx")));
  EXPECT_FALSE(std::filesystem::exists(at("n.onnx.data")));
  EXPECT_FALSE(load_model(at("n.onnx"))->graph->find("w")->initializer()->external);
}

TEST_F(Saving, KeepingExternalDataSharesTheFileInTheSameFolderAndCopiesItToAnother) {
  const SaveOptions keep{.placement = DataPlacement::keep, .data_file = {}, .overwrite = false};
  ASSERT_TRUE(save_model(
      small_model(), at("m.onnx"),
      {.placement = DataPlacement::split, .data_file = "m.weights", .overwrite = false}));
  const auto model = load_model(at("m.onnx"));
  const auto beside = save_model(*model, at("n.onnx"), keep);
  ASSERT_TRUE(beside);
  EXPECT_TRUE(beside->shares_data);
  EXPECT_EQ(beside->data_bytes, 0u);

  std::filesystem::create_directory(at("elsewhere"));
  const auto apart = save_model(*model, at("elsewhere/n.onnx"), keep);
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->data_bytes, 4096u);
  EXPECT_EQ(fingerprint(*load_model(at("elsewhere/n.onnx"))), fingerprint(*model));
}

// 100 MiB of weights are the least that go into a file of their own.
constexpr std::int64_t many = 26'214'400;

TEST_F(Saving, LargeWeightsGoIntoAFileNamedAfterTheirModel) {
  const Path apart = at("apart");
  std::filesystem::create_directory(apart);
  const SaveOptions fixed{
      .placement = DataPlacement::split, .data_file = "weights.bin", .overwrite = false};
  ASSERT_TRUE(save_model(small_model(many), apart / "m.onnx", fixed));
  const auto model = load_model(apart / "m.onnx");
  for (const auto* name : {"a.onnx", "b.onnx"}) {
    const auto saved = save_model(*model, at(name));
    ASSERT_TRUE(saved) << saved.error().what;
    ASSERT_EQ(saved->data_files.size(), 1u);
    EXPECT_EQ(saved->data_files.front(), at(std::string(name) + ".data"));
  }
  EXPECT_EQ(fingerprint(*load_model(at("a.onnx"))), fingerprint(*model));
}

TEST_F(Saving, LargeWeightsThatLieInTheFolderAlreadyAreShared) {
  ASSERT_TRUE(save_model(small_model(many), at("m.onnx")));
  const auto saved = save_model(*load_model(at("m.onnx")), at("n.onnx"));
  ASSERT_TRUE(saved);
  EXPECT_TRUE(saved->shares_data);
  EXPECT_EQ(saved->data_files.front(), at("m.onnx.data"));
}

TEST_F(Saving, DoesNotTakeItsDataFromTheModelThatIsRead) {
  SaveOptions split{
      .placement = DataPlacement::split, .data_file = "out.onnx.data", .overwrite = false};
  ASSERT_TRUE(save_model(small_model(1 << 16), at("in.onnx"), split));
  const Model model = load_model(at("in.onnx")).value();
  split = {.placement = DataPlacement::split, .data_file = {}, .overwrite = true};
  const auto saved = save_model(model, at("out.onnx"), split);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().what, "'out.onnx.data' holds the weights of the model that is read");
  EXPECT_FALSE(std::filesystem::exists(at("out.onnx")));
  split.data_file = "out.onnx.data";
  EXPECT_TRUE(save_model(model, at("in.onnx"), split)) << "its own may be written anew";
  EXPECT_EQ(fingerprint(*load_model(at("in.onnx"))), fingerprint(model));
}

// Nothing of the new model is mapped from there, so only the folder tells.
TEST_F(Saving, LeavesTheDataOfAnotherModelInTheFolderAlone) {
  const SaveOptions taken{
      .placement = DataPlacement::split, .data_file = "new.onnx.data", .overwrite = false};
  ASSERT_TRUE(save_model(small_model(1 << 16), at("orig.onnx"), taken));
  const SaveOptions split{.placement = DataPlacement::split, .data_file = {}, .overwrite = true};
  const auto saved = save_model(small_model(1 << 15), at("new.onnx"), split);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().what, "'new.onnx.data' holds the weights of 'orig.onnx'");
  EXPECT_FALSE(std::filesystem::exists(at("new.onnx")));
  EXPECT_TRUE(load_model(at("orig.onnx")));
}

TEST_F(Saving, WritesNoDataThatNothingRefersTo) {
  const SaveOptions split{.placement = DataPlacement::split, .data_file = {}, .overwrite = false};
  ASSERT_TRUE(save_model(small_model(1 << 16), at("m.onnx"), split));
  Model smaller = load_model(at("m.onnx")).value();
  Value& tied = smaller.graph->add_initializer(
      std::make_shared<const Tensor>(*smaller.graph->find("w")->initializer()));
  EXPECT_NE(tied.name(), "w");
  const auto saved = save_model(smaller, at("n.onnx"), split);
  EXPECT_EQ(saved->data_bytes, 4u << 16) << "weights that are one place in memory stay one";
}

TEST_F(Saving, RefusesAFileForWeightsThatIsAModel) {
  const auto complaint = [&](const std::string& data) {
    const SaveOptions options{
        .placement = DataPlacement::split, .data_file = data, .overwrite = true};
    const auto saved = save_model(small_model(), at("model.onnx"), options);
    return saved ? "" : saved.error().what + ": " + saved.error().cause;
  };
  EXPECT_THAT(complaint("model.onnx"), HasSubstr("the model itself is written there"));
  EXPECT_THAT(complaint("./model.onnx"), HasSubstr("the model itself is written there"));
  EXPECT_THAT(complaint("other.onnx"), HasSubstr("it is a model's name"));
  EXPECT_EQ(complaint("model.onnx.data"), "");
  const Model split = load_model(at("model.onnx")).value();
  SaveOptions keeping;
  keeping.placement = DataPlacement::keep;
  keeping.overwrite = true;
  const auto over = save_model(split, at("model.onnx.data"), keeping);
  ASSERT_FALSE(over) << "its weights would be lost";
  EXPECT_THAT(over.error().cause, HasSubstr("the model itself is there"));
}

TEST_F(Saving, RefusesToReplaceAFileUnlessAsked) {
  ASSERT_TRUE(save_model(small_model(), at("m.onnx")));
  const auto again = save_model(small_model(8), at("m.onnx"));
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().what, HasSubstr("exists already"));
  EXPECT_TRUE(
      save_model(small_model(8), at("m.onnx"),
                 {.placement = DataPlacement::automatic, .data_file = {}, .overwrite = true}));
}

TEST_F(Saving, AModelCanBeSavedOverTheFileItsWeightsAreMappedFrom) {
  ASSERT_TRUE(save_model(small_model(), at("m.onnx")));
  const auto model = load_model(at("m.onnx"));
  ASSERT_TRUE(
      save_model(*model, at("m.onnx"),
                 {.placement = DataPlacement::automatic, .data_file = {}, .overwrite = true}));
  EXPECT_EQ(fingerprint(*load_model(at("m.onnx"))), fingerprint(small_model()));
}

TEST_F(Saving, AFailedSaveLeavesNothingBehind) {
  Model model = small_model();
  Tensor tensor = *model.graph->find("w")->initializer();
  tensor.external = ExternalData{"gone.weights", 0, tensor.byte_size(), {}};
  tensor.absent = true;
  model.graph->set_initializer(*model.graph->find("w"), std::make_shared<const Tensor>(tensor));
  EXPECT_FALSE(
      save_model(model, at("m.onnx"),
                 {.placement = DataPlacement::inlined, .data_file = {}, .overwrite = false}));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Saving, AnInitializerIsWrittenUnderItsValuesName) {
  Model model = small_model();
  model.graph->rename(*model.graph->find("w"), "weight");
  ASSERT_TRUE(save_model(model, at("m.onnx"),
                         {.placement = DataPlacement::split, .data_file = {}, .overwrite = false}));
  const auto loaded = load_model(at("m.onnx"));
  ASSERT_TRUE(loaded);
  ASSERT_NE(loaded->graph->find("weight"), nullptr);
  EXPECT_TRUE(loaded->graph->find("weight")->initializer()->external);
}

TEST_F(Saving, MissingWeightsAreNoErrorUntilSomebodyNeedsThem) {
  const auto model = load_model(hostile("not-there.weights"));
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->graph->find("w")->initializer()->absent);
  EXPECT_FALSE(content_fingerprint(*model));
  EXPECT_NE(structure_fingerprint(*model), Digest{});
}

TEST_F(Saving, ExternalDataMayNotLeaveTheModelsFolder) {
  for (const std::string location : {"../secret", "/etc/passwd", "a/../../secret", ".."}) {
    const auto model = load_model(hostile(location));
    ASSERT_FALSE(model) << location;
    EXPECT_EQ(model.error().fault, Fault::bad_input) << location;
    EXPECT_THAT(model.error().what, HasSubstr("would leave the folder")) << location;
  }
}

TEST_F(Saving, ASymbolicLinkOutOfTheFolderIsRefused) {
  const TemporaryFolder outside = *TemporaryFolder::create("outside");
  ASSERT_TRUE(write_file(outside.path() / "secret", std::string(8192, 's')));
  std::filesystem::create_symlink(outside.path() / "secret", at("link"));
  const auto model = load_model(hostile("link"));
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().what, HasSubstr("would leave the folder"));
}

TEST_F(Saving, OffsetsAndLengthsAreCheckedAgainstTheFile) {
  ASSERT_TRUE(write_file(at("short.weights"), std::string(4096, 'x')));
  EXPECT_TRUE(load_model(hostile("short.weights", 0)));
  for (const std::uint64_t offset : {std::uint64_t{1}, std::uint64_t{4096}, ~std::uint64_t{0}}) {
    const auto model = load_model(hostile("short.weights", offset));
    ASSERT_FALSE(model) << offset;
    EXPECT_THAT(model.error().what, HasSubstr("which has 4096 bytes"));
  }
}

TEST_F(Saving, ADataFileThatIsAFolderIsRefused) {
  std::filesystem::create_directory(at("folder.weights"));
  EXPECT_FALSE(load_model(hostile("folder.weights")));
}

TEST_F(Saving, ErrorsNameTheFileAndSayWhatToTry) {
  ASSERT_TRUE(write_file(at("text.onnx"), "hello, I am no model"));
  const auto model = load_model(at("text.onnx"));
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().what,
            "cannot read '" + at("text.onnx").string() + "': this is not a readable ONNX model");
  EXPECT_THAT(model.error().hint, HasSubstr(".onnx file"));
  EXPECT_EQ(load_model(at("nowhere.onnx")).error().fault, Fault::not_found);
}

}  // namespace
}  // namespace hone
