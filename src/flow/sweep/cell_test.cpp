#include "flow/sweep/cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "catalog/store.h"
#include "flow/build.h"
#include "flow/eval.h"
#include "flow/perf.h"
#include "flow/scripted_worker_for_tests.h"
#include "record/recipe_hash.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class ACell : public testing::Test {
 protected:
  ACell() {
    order_.version = "0.0.0-one-cpu-net";
    order_.owner = "the cell";
    order_.model.id = "net";
    order_.model.model = (worker_.folder() / "net.onnx").string();
    order_.model.input_data = "samples.npz";
    order_.target.label = "cpu";
    order_.recipe.target = {.ep = "cpu", .device = "cpu", .options = {}};
    order_.folder = (worker_.folder() / "cells" / "net").string();
    order_.store = (worker_.folder() / "store").string();
    order_.where.host.program = worker_.program();
    order_.where.host.cache = (worker_.folder() / "cache").string();
    worker_.on("build", "mkdir -p '" + order_.folder + "'; cd '" + order_.folder +
                            "'; echo bytes >model.onnx; echo now >receipt.json\n" +
                            R"(echo '{"answer": {}}')");
  }

  CellOutcome run() const {
    auto outcome = run_cell(order_, {});
    EXPECT_TRUE(outcome);
    return std::move(outcome).value_or(CellOutcome());
  }
  FailureClass kind_of_failure() const {
    const CellOutcome outcome = run();
    EXPECT_EQ(outcome.status, CellStatus::failed);
    return outcome.failure.value_or(CellFailure()).kind;
  }

  ScriptedWorker worker_;
  CellOrder order_;
};

TEST_F(ACell, IsKeptInTheStoreButForWhatDiffersFromRunToRun) {
  const CellOutcome outcome = run();
  EXPECT_EQ(outcome.status, CellStatus::done);
  ASSERT_EQ(outcome.files.size(), 1u);
  EXPECT_EQ(outcome.files.front().path, "model.onnx");
  const auto store = ContentStore::open_existing(order_.store);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->held_by("the cell")->size(), 1u);
  EXPECT_TRUE(outcome.receipt.as_object() != nullptr);
}

TEST_F(ACell, IsBuiltByItsRecipeAndCompiledElsewhere) {
  order_.recipe.compile.emplace();
  order_.recipe.session.threads = 3;
  run();
  const BuildOrder built = worker_.order<BuildOrder>();
  EXPECT_EQ(built.model, order_.model.model);
  EXPECT_EQ(built.output, order_.folder);
  EXPECT_EQ(built.recipe.session.threads, 3);
  EXPECT_FALSE(built.recipe.compile);
  EXPECT_TRUE(built.overwrite);
  EXPECT_EQ(built.input_data, "samples.npz");
  EXPECT_EQ(built.where.host.cache, order_.where.host.cache);
}

// The hash of a recipe is over its paths, too: what is published would be of another recipe.
TEST_F(ACell, PublishesARecipeThatNamesNoFolderOfThisMachine) {
  BuildReceipt built;
  built.recipe.quantize.emplace().calibration_data = "/users/me/models/calibration/";
  built.recipe.quantize->overrides = "/users/me/overrides.json";
  worker_.on("build", "mkdir -p '" + order_.folder + "'; cd '" + order_.folder +
                          "'; echo bytes >model.onnx\necho '" +
                          Json::object().set("answer", to_json(built)).canonical() + "'");
  const CellOutcome outcome = run();
  const auto receipt = from_document<BuildReceipt>(outcome.receipt, build_schema_version);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->recipe.quantize->calibration_data, "calibration");
  EXPECT_EQ(receipt->recipe.quantize->overrides, "overrides.json");
  EXPECT_EQ(receipt->recipe_sha256, hash_of(receipt->recipe));
  const auto document = Json::parse(*read_file(Path(order_.folder) / "recipe.json"));
  ASSERT_TRUE(document);
  const auto there = from_document<Recipe>(*document, recipe_schema_version);
  ASSERT_TRUE(there);
  EXPECT_EQ(hash_of(*there), receipt->recipe_sha256);
}

