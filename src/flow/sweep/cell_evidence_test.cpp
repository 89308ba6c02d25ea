#include "flow/sweep/cell_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/eval.h"
#include "record/recipe_hash.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

class TheEvidence : public testing::Test {
 protected:
  TheEvidence() {
    order_.version = "0.0.0-one-cpu-net";
    order_.model.model = "/users/me/models/net.onnx";
    order_.folder = "/users/me/sweep/cells/net/cpu";
    order_.where.host.cache = "/users/me/sweep/cache";
    BuildReceipt receipt;
    receipt.notes = {"from /users/me/models/net.onnx to /users/me/sweep/cells/net/cpu/model.onnx"};
    outcome_.status = CellStatus::done;
    outcome_.receipt = to_document(receipt, build_schema_version);
  }

  CellEvidence evidence() const {
    auto made = evidence_of(order_, outcome_, {.facts = {{"cpu", "fast"}}, .certificate = {}});
    EXPECT_TRUE(made) << made.error().what;
    return std::move(made).value_or(CellEvidence());
  }
  void judged(const EvalReport& report) {
    outcome_.result = Json::object().set("eval", to_document(report, eval_schema_version));
  }

  CellOrder order_;
  CellOutcome outcome_;
};

TEST_F(TheEvidence, NamesNoFolderOfThisMachine) {
  order_.model.shape_config = "x=1";
  outcome_.result = Json::object().set("log", "read /users/me/sweep/cache/builds/a");
  const CellEvidence made = evidence();
  EXPECT_THAT(to_json(made).dump(), Not(HasSubstr("/users/me")));
  EXPECT_EQ(made.receipt.notes.front(), "from net.onnx to cell/model.onnx");
  EXPECT_EQ(made.shapes, "x=1");
  EXPECT_EQ(made.machine.at("cpu"), "fast");
}

// A build for an EP that takes static shapes alone settles sizes that the order left open.
TEST_F(TheEvidence, HoldsTheRecipeThatWasBuilt) {
  BuildReceipt receipt;
  receipt.recipe.shapes = {{"x", {1, 3}}};
  receipt.recipe_sha256 = hash_of(receipt.recipe);
  outcome_.receipt = to_document(receipt, build_schema_version);
  EXPECT_EQ(evidence().recipe_sha256, receipt.recipe_sha256);
  EXPECT_EQ(hash_of(evidence().recipe), receipt.recipe_sha256);
}

TEST_F(TheEvidence, HasTheVerdictOfATask) {
  EvalReport report;
  report.task = "digits";
  report.metrics.emplace_back().name = "accuracy";
  judged(report);
  ASSERT_EQ(evidence().verdicts.size(), 1u);
  EXPECT_EQ(evidence().verdicts.front().verdict, CheckVerdict::blocked);
  report.verdict.emplace().verdict = Inferiority::pass;
  judged(report);
  EXPECT_EQ(evidence().verdicts.front().verdict, CheckVerdict::pass);
}

TEST_F(TheEvidence, IsNoneWithoutAReceiptThatCanBeRead) {
  outcome_.receipt = Json::object().set("schema_version", 99);
  EXPECT_FALSE(evidence_of(order_, outcome_, {}));
}

}  // namespace
}  // namespace hone
