#include "flow/search/key.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

class SearchKey : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    ASSERT_TRUE(write_file(folder.path() / name, text));
  }
  std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  std::string conditions(const SearchSite& of) const { return conditions_key(of, {}).value(); }
  std::string gate(const SearchSite& of) const { return gate_key(of).value(); }

  TemporaryFolder folder = TemporaryFolder::create("search-key").value();
  SearchSite site;
};

TEST_F(SearchKey, OfAGateTellsWhatMayBeLostOnWhichData) {
  write("lines/labels.txt", "one");
  site.task = "text-recognition";
  site.data = at("lines");
  site.max_drop = 0.5;
  const std::string first = gate(site);
  EXPECT_EQ(gate(site), first);
  SearchSite strict = site;
  strict.max_drop = 0.0001;
  EXPECT_NE(gate(strict), first);
  SearchSite other = site;
  other.task = "classification";
  EXPECT_NE(gate(other), first);
  write("lines/labels.txt", "two");
  EXPECT_NE(gate(site), first) << "the data were changed under their name";
}

TEST_F(SearchKey, OfConditionsTellsShapesAndInputsByWhatIsInThem) {
  write("inputs.npz", "1");
  write("shapes.json", "{}");
  site.shape_config = "x=1x3x48x192";
  const std::string small = conditions(site);
  EXPECT_EQ(conditions(site), small);
  site.shape_config = "x=8x3x48x192";
  EXPECT_NE(conditions(site), small);
  site.shape_config = at("shapes.json");
  site.input_data = at("inputs.npz");
  const std::string first = conditions(site);
  write("inputs.npz", "2");
  const std::string second = conditions(site);
  EXPECT_NE(second, first);
  write("shapes.json", "{ }");
  EXPECT_NE(conditions(site), second);
}

TEST_F(SearchKey, OfConditionsTellsSeedPlacementAndFilesOfRecipes) {
  write("calibration.npz", "1");
  const std::string plain = conditions(site);
  SearchSite other = site;
  other.seed = 7;
  EXPECT_NE(conditions(other), plain);
  other = site;
  other.where.least_placement = 0.95;
  EXPECT_NE(conditions(other), plain);
  EXPECT_NE(conditions_key(site, {at("calibration.npz"), ""}).value(),
            conditions_key(site, {"", at("calibration.npz")}).value());
}

TEST_F(SearchKey, OfWhatIsNotThereNamesIt) {
  site.input_data = at("missing.npz");
  EXPECT_NE(conditions_key(site, {}).error().what.find("missing.npz"), std::string::npos);
}

}  // namespace
}  // namespace hone
