#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "catalog/package_folder.h"
#include "catalog/package_for_tests.h"

namespace hone {
namespace {

using testing::bytes_for;
using ::testing::ElementsAre;
using testing::file_of;
using ::testing::HasSubstr;
using testing::opened;
using testing::package_of;

class InAFolder : public ::testing::Test {
 protected:
  std::string address() const { return "file://" + root().string(); }
  Path root() const { return folder_.path() / "packages"; }
  PackageFile file(const std::string& path, const std::string& bytes) const {
    return file_of(folder_.path(), path, bytes);
  }
  std::unique_ptr<Destination> ready() const {
    auto destination = opened(address());
    HONE_CHECK(destination->ready(Access::write).has_value());
    return destination;
  }
  // What is there, hidden or not.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(root()))
      found.push_back(entry.path().filename().string());
    return found;
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("file");
};

TEST_F(InAFolder, APackageArrivesAndComesBack) {
  Package package =
      package_of({file("model.onnx", "graph"), file("data/w", bytes_for(1, 100'000))});
  package.evidence = file("manifest.json", "{}");
  auto destination = ready();
  const Published published = destination->publish(package, {});
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_TRUE(published.confirmed);
  EXPECT_EQ(published.bytes_sent, 100'007u);
  EXPECT_EQ(*read_file(root() / package.version / "evidence.json"), "{}");
  const auto fetched = destination->fetch(package.version, folder_.path() / "got", {});
  ASSERT_TRUE(fetched) << fetched.error().what;
  EXPECT_EQ(fetched->digest, published.digest);
  EXPECT_EQ(*read_file(folder_.path() / "got/data/w"), bytes_for(1, 100'000));
  EXPECT_THAT(names(), ElementsAre(package.version));
}

TEST_F(InAFolder, WhatIsThereIsNotReplaced) {
  auto destination = ready();
  const Package package = package_of({file("a", "these")});
  const Package other = package_of({file("a", "others")});
  ASSERT_TRUE(destination->publish(package, {}).confirmed);
  EXPECT_EQ(destination->publish(package, {}).outcome, PublishOutcome::uploaded);
  EXPECT_EQ(destination->publish(package, {.skip_existing = true}).outcome,
            PublishOutcome::exists_skipped);
  const Published refused = destination->publish(other, {});
  EXPECT_EQ(refused.outcome, PublishOutcome::failed);
  EXPECT_THAT(refused.error, HasSubstr("is there already, with other files"));
  EXPECT_FALSE(destination->publish(other, {.skip_existing = true}).confirmed);
  EXPECT_EQ(*read_file(root() / package.version / "files/a"), "these");
}

TEST_F(InAFolder, ADamagedCopyIsNoConfirmation) {
  auto destination = ready();
  const Package package = package_of({file("a", "these")});
  ASSERT_TRUE(destination->publish(package, {}).confirmed);
  ASSERT_TRUE(write_file(root() / package.version / "files/a", "rotte"));
  const Published again = destination->publish(package, {.skip_existing = true});
  EXPECT_EQ(again.outcome, PublishOutcome::failed);
  EXPECT_FALSE(again.confirmed);
  const auto fetched = destination->fetch(package.version, folder_.path() / "got", {});
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.error().what, HasSubstr("is not what its package promises"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "got"));
}

TEST_F(InAFolder, AFileThatIsNotWhatItWasIsNotPublished) {
  auto destination = ready();
  Package package = package_of({file("a", "these")});
  ASSERT_TRUE(write_file(package.files.front().local, "other"));
  const Published published = destination->publish(package, {});
  EXPECT_EQ(published.outcome, PublishOutcome::failed);
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(InAFolder, AKilledPublisherLeavesNoVersionAndItsRemainsAreCleared) {
  auto destination = ready();
  const Package package = package_of({file("a", "these"), file("b", bytes_for(2, 2'000'000))});
  const pid_t child = ::fork();
  if (child == 0) {
    PublishOptions options;
    options.progress = [](std::uint64_t, std::uint64_t) { ::kill(::getpid(), SIGKILL); };
    (void)opened(address())->publish(package, options);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_THAT(names(), ElementsAre(::testing::StartsWith(".")));
  EXPECT_TRUE(destination->versions("run1")->empty());
  EXPECT_TRUE(destination->publish(package, {}).confirmed);
  EXPECT_THAT(names(), ElementsAre(package.version));
}

TEST_F(InAFolder, VersionsOfARunAreListedAndNoOthers) {
  auto destination = ready();
  for (const char* version : {"0.0.0-run1-b", "0.0.0-run1-a", "0.0.0-run10-a"}) {
    ASSERT_TRUE(destination->publish(package_of({file("a", "x")}, version), {}).confirmed);
  }
  std::filesystem::create_directory(root() / "0.0.0-run1-empty");
  EXPECT_THAT(*destination->versions("run1"), ElementsAre("0.0.0-run1-a", "0.0.0-run1-b"));
  EXPECT_FALSE(opened("file:///nowhere/at/all")->versions("run1"));
}

TEST_F(InAFolder, ChosenFilesComeAlone) {
  auto destination = ready();
  const Package package = package_of({file("model.onnx", "graph"), file("w", "weights")});
  ASSERT_TRUE(destination->publish(package, {}).confirmed);
  ASSERT_TRUE(destination->fetch(package.version, folder_.path() / "one", {.files = {"w"}}));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "one/model.onnx"));
  const auto wrong =
      destination->fetch(package.version, folder_.path() / "two", {.files = {"model.onx"}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().what, HasSubstr("did you mean 'model.onnx'?"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "two"));
}

TEST_F(InAFolder, AHostilePackageLeavesNoFolder) {
  auto destination = ready();
  std::filesystem::create_directories(root() / "v/files");
  const auto fetched_with = [&](const std::string& manifest) {
    EXPECT_TRUE(write_file(root() / "v/package.json", manifest));
    return destination->fetch("v", folder_.path() / "got", {});
  };
  const auto with_path = [](const std::string& path) {
    return R"({"schema_version":1,"version":"v","files":[{"path":")" + path + R"(","sha256":")" +
           sha256("x").hex() + R"(","bytes":1}]})";
  };
  for (const char* path :
       {"../x", "/etc/passwd", "a/../../x", "", "a//b", ".", "a\\\\b", "a\\u0000b", "a\\nb"}) {
    EXPECT_FALSE(fetched_with(with_path(path))) << path;
  }
  for (const char* manifest : {"", "{", "[]", "{}", R"({"schema_version":2})",
                               R"({"schema_version":1,"version":"v","files":[{}]})"}) {
    EXPECT_FALSE(fetched_with(manifest)) << manifest;
  }
  EXPECT_FALSE(destination->fetch("../packages", folder_.path() / "got", {}));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "got"));
}

TEST_F(InAFolder, ALinkOutOfThePackageIsNotFollowedIntoTheResult) {
  auto destination = ready();
  const Package package = package_of({file("a", "these")});
  ASSERT_TRUE(destination->publish(package, {}).confirmed);
  ASSERT_TRUE(write_file(folder_.path() / "secret", "those"));
  std::filesystem::remove(root() / package.version / "files/a");
  std::filesystem::create_symlink(folder_.path() / "secret", root() / package.version / "files/a");
  EXPECT_FALSE(destination->fetch(package.version, folder_.path() / "got", {}));
}

TEST_F(InAFolder, AnExistingFolderIsNotFilled) {
  auto destination = ready();
  const Package package = package_of({file("a", "these")});
  ASSERT_TRUE(destination->publish(package, {}).confirmed);
  std::filesystem::create_directory(folder_.path() / "mine");
  const auto fetched = destination->fetch(package.version, folder_.path() / "mine", {});
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.error().what, HasSubstr("exists already"));
}

TEST_F(InAFolder, EvidenceComesBackAsItWasAttached) {
  auto destination = ready();
  Package package = package_of({file("a", "these")});
  package.evidence = file("manifest.json", "{\"measured\": 1}");
  const Published published = destination->publish(package, {});
  EXPECT_THAT(*destination->evidence(package.version, published.digest),
              ElementsAre("{\"measured\": 1}"));
  const Package bare = package_of({file("a", "these")}, "0.0.0-run1-bare");
  EXPECT_THAT(*destination->evidence(bare.version, destination->publish(bare, {}).digest),
              ElementsAre());
}

TEST_F(InAFolder, EvidenceThatIsNotThePromisedOneIsAnError) {
  auto destination = ready();
  Package package = package_of({file("a", "these")});
  package.evidence = file("manifest.json", "{}");
  const std::string digest = destination->publish(package, {}).digest;
  const auto refusal = [&](const std::string& of) {
    const auto got = destination->evidence(package.version, of);
    return got ? "" : got.error().what + ": " + got.error().cause;
  };
  EXPECT_THAT(refusal("sha256:" + std::string(64, '0')), HasSubstr("not the one that was fetched"));
  ASSERT_TRUE(write_file(root() / package.version / "evidence.json", "[]"));
  EXPECT_THAT(refusal(digest), HasSubstr("is not what its package promises"));
  std::filesystem::remove(root() / package.version / "evidence.json");
  EXPECT_THAT(refusal(digest), HasSubstr("the evidence is not there"));
  EXPECT_FALSE(destination->evidence("../packages", digest));
  Package huge = package_of({file("a", "these")}, "0.0.0-run1-huge");
  huge.evidence = file("manifest.json", "{}");
  huge.evidence->bytes = std::uint64_t{1} << 40;
  const std::string text = package_text(huge);
  std::filesystem::create_directories(root() / huge.version);
  ASSERT_TRUE(write_file(root() / huge.version / "package.json", text));
  const auto got = destination->evidence(huge.version, "sha256:" + sha256(text).hex());
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().what, HasSubstr("too large"));
}

}  // namespace
}  // namespace hone
