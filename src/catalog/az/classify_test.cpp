#include "catalog/az/classify.h"

#include <gtest/gtest.h>

namespace hone::az {
namespace {

End failed(const std::string& output, int exit_code = 1) {
  return {.exit_code = exit_code, .timed_out = false, .output = output, .tail = {}};
}

TEST(AzEnd, IsUnavailableWithoutItsProgramOrALogin) {
  EXPECT_TRUE(is_unavailable(failed("", 127)));
  for (const char* words :
       {"Please run 'az login' to setup account.", "Not logged in", "No subscription found",
        "AADSTS700082: The refresh token has expired", "error: invalid_grant",
        "Interactive authentication is needed", "AuthenticationFailed", "Authentication failed",
        "Please re-authenticate", "expired token", "run az account set"}) {
    EXPECT_TRUE(is_unavailable(failed(words))) << words;
  }
}

TEST(AzEnd, IsNotUnavailableForOtherReasons) {
  EXPECT_FALSE(is_unavailable(failed("Refreshing token for scope https://management")));
  EXPECT_FALSE(is_unavailable({.exit_code = 1, .timed_out = true, .output = {}, .tail = {}}));
  EXPECT_FALSE(is_unavailable(failed("500 server error")));
}

TEST(AzEnd, KnowsAConflictByWordsThatSayJustThat) {
  for (const char* words : {"The package version ALREADY EXISTS", "PackageVersionExists",
                            "Status code: 409", "StatusCode=409", "HttpStatusCode: 409"}) {
    EXPECT_TRUE(is_conflict(failed(words))) << words;
  }
  EXPECT_FALSE(is_conflict(failed("model-409 failed")));
  EXPECT_FALSE(is_conflict(failed("a merge conflict")));
}

TEST(AzEnd, TellsOutcomesApart) {
  EXPECT_EQ(classify(failed("", 0), false), PublishOutcome::uploaded);
  EXPECT_EQ(classify(failed("already exists"), true), PublishOutcome::exists_skipped);
  EXPECT_EQ(classify(failed("already exists"), false), PublishOutcome::failed);
  EXPECT_EQ(classify(failed("Please run 'az login'"), false), PublishOutcome::auth_abort);
  EXPECT_EQ(classify(failed("", 127), false), PublishOutcome::auth_abort);
  EXPECT_EQ(classify({.exit_code = 1, .timed_out = true, .output = {}, .tail = {}}, false),
            PublishOutcome::timeout);
  EXPECT_EQ(classify(failed("500 server error"), false), PublishOutcome::failed);
}

TEST(AzEnd, TakesAConflictThatMentionsALoginForAConflict) {
  EXPECT_EQ(classify(failed("already exists (try az login)"), false), PublishOutcome::failed);
  EXPECT_EQ(classify(failed("already exists (try az login)"), true),
            PublishOutcome::exists_skipped);
}

}  // namespace
}  // namespace hone::az
