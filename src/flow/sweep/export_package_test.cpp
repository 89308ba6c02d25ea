#include "flow/sweep/export_package.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "catalog/store.h"
#include "record/sweep.h"

namespace hone {
namespace {

class AnExport : public testing::Test {
 protected:
  AnExport() {
    order_.sweep = folder_.path().string();
    order_.output = (folder_.path() / "package").string();
    EXPECT_TRUE(ContentStore::open(folder_.path() / "store"));
  }
  Error refused(const SweepResult& sweep) const {
    EXPECT_TRUE(
        write_file(folder_.path() / "sweep.json", to_document(sweep, sweep_schema_version).dump()));
    const auto package = export_package(order_);
    EXPECT_FALSE(package);
    EXPECT_FALSE(std::filesystem::exists(order_.output));
    return package ? Error() : package.error();
  }
  static SweepResult sweep_of(CellStatus status) {
    SweepCell cell;
    cell.version = "v1";
    cell.model = "org/net";
    cell.label = "cpu";
    cell.ep = "cpu";
    cell.status = status;
    SweepResult sweep;
    sweep.cells = {cell};
    return sweep;
  }

  PackageOrder order_;

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("export").value();
};

TEST_F(AnExport, OfAFolderWithoutASweepIsRefused) {
  const auto package = export_package(order_);
  ASSERT_FALSE(package);
  EXPECT_EQ(package.error().fault, Fault::not_found);
  EXPECT_EQ(package.error().cause, "there is no sweep.json");
}

TEST_F(AnExport, WithoutACellThatIsDoneIsRefused) {
  EXPECT_EQ(refused(sweep_of(CellStatus::failed)).what,
            "no cell of it is done: there is nothing to export");
}

TEST_F(AnExport, OfAModelThatTheSweepDoesNotHaveNamesTheNearest) {
  order_.model = "org/nett";
  EXPECT_EQ(refused(sweep_of(CellStatus::done)).what,
            "the sweep has no model 'org/nett'; did you mean 'org/net'?");
}

TEST_F(AnExport, OfFilesThatAreNoLongerHereIsRefused) {
  EXPECT_EQ(refused(sweep_of(CellStatus::done)).what, "the files of v1 are no longer in the store");
}

}  // namespace
}  // namespace hone
