#include "flow/proof/blame.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

System with(const std::string& ep, EpState state) {
  System system;
  EpStatus status;
  status.name = ep;
  status.state = state;
  system.eps = {status};
  return system;
}

Target on(const std::string& ep) { return {ep, "auto", {}}; }

TEST(Blame, IsTheMachinesWhereItLacksTheEp) {
  EXPECT_EQ(class_of_failure(with("qnn", EpState::absent), on("qnn")), RunClass::host);
  EXPECT_EQ(class_of_failure(with("cpu", EpState::primary), on("qnn")), RunClass::host);
}

TEST(Blame, IsThePackagesWhereTheEpIsThereAndDoesNotWork) {
  EXPECT_EQ(class_of_failure(with("qnn", EpState::failed), on("qnn")), RunClass::packaging);
}

TEST(Blame, IsTheRecipesWhereTheEpRunsOtherModels) {
  const System system = with("qnn", EpState::primary);
  EXPECT_EQ(class_of_failure(system, on("qnn")), RunClass::recipe);
  EXPECT_EQ(class_of_failure(system, on("QNNExecutionProvider")), RunClass::recipe);
}

TEST(Blame, FailsATierOnlyForWhatTheRecipeCanHelp) {
  TierProof tier;
  const Error error = {Fault::runtime, "it did not run", "no kernel"};
  settle_failure(tier, error);
  EXPECT_EQ(tier.verdict, TierVerdict::fail);
  EXPECT_EQ(tier.reason, "it did not run: no kernel");
  settle_failure(tier, error, RunClass::packaging);
  EXPECT_EQ(tier.verdict, TierVerdict::host_blocked);
}

TEST(Blame, CallsLateWhatIsLateWhoeverIsAtFault) {
  for (const RunClass fault : {RunClass::recipe, RunClass::host}) {
    TierProof tier;
    settle_failure(tier, {Fault::timeout, "it took longer than 3 s: perf"}, fault);
    EXPECT_EQ(tier.verdict, TierVerdict::timeout);
  }
}

TEST(Blame, DoesNotHoldAFullDiskAgainstARecipe) {
  TierProof tier;
  settle_failure(tier, {Fault::io, "cannot write", "", "", Trouble::disk_full});
  EXPECT_EQ(tier.verdict, TierVerdict::host_blocked);
  EXPECT_EQ(
      class_of_failure({Fault::runtime, "killed", "", "", Trouble::no_memory}, Host{}, on("cpu")),
      RunClass::host);
}

}  // namespace
}  // namespace hone
