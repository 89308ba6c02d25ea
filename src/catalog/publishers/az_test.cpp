// Publishing through an `az` that the tests write: its Azure Artifacts commands are an extension
// that comes from Azure only.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "catalog/package_for_tests.h"

namespace hone {
namespace {

using ::testing::ElementsAre;
using testing::file_of;
using ::testing::HasSubstr;
using testing::hurried;
using testing::opened;
using testing::package_of;

// Keeps packages in folders beside itself, and each of its command lines in a file. What a test
// gives it is done first.
constexpr std::string_view script = R"sh(#!/bin/sh
here=$(dirname "$0")
{ for word; do printf '%s|' "$word"; done; echo; } >> "$here/calls"
for last; do :; done
. "$here/first"
case "$1 $2" in
  'extension show'|'account show') exit 0;;
  'artifacts universal')
    verb=$3; filter=
    while [ $# -gt 0 ]; do
      case "$1" in --version) version=$2;; --path) path=$2;; --file-filter) filter=$2;; esac
      shift
    done
    there="$here/feed-$version"
    if [ "$verb" = publish ]; then
      [ ! -e "$there" ] || { echo 'ERROR: The package version already exists.' >&2; exit 1; }
      cp -r "$path" "$there"; echo '{}'; exit 0
    fi
    [ -e "$there" ] || { echo 'ERROR: Package not found' >&2; exit 1; }
    if [ -z "$filter" ]; then cp -r "$there/." "$path"; exit 0; fi
    mkdir -p "$path/$(dirname "$filter")"; cp "$there/$filter" "$path/$filter"; exit 0;;
esac
echo "unknown: $*" >&2; exit 2
)sh";

class Az : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(folder_.path() / "az", script));
    std::filesystem::permissions(folder_.path() / "az", std::filesystem::perms::owner_all);
    does_first("");
  }
  void does_first(const std::string& commands) const {
    HONE_CHECK(write_file(folder_.path() / "first", commands + "\n").has_value());
  }
  PublisherSettings settings() const {
    PublisherSettings made = hurried();
    made.az = (folder_.path() / "az").string();
    made.scratch = folder_.path();
    return made;
  }
  std::unique_ptr<Destination> feed() const {
    return opened("az://org/my project/feed", settings());
  }
  std::vector<std::string> calls() const {
    return split(*read_file(folder_.path() / "calls"), '\n');
  }
  Package package(const std::string& bytes = "model") const {
    return package_of(
        {file_of(folder_.path(), "m.onnx", bytes), file_of(folder_.path(), "data/w", "weights")});
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("az");
};

TEST_F(Az, SendsAPackageAndGetsItBack) {
  auto destination = feed();
  ASSERT_TRUE(destination->ready(Access::write));
  const Published published = destination->publish(package(), {});
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_TRUE(published.confirmed);
  EXPECT_EQ(published.reference, "az://org/my project/feed/hone-models:0.0.0-run1-cpu-model");
  const auto fetched = destination->fetch(package().version, folder_.path() / "got", {});
  ASSERT_TRUE(fetched) << fetched.error().what << fetched.error().cause;
  EXPECT_EQ(*read_file(folder_.path() / "got/data/w"), "weights");
  EXPECT_EQ(fetched->digest, published.digest);
  const auto one =
      destination->fetch(package().version, folder_.path() / "one", {.files = {"m.onnx"}});
  ASSERT_TRUE(one) << one.error().what << one.error().cause;
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "one/data"));
}

TEST_F(Az, MakesTheFolderItPutsPackagesTogetherIn) {
  PublisherSettings elsewhere = settings();
  elsewhere.scratch = folder_.path() / "sweep/outbox";
  const Published published = opened("az://org/project/feed", elsewhere)->publish(package(), {});
  EXPECT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
}

TEST_F(Az, HasAReferenceWithThePackageWhereverItsNameCameFrom) {
  PublisherSettings named = settings();
  named.package_name = "other";
  const std::string reference = "az://org/project/feed/other:0.0.0-run1-cpu-model";
  EXPECT_EQ(opened("az://org/project/feed", named)->publish(package(), {}).reference, reference);
  const PackageReference again = *parse_reference(reference);
  EXPECT_TRUE(opened(again.address, settings())->fetch(again.version, folder_.path() / "got", {}));
  for (const std::string& call : calls()) {
    if (!call.empty()) {
      EXPECT_THAT(call, HasSubstr("|--name|other|"));
    }
  }
}

