#include "transform/compile/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"

namespace hone {
namespace {

using testing::UnorderedElementsAre;

class CompiledBlobs : public testing::Test {
 protected:
  std::string blob(const std::string& stem, const std::string& bytes) const {
    const std::string name = blob_name(stem, sha256(bytes).hex(), ".bin");
    EXPECT_TRUE(write_file(folder_.path() / name, bytes));
    return name;
  }

  void compiled(const std::string& name, const std::string& blob) const {
    Model model;
    model.ir_version = 8;
    model.set_opset("", 17);
    Value& x = model.graph->add_value("x", Type::tensor(ElementType::float32, shape_of({4})));
    Value& y = model.graph->add_value("y", Type::tensor(ElementType::float32, shape_of({4})));
    model.graph->add_input(x);
    Node& node = model.graph->add_node("EPContext", {&x}, {&y});
    node.set_attribute(make_attribute("embed_mode", std::int64_t{0}));
    node.set_attribute(make_attribute("ep_cache_context", blob));
    model.graph->add_output(y);
    EXPECT_TRUE(save_model(model, folder_.path() / name, {.data_file = {}, .overwrite = true}));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      found.push_back(entry.path().filename());
    return found;
  }

  TemporaryFolder folder_ = TemporaryFolder::create("blobs").value();
};

TEST_F(CompiledBlobs, AreNamedAfterTheModelAndTheirBytes) {
  EXPECT_EQ(blob_name("bert", "0123456789abcdef0123", ".bin"), "bert.0123456789abcdef.bin");
}

TEST_F(CompiledBlobs, ThatNoModelReadsAreRemoved) {
  const std::string used = blob("m", "used");
  blob("m", "of the model before");
  compiled("m.onnx", used);
  remove_unused_blobs(folder_.path() / "m.onnx");
  EXPECT_THAT(names(), UnorderedElementsAre("m.onnx", used));
}

TEST_F(CompiledBlobs, OfOtherModelsStay) {
  const std::string kept = blob("m", "of a model that was put aside");
  const std::string other = blob("other", "unused");
  compiled("aside.onnx", kept);
  compiled("m.onnx", blob("m", "used"));
  remove_unused_blobs(folder_.path() / "m.onnx");
  EXPECT_THAT(names(), testing::IsSupersetOf({kept, other}));
}

TEST_F(CompiledBlobs, AreNotTheFilesOfOthers) {
  const std::vector<std::string> foreign = {"m.0123456789abcdef.bin", "m.notes", "m.bin"};
  for (const std::string& name : foreign) ASSERT_TRUE(write_file(folder_.path() / name, "mine"));
  remove_unused_blobs(folder_.path() / "m.onnx");
  EXPECT_THAT(names(), testing::UnorderedElementsAreArray(foreign));
}

TEST_F(CompiledBlobs, StayWhereAModelCannotBeRead) {
  const std::string unused = blob("m", "unused");
  ASSERT_TRUE(write_file(folder_.path() / "broken.onnx", "no model"));
  remove_unused_blobs(folder_.path() / "m.onnx");
  EXPECT_THAT(names(), UnorderedElementsAre("broken.onnx", unused));
}

}  // namespace
}  // namespace hone
