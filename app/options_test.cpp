#include "app/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::app {
namespace {

using testing::ElementsAre;

// One of each kind, as a command would declare them.
struct Declared {
  std::string model, output, name, kind = "small";
  bool overwrite = false, fast = false;
  std::vector<std::string> arms;
  std::int64_t count = 1;
  double margin = 0;
  std::uint64_t seed = 0;
  Options options{"test"};

  Declared() {
    options.model(model);
    options.flag("-f,--fast", fast, "");
    options.text("--name TEXT", name, "");
    options.texts("--arm ARM", arms, "");
    options.integer("--count N", count, "", Need::optional, {.least = 1, .most = 9});
    options.number("--margin X", margin, "");
    options.choice("--kind KIND", kind, {"small", "large"}, "");
    options.seed(seed, "");
  }

  // Empty, or what was wrong.
  std::string read(const std::vector<std::string>& words) {
    const Status status = options.read(words);
    return status ? "" : status.error().what + " | " + status.error().cause;
  }
};

TEST(Options, AreReadInAnyOrderAndForm) {
  Declared declared;
  EXPECT_EQ(declared.read({"--name=n", "-f", "--count", "3", "m.onnx", "--margin", "-0.5", "--kind",
                           "large", "--seed", "18446744073709551615"}),
            "");
  EXPECT_EQ(declared.model, "m.onnx");
  EXPECT_EQ(declared.name, "n");
  EXPECT_TRUE(declared.fast);
  EXPECT_EQ(declared.count, 3);
  EXPECT_EQ(declared.margin, -0.5);
  EXPECT_EQ(declared.kind, "large");
  EXPECT_EQ(declared.seed, ~std::uint64_t{0});
}

TEST(Options, WhatIsNotGivenKeepsItsDefault) {
  Declared declared;
  EXPECT_EQ(declared.read({"-m", "m.onnx"}), "");
  EXPECT_EQ(declared.kind, "small");
  EXPECT_EQ(declared.count, 1);
}

TEST(Options, AListTakesOneValueEachTime) {
  Declared declared;
  EXPECT_EQ(declared.read({"--arm", "a", "m.onnx", "--arm", "b,c"}), "");
  EXPECT_EQ(declared.model, "m.onnx");
  EXPECT_THAT(declared.arms, ElementsAre("a", "b,c"));
}

TEST(Options, ValuesThatDoNotFitAreQuoted) {
  EXPECT_EQ(Declared().read({"m", "--count", "10"}),
            "'10' is no value for --count | it takes a whole number from 1 to 9");
  EXPECT_EQ(Declared().read({"m", "--count", "3x"}),
            "'3x' is no value for --count | it takes a whole number from 1 to 9");
  EXPECT_EQ(Declared().read({"m", "--margin", "wide"}),
            "'wide' is no value for --margin | it takes a number");
  EXPECT_EQ(Declared().read({"m", "--kind", "lrge"}),
            "'lrge' is no value for --kind | it takes one of: small, large");
}

TEST(Options, AVariableThatIsNotSetIsNotTheDefault) {
  EXPECT_EQ(Declared().read({"m", "--name", ""}), "'' is no value for --name | it is empty");
}

TEST(Options, AFlagTakesNoOtherValue) { EXPECT_NE(Declared().read({"m", "--fast=perhaps"}), ""); }

TEST(Options, AnOutputThatExistsIsRefusedUnlessItMayBeReplaced) {
  const TemporaryFolder folder = *TemporaryFolder::create("options-test");
  const std::string path = (folder.path() / "out").string();
  ASSERT_TRUE(write_file(path, "precious"));
  const auto read = [&](std::vector<std::string> words) {
    std::string output;
    bool overwrite = false;
    Options options("test");
    options.output(output, overwrite, "");
    words.insert(words.end(), {"-o", path});
    return options.read(words);
  };
  const Status refused = read({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, Fault::io);
  EXPECT_TRUE(read({"--overwrite"}));
}

}  // namespace
}  // namespace hone::app