TEST_F(Az, IsCalledWithWordsAndNoShell) {
  Package hostile = package();
  hostile.description = "$(touch x); `touch y` \"quoted\"";
  ASSERT_EQ(feed()->publish(hostile, {}).outcome, PublishOutcome::uploaded);
  EXPECT_THAT(calls().front(),
              HasSubstr("artifacts|universal|publish|--organization|https://dev.azure.com/org|"
                        "--project|my project|--scope|project|--feed|feed|--name|hone-models|"
                        "--version|0.0.0-run1-cpu-model|--path|"));
  EXPECT_THAT(calls().front(), HasSubstr("|--description|$(touch x); `touch y` \"quoted\"|"));
}

TEST_F(Az, KnowsWhatIsThereAlready) {
  auto destination = feed();
  ASSERT_TRUE(destination->publish(package(), {}).confirmed);
  EXPECT_EQ(destination->publish(package(), {}).outcome, PublishOutcome::failed);
  const Published same = destination->publish(package(), {.skip_existing = true});
  EXPECT_EQ(same.outcome, PublishOutcome::exists_skipped);
  EXPECT_TRUE(same.confirmed);
  const Published other = destination->publish(package("other"), {.skip_existing = true});
  EXPECT_EQ(other.outcome, PublishOutcome::exists_skipped);
  EXPECT_FALSE(other.confirmed);
  EXPECT_THAT(other.error, HasSubstr("is there with other files"));
}

TEST_F(Az, StopsWhenTheLoginHasExpired) {
  does_first("echo 'AADSTS700082: The refresh token has expired. Run az login' >&2; exit 1");
  const Published published = feed()->publish(package(), {});
  EXPECT_EQ(published.outcome, PublishOutcome::auth_abort);
  EXPECT_THAT(published.error, HasSubstr("AADSTS700082"));
}

TEST_F(Az, StopsWithoutItsProgram) {
  PublisherSettings without = settings();
  without.az = (folder_.path() / "nowhere").string();
  auto destination = opened("az://org/project/feed", without);
  EXPECT_EQ(destination->publish(package(), {}).outcome, PublishOutcome::auth_abort);
  const Status ready = destination->ready(Access::write);
  ASSERT_FALSE(ready);
  EXPECT_THAT(ready.error().hint, HasSubstr("install the Azure CLI"));
  EXPECT_FALSE(destination->versions("run1"));
}

TEST_F(Az, EndsAtItsTimeLimitAndLeavesNothingBehind) {
  does_first("[ \"$3\" != publish ] || sleep 60");
  const Published published =
      feed()->publish(package(), {.timeout = std::chrono::milliseconds(200)});
  EXPECT_EQ(published.outcome, PublishOutcome::timeout);
  EXPECT_FALSE(published.confirmed);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".hone-")) << entry.path();
}

TEST_F(Az, IsNotConfirmedWhereWhatWasSentCannotBeRead) {
  does_first("[ \"$3\" != download ] || { echo 'ERROR: 500' >&2; exit 1; }");
  const Published published = feed()->publish(package(), {});
  EXPECT_EQ(published.outcome, PublishOutcome::uploaded);
  EXPECT_FALSE(published.confirmed);
  EXPECT_THAT(published.error, HasSubstr("ERROR: 500"));
}

TEST_F(Az, IsReadyWithTheExtensionAndALoginOnly) {
  EXPECT_TRUE(feed()->ready(Access::write));
  does_first("[ \"$1\" != account ] || { echo \"Please run 'az login'\" >&2; exit 1; }");
  EXPECT_EQ(feed()->ready(Access::write).error().hint, "az login");
  does_first("[ \"$1\" != extension ] || { echo 'no network' >&2; exit 1; }");
  EXPECT_THAT(feed()->ready(Access::write).error().what, HasSubstr("no extension azure-devops"));
  does_first(
      "[ \"$1 $2\" != 'extension show' ] || exit 1; [ \"$1 $2\" != 'extension add' ] || exit 0");
  EXPECT_TRUE(feed()->ready(Access::write));
}

