#include "runtime/fit_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/file.h"
#include "model/text/text.h"
#include "runtime/samples.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Sizes = std::vector<std::int64_t>;

std::vector<Port> picture() {
  return {{"x", Type::tensor(ElementType::float32,
                             Shape{Dim{.value = 1}, Dim{.value = 3}, Dim{}, Dim{}})}};
}

// Runs on these sizes alone, and keeps count.
struct Picky {
  std::function<bool(const Sizes&)> takes;
  std::vector<Sizes> asked{};
  InputTrial trial() {
    return [this](const ShapeRules& rules) -> Status {
      asked.push_back(rules.inputs.at("x"));
      if (takes(asked.back())) return done();
      return fail(Fault::runtime, "the model failed while running",
                  "onnxruntime: bad height\nmore");
    };
  }
};

TEST(FitInputs, WhatRunsAtOnceIsNotLookedForFurther) {
  Picky model{[](const Sizes&) { return true; }};
  const auto found = fit_inputs(picture(), {}, {}, model.trial());
  ASSERT_TRUE(found);
  EXPECT_EQ(model.asked.size(), 1u);
  EXPECT_THAT(found->rules.inputs.at("x"), ElementsAre(1, 3, 320, 320));
  EXPECT_THAT(found->notes, ElementsAre(HasSubstr("assumed x[2]=320, x[3]=320")));
}

TEST(FitInputs, ASizeThatIsStillRunningWhenItsTimeIsOverIsTakenAndSaid) {
  std::size_t asked = 0;
  const auto found = fit_inputs(picture(), {}, {}, [&](const ShapeRules&) -> Status {
    ++asked;
    return fail(Fault::timeout, "the worker gave no answer");
  });
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(asked, 1u);
  EXPECT_THAT(found->rules.inputs.at("x"), ElementsAre(1, 3, 320, 320));
  EXPECT_THAT(found->notes,
              ElementsAre(HasSubstr("still running"), HasSubstr("assumed x[2]=320, x[3]=320")));
}

TEST(FitInputs, ASizeThatRunsIsFoundAndSaid) {
  Picky model{[](const Sizes& sizes) { return sizes[2] == 48; }};
  const auto found = fit_inputs(picture(), {}, {}, model.trial());
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_THAT(found->rules.inputs.at("x"), ElementsAre(1, 3, 48, 320));
  ASSERT_EQ(found->notes.size(), 2u);
  EXPECT_EQ(found->notes[0], "x: 1x3x48x320 runs; 1x3x320x320 did not: onnxruntime: bad height");
  EXPECT_THAT(found->notes[1], HasSubstr("say otherwise with --shape-config x=1x3x48x320"));
}

TEST(FitInputs, WhatTheUserSaysStays) {
  Picky model{[](const Sizes& sizes) { return sizes[2] == 48; }};
  std::vector<Port> ports = picture();
  (*ports[0].type.shape)[3].symbol = "width";
  const auto found = fit_inputs(ports, {.symbols = {{"width", 96}}}, {}, model.trial());
  ASSERT_TRUE(found) << found.error().what;
  for (const Sizes& sizes : model.asked) EXPECT_EQ(sizes[3], 96);
  EXPECT_EQ(model.asked.back()[2], 48);
}

TEST(FitInputs, SoundThatIsCutIntoFramesIsTriedInWholeFrames) {
  const std::vector<Port> sound = {
      {"x", Type::tensor(ElementType::float32, Shape{Dim{.value = 1}, Dim{.symbol = "samples"}})}};
  InputFacts facts;
  facts.frames = {441};
  Picky model{[](const Sizes& sizes) { return sizes[1] > 441 && sizes[1] % 441 == 0; }};
  const auto found = fit_inputs(sound, {}, facts, model.trial());
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_THAT(found->rules.inputs.at("x"), ElementsAre(1, 4410));
}

// A model whose flag decides a branch.
std::vector<Port> flagged() {
  return {{"x", Type::tensor(ElementType::float32, Shape{Dim{.value = 2}})},
          {"cached", Type::tensor(ElementType::boolean, Shape{})}};
}

