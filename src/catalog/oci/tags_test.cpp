#include "catalog/oci/tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/oci/scripted_registry_for_tests.h"
#include "catalog/package_for_tests.h"

namespace hone::oci {
namespace {

using hone::testing::response;
using hone::testing::ScriptedRegistry;
using hone::testing::ServedRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr TagLimits small = {.pages = 4, .tags = 100, .page_bytes = 4096, .all_bytes = 8192};

// A page of so many tags of a run, and the promise of another one.
std::string page(int number, int tags, const std::string& tag = "0.0.0-r-") {
  std::string list;
  for (int i = 0; i < tags; ++i)
    list += (i > 0 ? ",\"" : "\"") + tag + std::to_string(number * 1000 + i) + "\"";
  return response(
      200, R"({"tags":[)" + list + "]}",
      "Link: </v2/models/tags/list?n=1000&last=" + std::to_string(number) + ">; rel=\"next\"\r\n");
}

class TagLists : public ::testing::Test {
 protected:
  // A registry that always has another page.
  void pages_of(int tags, const std::string& tag = "0.0.0-r-") {
    registry_.emplace(
        [this, tags, tag](const ServedRequest&) { return page(asked_++, tags, tag); });
  }
  void always(const std::string& answer) {
    registry_.emplace([answer](const ServedRequest&) { return answer; });
  }
  Result<std::vector<std::string>> listed(const TagLimits& limits = small) {
    auto repository = parse_repository(registry_->address() + "/models");
    HONE_CHECK(repository.has_value());
    Registry registry(*std::move(repository), std::nullopt, hone::testing::hurried());
    return list_tags(registry, "0.0.0-r-", limits);
  }
  std::string refusal() {
    const auto list = listed();
    return list ? "" : list.error().what + ": " + list.error().cause;
  }

  int asked_ = 0;
  std::optional<ScriptedRegistry> registry_;
};

TEST_F(TagLists, HaveTheTagsOfOneRun) {
  always(response(200, R"({"tags":["latest","0.0.0-r-a","0.0.0-rr-a","0.0.0-r-b"]})"));
  EXPECT_THAT(*listed(), ElementsAre("0.0.0-r-a", "0.0.0-r-b"));
  always(response(200, R"({"tags":null})"));
  EXPECT_THAT(*listed(), IsEmpty());
}

TEST_F(TagLists, EndAfterSoManyPages) {
  pages_of(1);
  EXPECT_THAT(refusal(), HasSubstr("cannot list what is in the repository: the list has no end"));
  EXPECT_EQ(asked_, small.pages + 1);
}

TEST_F(TagLists, MayHaveSoManyTagsWhetherTheyAreOfTheRunOrNot) {
  pages_of(60, "x");
  EXPECT_THAT(refusal(), HasSubstr("there are more than 100 tags"));
  EXPECT_EQ(asked_, 2);
}

TEST_F(TagLists, MayHaveSoManyBytesOverAllPages) {
  pages_of(25, std::string(100, 'x'));
  EXPECT_THAT(refusal(), HasSubstr("the list is longer than 8.00 KiB"));
  EXPECT_EQ(asked_, 4);
}

TEST_F(TagLists, MayNotHaveAPageThatIsTooLong) {
  always(response(200, R"({"tags":[")" + std::string(8000, 'x') + "\"]}"));
  EXPECT_THAT(refusal(), HasSubstr("4096"));
}

// Each is a byte or two in the answer, and forty in memory.
TEST_F(TagLists, AreNotTakenApartBeforeTheyAreCounted) {
  std::string list = "0";
  for (int i = 0; i < 1000; ++i) list += ",0";
  always(response(200, R"({"tags":[)" + list + "]}"));
  EXPECT_THAT(refusal(), HasSubstr("there are more than 100 tags"));
}

}  // namespace
}  // namespace hone::oci
