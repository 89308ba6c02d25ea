#include "flow/pull.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace hone {
namespace {

class APulledPackage : public testing::Test {
 protected:
  // As file:// keeps it.
  APulledPackage() {
    const Path package = folder_.path() / "shelf" / "v1";
    std::filesystem::create_directories(package / "files");
    EXPECT_TRUE(write_file(package / "files" / "model.onnx", "graph"));
    EXPECT_TRUE(write_file(package / "package.json",
                           R"({"schema_version": 1, "version": "v1", "files": [
        {"path": "model.onnx", "bytes": 5, "sha256": ")" +
                               sha256("graph").hex() + R"("}]})"));
    order_.reference = "file://" + (folder_.path() / "shelf").string() + ":v1";
    order_.output = (folder_.path() / "out").string();
  }

  PullOrder order_;

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("pull").value();
};

TEST_F(APulledPackage, IsFetchedAndTellsHowFarItIs) {
  std::uint64_t seen = 0;
  Watch watch;
  watch.tell = [&](const FlowProgress& progress) { seen = progress.done; };
  const auto pulled = pull_package(order_, {}, watch);
  ASSERT_TRUE(pulled) << pulled.error().what;
  EXPECT_FALSE(pulled->refusal);
  EXPECT_EQ(pulled->fetched.files.size(), 1u);
  EXPECT_EQ(read_file(Path(order_.output) / "model.onnx").value(), "graph");
  EXPECT_EQ(seen, 5u);
}

TEST_F(APulledPackage, OfAPlaceThatIsNotThereIsRefusedAndNothingIsMade) {
  order_.reference = "file:///nowhere/shelf:v1";
  const auto pulled = pull_package(order_, {}, {});
  ASSERT_TRUE(pulled);
  ASSERT_TRUE(pulled->refusal);
  EXPECT_FALSE(std::filesystem::exists(order_.output));
}

TEST_F(APulledPackage, DoesNotReplaceWhatIsThere) {
  ASSERT_TRUE(pull_package(order_, {}, {}));
  const auto again = pull_package(order_, {}, {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().fault, Fault::io);
}

}  // namespace
}  // namespace hone