TEST(FitInputs, BothBranchesOfAFlagAreTakenInTurnWhereBothRun) {
  std::vector<double> asked;
  InputFacts facts;
  facts.branches = {"cached"};
  const auto found = fit_inputs(flagged(), {}, facts, [&](const ShapeRules& rules) {
    asked.push_back(rules.values.at("cached"));
    return done();
  });
  ASSERT_TRUE(found);
  EXPECT_THAT(asked, ElementsAre(0, 1));
  EXPECT_FALSE(found->rules.values.contains("cached"));
  const auto made = generate_samples(flagged(), found->rules, facts, 0, 4).value();
  std::vector<double> flags;
  for (const Sample& sample : made.samples)
    flags.push_back(static_cast<double>(sample.at("cached")->bytes()->at(0)));
  EXPECT_THAT(flags, ElementsAre(0, 1, 0, 1));
}

TEST(FitInputs, ABranchThatDoesNotRunIsLeftOutAndNamed) {
  InputFacts facts;
  facts.branches = {"cached"};
  const auto found = fit_inputs(flagged(), {}, facts, [](const ShapeRules& rules) -> Status {
    if (rules.values.at("cached") == 0) return done();
    return fail(Fault::runtime, "the model failed while running", "onnxruntime: no past");
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rules.values.at("cached"), 0);
  EXPECT_THAT(found->notes, ElementsAre(HasSubstr("cached:=1 did not run")));
}

TEST(FitInputs, NothingThatRunsIsAnErrorThatSaysWhatToGive) {
  Picky model{[](const Sizes&) { return false; }};
  const auto found = fit_inputs(picture(), {}, {}, model.trial());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().cause, "onnxruntime: bad height\nmore");
  EXPECT_THAT(found.error().hint, HasSubstr("of " + std::to_string(model.asked.size()) + " tried"));
  EXPECT_THAT(found.error().hint, HasSubstr("--shape-config x=1x3x320x320"));
  EXPECT_LE(model.asked.size(), 60u);
  std::set<Sizes> different(model.asked.begin(), model.asked.end());
  EXPECT_EQ(different.size(), model.asked.size()) << "no size is tried twice";
}

TEST(FitInputs, WhatIsNotOpenIsNotTried) {
  std::vector<Port> ports = picture();
  for (Dim& dim : *ports[0].type.shape) dim.value = 8;
  Picky model{[](const Sizes&) { return false; }};
  const auto found = fit_inputs(ports, {}, {}, model.trial());
  ASSERT_TRUE(found);
  EXPECT_TRUE(model.asked.empty());
  EXPECT_TRUE(found->notes.empty());
  EXPECT_EQ(to_shape_text(found->rules), "");
}

// What an Einsum makes is not followed, so that only a run says that the height is 48.
TEST(FitInputs, SizesAreTriedInAWorker) {
  const char* chosen = std::getenv("HONE_ORT");
  const Path ort = chosen != nullptr ? chosen : HONE_SOURCE_DIR "/build/lib/libonnxruntime.so.1";
  if (!std::filesystem::exists(ort)) GTEST_SKIP() << "no ONNX Runtime at " << ort;
  const TemporaryFolder folder = *TemporaryFolder::create("fit");
  std::string ones = "{1";
  for (int i = 1; i < 48; ++i) ones += ", 1";
  auto model = parse_text(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[1, 1, h, w] x) => (float[1, 1, 1, v] y) <float[1, 48] m = " +
      ones +
      "}> { k = Einsum <equation = \"nchw->nchw\"> (x) "
      "y = MatMul(m, k) }");
  ASSERT_TRUE(model) << model.error().what << ": " << model.error().cause;
  RunPlan plan;
  plan.model = (folder.path() / "line.onnx").string();
  plan.ort = {ort.string()};
  ASSERT_TRUE(save_model(*model, plan.model));
  const auto found = fit_inputs(plan, HONE_PROGRAM);
  ASSERT_TRUE(found) << found.error().what << ": " << found.error().cause;
  EXPECT_THAT(found->rules.inputs.at("x"), ElementsAre(1, 1, 48, 320));
  EXPECT_THAT(found->notes.front(), HasSubstr("x: 1x1x48x320 runs; 1x1x320x320 did not: "));
}

}  // namespace
}  // namespace hone
