#include "catalog/cell_outcome.h"

#include <gtest/gtest.h>

#include "base/killed_for_tests.h"
#include "catalog/store_fixture.h"

namespace hone {
namespace {

class CellFolder : public StoreTest {
 protected:
  void SetUp() override {
    job_.folder = (folder() / "cells" / "cell").string();
    ContentStore store = open();
    for (const char* name : {"model.onnx", "stages/1-normalize/model.onnx"}) {
      const StoredBlob blob = store.take_bytes(name).value();
      ASSERT_TRUE(store.hold("cell", {{name, blob.sha256, blob.bytes}}));
      outcome_.files.push_back({name, blob.sha256, blob.bytes});
    }
    outcome_.receipt = Json::object().set("stages", Json::array());
  }

  bool is_whole() const {
    const Path place = job_.folder;
    return std::filesystem::exists(place / "model.onnx") &&
           std::filesystem::exists(place / "stages/1-normalize/model.onnx") &&
           std::filesystem::exists(place / "receipt.json");
  }

  CellOrder job_;
  CellOutcome outcome_;
};

TEST_F(CellFolder, IsPutBackAsAWholeOrNotAtAll) {
  HONE_SKIP_WITHOUT_TRACING();
  const auto put = [&] { return put_back(open(), job_, outcome_).has_value(); };
  for (std::uint64_t step = 0;; ++step) {
    std::filesystem::remove_all(job_.folder);
    const bool was_killed = killed_at(step, put);
    EXPECT_TRUE(is_whole() || !std::filesystem::exists(job_.folder)) << "killed at step " << step;
    ASSERT_TRUE(put());
    EXPECT_TRUE(is_whole());
    EXPECT_EQ(files_in(folder() / "cells"), 1u) << "after a kill at step " << step;
    if (was_killed) continue;
    EXPECT_GE(step, 5u);
    return;
  }
}

}  // namespace
}  // namespace hone
