#include "catalog/model_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/hash.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Variants out of a store, without a runtime: what is a model is not looked at here.
class ModelPackages : public ::testing::Test {
 protected:
  PackageEntry blob(const std::string& name, const std::string& bytes) {
    const StoredBlob stored = store_.take_bytes(bytes).value();
    return {name, stored.sha256, stored.bytes};
  }
  PackageVariant variant(const std::string& name, std::vector<PackageEntry> files) {
    PackageVariant made;
    made.name = name;
    made.ep = "CPUExecutionProvider";
    made.cell = "0.0.0-one-" + name;
    made.files = std::move(files);
    recipes_[made.cell] = blob("recipe.json", "recipe of " + name).sha256;
    return made;
  }
  static ModelPackage package(std::vector<PackageVariant> variants) {
    ModelPackage made;
    made.name = "m";
    made.components.push_back({"m", "org/m", "", std::move(variants)});
    return made;
  }
  Result<ModelPackage> write(ModelPackage package) {
    return write_model_package(std::move(package), store_, recipes_, "0.1.0", out());
  }
  Path out() const { return folder_.path() / "out"; }
  std::string text(const std::string& path) const { return *read_file(out() / path); }
  void replace(const std::string& path, const std::string& bytes) const {
    std::filesystem::remove(out() / path);
    ASSERT_TRUE(write_file(out() / path, bytes));
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("package");
  ContentStore store_ = ContentStore::open(folder_.path() / "store").value();
  std::map<std::string, std::string> recipes_;
};

TEST_F(ModelPackages, HaveAVariantPerTargetWithItsFiles) {
  const auto made = write(package({variant("cpu", {blob("model.onnx", "graph")}),
                                   variant("npu", {blob("model.onnx", "other")})}));
  ASSERT_TRUE(made) << made.error().what << made.error().cause;
  EXPECT_THAT(made->shared_assets, SizeIs(0));
  EXPECT_EQ(text("models/m/cpu/model.onnx"), "graph");
  EXPECT_EQ(text("models/m/npu/recipe.json"), "recipe of npu");
  EXPECT_THAT(text("manifest.json"), HasSubstr(R"("schema_version": "1.0")"));
  EXPECT_THAT(*read_model_package(out()), SizeIs(2));
}

TEST_F(ModelPackages, HoldAModelThatVariantsShareOnce) {
  const PackageEntry model = blob("model.onnx", "graph");
  const auto made = write(package({variant("a", {model}), variant("b", {model})}));
  ASSERT_TRUE(made) << made.error().what << made.error().cause;
  ASSERT_THAT(made->shared_assets, SizeIs(1));
  EXPECT_EQ(made->bytes, 5u);
  EXPECT_EQ(made->variant_bytes, 10u);
  // As `sha256sum` prints it: the scheme of ONNX Runtime.
  const std::string hex = sha256(sha256("graph").hex() + "  model.onnx\n").hex();
  EXPECT_EQ(made->shared_assets[0].uri, "sha256:" + hex);
  EXPECT_EQ(text("shared_assets/sha256-" + hex + "/model.onnx"), "graph");
  EXPECT_FALSE(std::filesystem::exists(out() / "models/m/a/model.onnx"));
  const auto found = read_model_package(out()).value();
  EXPECT_EQ(found[0].model, out() / ("shared_assets/sha256-" + hex + "/model.onnx"));
  EXPECT_EQ(found[0].model, found[1].model);
}

TEST_F(ModelPackages, HoldWeightsOfDifferentGraphsOnce) {
  const PackageEntry weights = blob("w.data", "weights");
  const auto made = write(package({variant("a", {blob("model.onnx", "one"), weights}),
                                   variant("b", {blob("model.onnx", "two"), weights})}));
  ASSERT_TRUE(made) << made.error().what << made.error().cause;
  EXPECT_EQ(made->bytes, 13u);
  EXPECT_EQ(text("models/m/a/model.onnx"), "one");
  const auto found = read_model_package(out()).value();
  ASSERT_TRUE(found[0].data_folder);
  EXPECT_EQ(*read_file(*found[0].data_folder / "w.data"), "weights");
}

TEST_F(ModelPackages, LinkToTheStore) {
  ASSERT_TRUE(write(package({variant("cpu", {blob("model.onnx", "graph")})})));
  EXPECT_EQ(std::filesystem::hard_link_count(out() / "models/m/cpu/model.onnx"), 2u);
}

TEST_F(ModelPackages, AreNotMadeOfDamagedBlobs) {
  const PackageEntry model = blob("model.onnx", "graph");
  const Path file = store_.find(model.sha256).value();
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  std::filesystem::remove(file);
  ASSERT_TRUE(write_file(file, "grapf"));
  const auto made = write(package({variant("cpu", {model})}));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("the store has other bytes"));
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(ModelPackages, AppearWholeOrNotAtAll) {
  const ModelPackage plan =
      package({variant("cpu", {blob("model.onnx", std::string(1 << 20, 'x'))})});
  for (int moment = 0; moment < 6; ++moment) {
    const pid_t child = ::fork();
    if (child == 0) {
      (void)write(plan);
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(moment * 700));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!std::filesystem::exists(out())) continue;
    EXPECT_TRUE(read_model_package(out()));
    std::filesystem::remove_all(out());
  }
  EXPECT_TRUE(write(plan));
}

TEST_F(ModelPackages, AreReadWithEveryHash) {
  const PackageEntry model = blob("model.onnx", "graph");
  const auto made = write(package(
      {variant("a", {model}), variant("b", {model}), variant("c", {blob("model.onnx", "own")})}));
  ASSERT_TRUE(made);
  const std::string asset = "shared_assets/sha256-" + made->shared_assets[0].uri.substr(7);
  replace("models/m/c/model.onnx", "owm");
  EXPECT_THAT(read_model_package(out()).error().cause, HasSubstr("is not what was built"));
  replace("models/m/c/model.onnx", "own");
  EXPECT_TRUE(read_model_package(out()));
  replace(asset + "/model.onnx", "grapf");
  EXPECT_THAT(read_model_package(out()).error().cause, HasSubstr("has the hash"));
}

TEST_F(ModelPackages, ThatAreHostileAreRefused) {
  ASSERT_TRUE(write(package({variant("cpu", {blob("model.onnx", "graph")})})));
  for (const char* file : {"../model.onnx", "/etc/passwd", "", "nothing.onnx",
                           "sha256:", "sha256:../../manifest.json"}) {
    replace("models/m/cpu/ort_info.json", Json::object().set("model_file", file).dump());
    EXPECT_FALSE(read_model_package(out())) << file;
  }
  replace("models/m/cpu/ort_info.json", "[");
  EXPECT_FALSE(read_model_package(out()));
  for (const char* component : {"{}", "[]", R"({"variants":{"cpu":{}}})",
                                R"({"variants":{"cpu":{"executor_info":{"ort":"../../x"}}}})",
                                R"({"variants":{"cpu":{"executor_info":{"ort":1}}}})"}) {
    replace("models/m/component.json", component);
    EXPECT_FALSE(read_model_package(out())) << component;
  }
  for (const char* manifest :
       {"", "{}", R"({"schema_version":"2.0","components":{"m":"models/m"}})",
        R"({"schema_version":"1.0","components":{"m":"../m"}})",
        R"({"schema_version":"1.0","components":{"m":1}})",
        R"({"schema_version":"1.0","components":{}})"}) {
    replace("manifest.json", manifest);
    EXPECT_FALSE(read_model_package(out())) << manifest;
  }
}

}  // namespace
}  // namespace hone
