#include "flow/proof/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/package_for_tests.h"
#include "flow/perf.h"
#include "flow/proof/worker_for_tests.h"
#include "record/eval.h"
#include "record/recipe.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A package with a model, its float stage and its recipe, and without evidence.
class APackage : public ::testing::Test {
 protected:
  APackage() {
    Recipe recipe;
    recipe.target.options = {{"library", "/a/strangers.so"}};
    const std::string text = to_document(recipe, recipe_schema_version).dump();
    const Package package = testing::package_of(
        {file("model.onnx", "a model"), file("stages/1-normalize/model.onnx", "a float model"),
         file("recipe.json", text)});
    const auto place = testing::opened(address());
    EXPECT_TRUE(place->ready(Access::write));
    EXPECT_TRUE(place->publish(package, {}).confirmed);
    order_.reference = address() + ":" + package.version;
    order_.timeout_s = 60;
  }
  std::string address() const { return "file://" + (folder_.path() / "place").string(); }
  PackageFile file(const std::string& path, const std::string& bytes) const {
    return testing::file_of(folder_.path(), path, bytes);
  }
  VerifyReport verified(const std::vector<Json>& says) {
    worker_ = std::make_unique<WorkerOfATest>(says);
    order_.where.host.program = worker_->program().string();
    auto verified = verify_cell(order_, {});
    EXPECT_TRUE(verified) << verified.error().what;
    EXPECT_FALSE(verified->refusal);
    return verified->report;
  }
  static std::string line(const VerifyReport& report, const std::string& name) {
    const auto check = std::ranges::find(report.checks, name, &VerifyCheck::name);
    if (check == report.checks.end()) return "there is none";
    return std::string(name_of(check->verdict)) + ": " + check->measured;
  }
  static CompareReport answers(double cosine) {
    CompareReport report;
    report.samples = 8;
    OutputComparison output;
    output.output = "y";
    output.cosine = Estimate{.value = cosine, .low = cosine, .high = cosine};
    report.outputs = {output};
    return report;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("verify");
  std::unique_ptr<WorkerOfATest> worker_;
  VerifyOrder order_;
};

TEST_F(APackage, IsHeldToItsFloatStage) {
  const VerifyReport report = verified({answered(PerfResult{}), answered(answers(0.9995))});
  EXPECT_EQ(line(report, "run cpu"),
            "pass: loads and runs; without the options of the recipe, which only you can give");
  EXPECT_THAT(line(report, "numerics"), StartsWith("pass: least cosine 0.9995 with stages/1-"));
  EXPECT_EQ(line(report, "evidence"), "fail: there is none");
  EXPECT_FALSE(report.holds);
}

TEST_F(APackage, IsFoundOutWhereItComputesSomethingElse) {
  const VerifyReport report = verified({answered(PerfResult{}), answered(answers(0.9))});
  EXPECT_THAT(line(report, "numerics"), StartsWith("fail: 'y' has a cosine of 0.9000"));
}

TEST_F(APackage, IsNotComparedWhereItDoesNotRun) {
  const VerifyReport report =
      verified({refused({Fault::runtime, "it was killed by SIGSEGV", "Segmentation fault"})});
  EXPECT_EQ(line(report, "run cpu"), "fail: it was killed by SIGSEGV: Segmentation fault");
  EXPECT_EQ(line(report, "numerics"), "blocked: the model does not run");
}

TEST_F(APackage, IsLateWhereARunIsLate) {
  const VerifyReport report = verified({refused({Fault::timeout, "it took longer than 60 s"})});
  EXPECT_THAT(line(report, "run cpu"), StartsWith("timeout: "));
}

TEST_F(APackage, RunsWithTheOptionsOfWhoAsksAndNeverWithItsOwn) {
  order_.where.session_options = {{"session.set_denormal_as_zero", "1"}};
  order_.where.threads = 1;
  (void)verified({answered(PerfResult{}), answered(answers(1))});
  const PerfOrder asked = *from_json<PerfOrder>(worker_->asked(0));
  EXPECT_TRUE(asked.where.ep_options.empty());
  EXPECT_EQ(asked.where.session_options, order_.where.session_options);
  EXPECT_EQ(asked.where.threads, 1);
}

TEST_F(APackage, ThatIsNotThereIsNotJudged) {
  order_.reference += "x";
  EXPECT_FALSE(verify_cell(order_, {}));
}

TEST_F(APackage, IsNotKeptInAFolderThatIsThere) {
  order_.keep = folder_.path().string();
  const auto refused = verify_cell(order_, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("exists already"));
}

TEST(Verifying, LetsOnlyWhatItCannotCheckPassAndThatOnlyWhereNobodyIsStrict) {
  const auto wrong = [](CheckVerdict verdict, bool is_strict) {
    return is_wrong({"run", verdict, ""}, is_strict);
  };
  EXPECT_FALSE(wrong(CheckVerdict::pass, true));
  EXPECT_FALSE(wrong(CheckVerdict::blocked, false));
  EXPECT_TRUE(wrong(CheckVerdict::blocked, true));
  EXPECT_TRUE(wrong(CheckVerdict::fail, false));
  EXPECT_TRUE(wrong(CheckVerdict::timeout, false));
}

}  // namespace
}  // namespace hone