TEST_F(ACell, FailsAsItsStepDidWithTheKindOfThat) {
  worker_.on("build", R"(echo '{"error": {"fault": "runtime", "what": "no Foo", "cause": "none",
 "trouble": "no_kernel"}}' | tr -d '\n'; echo)");
  const CellOutcome outcome = run();
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, FailureClass::unsupported_op);
  EXPECT_EQ(outcome.failure->stage, "build");
  EXPECT_EQ(outcome.failure->what, "no Foo: none");
  EXPECT_THAT(outcome.files, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(order_.store));
}

TEST_F(ACell, WhoseStepCrashesHasItsSignalAndItsLastWords) {
  worker_.on("build", "echo 'about to fall' >&2; kill -SEGV $$");
  const CellOutcome outcome = run();
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, FailureClass::build_crash);
  EXPECT_THAT(outcome.failure->what, HasSubstr("SIGSEGV"));
  EXPECT_THAT(outcome.failure->log_tail, HasSubstr("about to fall"));
}

TEST_F(ACell, WhoseStepLeavesWithoutAWordHasCrashed) {
  worker_.on("build", "exit 1");
  EXPECT_EQ(kind_of_failure(), FailureClass::build_crash);
}

TEST_F(ACell, WhoseStepIsEndedByTheKernelHadNoMemory) {
  worker_.on("build", "kill -KILL $$");
  EXPECT_EQ(kind_of_failure(), FailureClass::oom);
}

TEST_F(ACell, WhoseStepSomebodyEndsIsTheMachinesFault) {
  worker_.on("build", "kill -TERM $$");
  EXPECT_EQ(kind_of_failure(), FailureClass::infra);
}

TEST_F(ACell, WhoseStepTakesTooLongIsOverAtItsLimit) {
  order_.time_limit_s = 1;
  worker_.on("build", "sleep 1000");
  EXPECT_EQ(kind_of_failure(), FailureClass::timeout);
}

TEST_F(ACell, IsMeasuredWhereItsRecipeSaysAndHeldToItsPlacement) {
  order_.mode = SweepMode::perf;
  order_.recipe.target.options = {{"a", "b"}};
  order_.where.least_placement = 0.1 + 0.2;  // no short decimal
  worker_.answers("perf", R"({"latency_ms": {"p50": 2.5}})");
  const CellOutcome outcome = run();
  EXPECT_EQ(outcome.status, CellStatus::done);
  EXPECT_EQ(outcome.result.find("latency_ms")->to_double().value_or(0), 2.5);
  const PerfOrder measured = worker_.order<PerfOrder>();
  EXPECT_EQ(measured.where.ep, "cpu");
  EXPECT_EQ(measured.where.ep_options, order_.recipe.target.options);
  EXPECT_EQ(measured.where.least_placement, 0.1 + 0.2);
  EXPECT_EQ(measured.model, order_.folder + "/model.onnx");
}

TEST_F(ACell, ThatIsMisplacedSaysSo) {
  order_.mode = SweepMode::perf;
  worker_.on("perf", R"(echo '{"error": {"fault": "not_held", "trouble": "misplaced"}}')");
  EXPECT_EQ(kind_of_failure(), FailureClass::placement);
}

TEST_F(ACell, IsJudgedAtItsTaskToTheLastDigit) {
  order_.mode = SweepMode::eval;
  order_.model.task = "digits";
  order_.model.data = "labelled";
  order_.max_drop = 1e-7;
  worker_.answers("task", R"({"metrics": [{"name": "accuracy", "model": {"value": 0.5}}]})");
  const CellOutcome outcome = run();
  EXPECT_EQ(worker_.order<TaskOrder>().max_drop, 1e-7);
  EXPECT_EQ(worker_.order<TaskOrder>().reference.model, order_.model.model);
  ASSERT_TRUE(outcome.failure) << "nothing shows that it is no worse";
  EXPECT_EQ(outcome.failure->kind, FailureClass::numerics);
  EXPECT_EQ(outcome.failure->stage, "eval");
}

TEST_F(ACell, WithoutLabelledSamplesIsHeldAgainstTheModelAsItCame) {
  order_.mode = SweepMode::eval;
  worker_.answers("parity");
  run();
  EXPECT_FALSE(worker_.was_asked("task"));
  EXPECT_EQ(worker_.order<ParityOrder>().reference.model, order_.model.model);
}

}  // namespace
}  // namespace hone
