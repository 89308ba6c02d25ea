#include "catalog/publisher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "catalog/oci/manifest.h"
#include "catalog/oci/repository.h"
#include "catalog/oci/upload.h"
#include "catalog/package_for_tests.h"

namespace hone {
namespace {

using testing::file_of;
using ::testing::HasSubstr;
using testing::package_of;

TEST(Publishers, HaveUniqueSchemesAndSummaries) {
  std::set<std::string_view> schemes;
  for (const Publisher& publisher : all_publishers()) {
    EXPECT_TRUE(schemes.insert(publisher.scheme).second);
    EXPECT_TRUE(publisher.form.starts_with(std::string(publisher.scheme) + "://"));
    EXPECT_LE(publisher.summary.size(), 72u);
  }
}

TEST(Publishers, AreDescribedInTheDocumentation) {
  const std::string page = *read_file(Path(HONE_SOURCE_DIR) / "docs/publish.md");
  for (const Publisher& publisher : all_publishers())
    EXPECT_THAT(page, HasSubstr("## " + std::string(publisher.scheme) + "://"));
}

TEST(Addresses, OfNoPublisherAreAnsweredWithTheFormsThereAre) {
  const auto unknown = open_destination("ocy://host/repo", {});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().what, HasSubstr("did you mean 'oci'?"));
  EXPECT_THAT(open_destination("host/repo", {}).error().hint, HasSubstr("file:///FOLDER"));
  for (const char* address : {"oci://", "oci://host", "oci://host/", "oci://host/UPPER",
                              "oci://host/a//b", "oci://host/../x", "oci://us er/x", "oci://h:x/a",
                              "file://", "file://relative", "oci://host/-a", "oci://host/a..b"}) {
    EXPECT_FALSE(open_destination(address, {})) << address;
  }
}

TEST(References, AreAnAddressAndAVersion) {
  const auto split = [](const char* text) {
    const auto found = parse_reference(text);
    return found ? found->address + " " + found->version : "none";
  };
  EXPECT_EQ(split("oci://host:5000/a/b:0.0.0-x"), "oci://host:5000/a/b 0.0.0-x");
  EXPECT_EQ(split("oci://host/a@sha256:12"), "oci://host/a sha256:12");
  EXPECT_EQ(split("file:///tmp/a:b/c:v"), "file:///tmp/a:b/c v");
  for (const char* text : {"oci://host:5000/a", "oci://host/a:", "a:b", "", ":"}) {
    EXPECT_EQ(split(text), "none") << text;
  }
}

TEST(Packages, AreCheckedBeforeTheyLeave) {
  const auto folder = TemporaryFolder::create("publisher");
  const PackageFile good = file_of(folder->path(), "a", "x");
  EXPECT_TRUE(check_package(package_of({good})));
  EXPECT_FALSE(check_package(package_of({})));
  EXPECT_FALSE(check_package(package_of({good, good})));
  EXPECT_FALSE(check_package(package_of({good}, "../x")));
  EXPECT_FALSE(check_package(package_of({good}, "-x")));
  EXPECT_FALSE(check_package(package_of({good, file_of(folder->path(), "a/b", "y")})));
  PackageFile wrong = good;
  wrong.sha256 = "ABC";
  EXPECT_FALSE(check_package(package_of({wrong})));
  wrong = good;
  wrong.local = folder->path() / "missing";
  EXPECT_FALSE(check_package(package_of({wrong})));
}

TEST(Tags, AreTheVersionWhereTheyCanBe) {
  EXPECT_EQ(oci::tag_of("0.0.0-run-cpu-model"), "0.0.0-run-cpu-model");
  for (const std::string& version :
       {std::string("1.0+build"), std::string("-x"), std::string(""), std::string(300, 'v'),
        std::string("a/b"), std::string("\xC3\xA9")}) {
    const std::string tag = oci::tag_of(version);
    EXPECT_TRUE(oci::is_tag(tag)) << tag;
    EXPECT_NE(tag, version);
  }
  EXPECT_NE(oci::tag_of("1+a"), oci::tag_of("1_a"));
}

TEST(Ranges, TellHowManyBytesArrived) {
  EXPECT_EQ(oci::bytes_in_range("0-1023"), 1024u);
  EXPECT_EQ(oci::bytes_in_range("0-0"), 0u);
  for (const char* range : {"", "-", "5", "5-9", "0--1", "a-b", "0-18446744073709551615"}) {
    EXPECT_EQ(oci::bytes_in_range(range), std::nullopt) << range;
  }
}

TEST(Manifests, AreTheSameForTheSamePackageAndReadBack) {
  const auto folder = TemporaryFolder::create("publisher");
  Package package = package_of({file_of(folder->path(), "a/b", "x")});
  package.annotations["note"] = "n";
  const std::string text = oci::manifest_text(package);
  EXPECT_EQ(text, oci::manifest_text(package));
  const auto read = oci::read_manifest(text);
  ASSERT_TRUE(read) << read.error().cause;
  EXPECT_EQ(read->version, package.version);
  EXPECT_EQ(read->files.front().path, "a/b");
  EXPECT_EQ(read->files.front().sha256, sha256("x").hex());
  EXPECT_EQ(read->annotations.at("note"), "n");
}

TEST(Manifests, OfOthersAreReadWithCare) {
  const std::string digest = "sha256:" + sha256("x").hex();
  const auto with_layer = [](const std::string& layer) {
    return oci::read_manifest(R"({"layers":[)" + layer + "]}");
  };
  const std::string title = R"(,"annotations":{"org.opencontainers.image.title":")";
  EXPECT_TRUE(with_layer(R"({"digest":")" + digest + R"(","size":1)" + title + "a\"}}"));
  for (const std::string& layer :
       {R"({"digest":")" + digest + R"(","size":1})",
        R"({"digest":")" + digest + R"(","size":-1)" + title + "a\"}}",
        R"({"digest":"md5:1","size":1)" + title + "a\"}}",
        R"({"digest":")" + digest + R"(","size":1)" + title + "../a\"}}",
        R"({"digest":")" + digest + R"(","size":1)" + title + "/a\"}}",
        R"({"digest":")" + digest + R"(","size":1,"annotations":[]})", std::string("1")}) {
    EXPECT_FALSE(with_layer(layer)) << layer;
  }
  for (const char* text : {"", "{}", R"({"layers":1})", "[]"}) {
    EXPECT_FALSE(oci::read_manifest(text)) << text;
  }
}

TEST(ErrorTails, AreTheLastTwelveLines) {
  std::string text;
  for (int i = 1; i <= 20; ++i) text += std::to_string(i) + "\n";
  EXPECT_TRUE(last_lines(text).starts_with("9\n"));
  EXPECT_TRUE(last_lines(text).ends_with("\n20"));
  EXPECT_EQ(last_lines("\n\n"), "");
}

}  // namespace
}  // namespace hone
