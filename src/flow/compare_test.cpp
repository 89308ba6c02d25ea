#include "flow/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;

CompareArm named(const std::string& name, const std::string& model) {
  CompareArm arm;
  arm.name = name;
  arm.model = model;
  return arm;
}

class AComparison : public testing::Test {
 protected:
  AComparison() { EXPECT_TRUE(write_file(model(), "a model")); }
  std::string model() const { return (folder_.path() / "a.onnx").string(); }
  static std::string refusal_of(const CompareOrder& order) {
    const auto compared = compare_arms(order, Watch{});
    return compared ? "" : compared.error().what;
  }
  CompareOrder order() const {
    CompareOrder order;
    order.arms = {named("a", model()), named("b", model())};
    return order;
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("compare").value();
};

TEST_F(AComparison, IsRefusedWhereItCannotBeMeant) {
  CompareOrder one = order();
  one.arms.pop_back();
  EXPECT_EQ(refusal_of(one), "a comparison needs two arms");
  CompareOrder same = order();
  same.arms[1].name = "a";
  EXPECT_EQ(refusal_of(same), "two arms are called 'a'");
  CompareOrder wide = order();
  wide.margin = 1;
  EXPECT_EQ(refusal_of(wide), "'margin' is a share");
  CompareOrder endless = order();
  endless.rounds = 0;
  EXPECT_EQ(refusal_of(endless), "'rounds' cannot be 0");
}

TEST_F(AComparison, OfWhatIsNotThereNamesIt) {
  CompareOrder missing = order();
  missing.arms[0].model = "missing.onnx";
  EXPECT_THAT(refusal_of(missing), HasSubstr("missing.onnx"));
}

TEST_F(AComparison, PutsWhatAnArmSaysOverWhatAllHave) {
  CompareArm arm = named("", model());
  arm.threads = 2;
  arm.session_options = {{"session.disable_prepacking", "0"}};
  Where all;
  all.threads = 1;
  all.session_options = {{"session.disable_prepacking", "1"},
                         {"session.set_denormal_as_zero", "1"}};
  const auto given = find_arm(arm, all, ".");
  ASSERT_TRUE(given) << given.error().what;
  EXPECT_EQ(given->arm.name, model()) << "where it has no name";
  EXPECT_EQ(given->arm.plan.threads, 2);
  EXPECT_EQ(given->arm.plan.session_options.at("session.disable_prepacking"), "0");
  EXPECT_EQ(given->arm.plan.session_options.at("session.set_denormal_as_zero"), "1");
}

}  // namespace
}  // namespace hone