// Packages of a hundred a page, then the one; versions by token.
constexpr std::string_view pages = R"sh(
if [ "$1" = rest ]; then
  case "$last" in
    *'/versions?'*'continuationToken=next%2Fone'*)
      echo '{"value": [{"version": "0.0.0-run1-b"}, {"version": "0.0.0-run1-gone", "isDeleted": true}]}';;
    *'/7a/versions?'*)
      echo '{"continuationToken": "next/one", "value": [{"version": "0.0.0-run10-a"}, {"version": "0.0.0-run1-a"}]}';;
    *'$skip=0'*)
      printf '{"value": ['
      i=0; while [ $i -lt 100 ]; do printf '{"name": "p%d", "protocolType": "UPack", "id": "x"},' $i; i=$((i+1)); done | sed 's/,$//'
      echo ']}';;
    *'$skip=100'*)
      echo '{"value": [{"name": "hone-models", "protocolType": "NuGet", "id": "no"}, {"name": "Hone-Models", "protocolType": "UPack", "id": "7a"}]}';;
  esac
  exit 0
fi)sh";

TEST_F(Az, ListsVersionsOverAllPages) {
  does_first(std::string(pages));
  const auto versions = feed()->versions("run1");
  ASSERT_TRUE(versions) << versions.error().what << versions.error().cause;
  EXPECT_THAT(*versions, ElementsAre("0.0.0-run1-a", "0.0.0-run1-b"));
  EXPECT_THAT(calls().front(),
              HasSubstr("rest|--method|get|--resource|499b84ac-1321-427f-aa17-267ca6975798|--url|"
                        "https://feeds.dev.azure.com/org/my%20project/_apis/packaging/feeds/feed/"
                        "packages?api-version=7.1-preview.1&"));
}

TEST_F(Az, NeverTakesAFailureToAskForAnEmptyList) {
  for (const char* first :
       {"[ \"$1\" != rest ] || exit 1", "[ \"$1\" != rest ] || { echo nonsense; exit 0; }",
        "[ \"$1\" != rest ] || { echo '{}'; exit 0; }",
        "[ \"$1\" != rest ] || { echo '{\"value\": []}'; exit 0; }",
        "[ \"$1\" != rest ] || { echo '{\"value\": [], \"continuationToken\": \"t\"}'; exit 0; "
        "}"}) {
    does_first(first);
    EXPECT_FALSE(feed()->versions("run1")) << first;
  }
}

TEST_F(Az, VerifiesWhatItFetches) {
  ASSERT_TRUE(feed()->publish(package(), {}).confirmed);
  ASSERT_TRUE(write_file(folder_.path() / "feed-0.0.0-run1-cpu-model/files/m.onnx", "rotte"));
  const auto fetched = feed()->fetch(package().version, folder_.path() / "got", {});
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.error().what, HasSubstr("is not what its package promises"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "got"));
  EXPECT_FALSE(feed()->fetch("0.0.0-missing", folder_.path() / "got", {}));
}

TEST_F(Az, HandsEvidenceBackWithItsDigestChecked) {
  Package with = package();
  with.evidence = file_of(folder_.path(), "manifest.json", "{}");
  const std::string digest = feed()->publish(with, {}).digest;
  EXPECT_THAT(*feed()->evidence(with.version, digest), ElementsAre("{}"));
  ASSERT_TRUE(write_file(folder_.path() / "feed-0.0.0-run1-cpu-model/evidence.json", "[]"));
  EXPECT_FALSE(feed()->evidence(with.version, digest));
  EXPECT_FALSE(feed()->evidence("0.0.0-missing", digest));
}

TEST_F(Az, TakesNoNameThatCouldBeAnOption) {
  for (const char* address : {"az://org/project", "az://org/project/--feed", "az://org//feed",
                              "az://org/../feed", "az://org/p/f/n/x", "az://o$g/p/f"}) {
    EXPECT_FALSE(open_destination(address, settings())) << address;
  }
}

}  // namespace
}  // namespace hone
