#include "catalog/package_version.h"

#include <gtest/gtest.h>

#include <regex>

namespace hone {
namespace {

// SemVer 2.0, as its page gives it.
bool is_semver(const std::string& text) {
  static const std::regex form(
      R"((0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?)");
  return std::regex_match(text, form);
}

TEST(Slug, IsLowercaseWithOneDashBetweenWords) {
  EXPECT_EQ(slug("Microsoft/ResNet--50 (v1.5)"), "microsoft-resnet-50-v1-5");
  EXPECT_EQ(slug("__a__"), "a");
  EXPECT_EQ(slug("///"), "");
}

TEST(Version, TellsRunTargetModelAndTask) {
  EXPECT_EQ(version_of({"20260609", "qnn_npu", "microsoft/resnet-50", "image-classification"}),
            "0.0.0-20260609-qnn-npu-microsoft-resnet-50-image-classification");
}

TEST(Version, HasNoTaskWhereThereIsNone) {
  EXPECT_EQ(version_of({"20260609", "mlas_cpu", "gpt2"}), "0.0.0-20260609-mlas-cpu-gpt2");
}

TEST(Version, OfOneRunStartsAlike) {
  EXPECT_EQ(version_prefix("Run 7"), "0.0.0-run-7-");
  EXPECT_TRUE(version_of({"Run 7", "qnn_npu", "m"}).starts_with(version_prefix("Run 7")));
}

TEST(Version, DiffersBetweenCells) {
  const std::string npu = version_of({"1", "qnn_npu", "m", "t"});
  EXPECT_NE(npu, version_of({"1", "qnn_gpu", "m", "t"}));
  EXPECT_NE(npu, version_of({"1", "qnn_npu", "n", "t"}));
  EXPECT_NE(npu, version_of({"1", "qnn_npu", "m", "u"}));
  EXPECT_NE(version_of({"1", "cpu", "模型"}), version_of({"1", "cpu", "另一个"}));
  const std::string longest(300, 'm');
  EXPECT_NE(version_of({"1", "cpu", longest + "a"}), version_of({"1", "cpu", longest + "b"}));
}

TEST(Version, IsValidSemverThatFitsATag) {
  for (const VersionParts& parts :
       {VersionParts{"20260609", "qnn_npu", "microsoft/resnet-50", "image-classification"},
        VersionParts{"007", "cpu", "a"}, VersionParts{"0", "0", "0", "0"},
        VersionParts{"1", "cpu", "模型"}, VersionParts{"1", "cpu", std::string(500, 'x')},
        VersionParts{"2026-06-09T12:00:00+02:00", "ov_gpu", "a\nb\x1B[31m"}}) {
    const std::string version = version_of(parts);
    EXPECT_TRUE(is_semver(version)) << version;
    EXPECT_LE(version.size(), longest_version);
  }
}

TEST(Version, TellsNamesApartThatDifferInLettersOfOtherScripts) {
  const auto version = [](const char* model) {
    return version_of({.run_stamp = "1", .label = "cpu", .model = model});
  };
  EXPECT_NE(version("\u6a21\u578b\u4e00"), version("\u6a21\u578b\u4e8c"));
  EXPECT_NE(version("net-\u4e00"), version("net-\u4e8c"));
  EXPECT_NE(model_slug("\u6a21\u578b\u4e00", "ocr"), model_slug("\u6a21\u578b\u4e8c", "ocr"));
}

TEST(Version, OfAModelIsShortEnoughForAFolder) {
  EXPECT_EQ(model_slug("Org/Net v2", "text-to-text"), "org-net-v2-text-to-text");
  EXPECT_EQ(model_slug("net", ""), "net");
  EXPECT_LE(model_slug(std::string(300, 'a'), "x").size(), longest_version);
  EXPECT_NE(model_slug(std::string(300, 'a'), "x"), model_slug(std::string(301, 'a'), "x"));
}

}  // namespace
}  // namespace hone
