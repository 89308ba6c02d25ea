// The passes by text: tests/passes/NAME.txt holds cases of the pass NAME.
//
//   # A sentence about what follows.
//   before:
//   g (float[2] x) => (float[2] y) { ... }        a header <ir_version: ...> may stand before it
//   after:                                         or `unchanged`, or `declines: the reason`
//   g (float[2] x) => (float[2] y) { ... }
//
// Both graphs are then run on ONNX Runtime's CPU EP, without its own optimizations, and the outputs
// are held to what the pass promises. `not run: the reason` leaves that out. UPDATE_GOLDEN=1 writes
// what the pass makes into the file, for you to read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "model/text/text.h"
#include "real_runtime.h"
#include "runtime/samples.h"
#include "transform/pass.h"

namespace hone {
namespace {

const Path cases_folder = Path(HONE_SOURCE_DIR) / "tests/passes";
const bool is_updating = std::getenv("UPDATE_GOLDEN") != nullptr;

struct Case {
  std::string sentence{};
  std::string before{};
  std::optional<std::string> after{};  // nothing: unchanged
  std::string declines{};              // empty: says nothing about it
  std::string not_run{};
};

std::vector<Case> read_cases(const Path& path) {
  std::vector<Case> cases;
  std::string* block = nullptr;
  for (const std::string& line : split(read_file(path).value(), '\n')) {
    if (line.starts_with("# ")) {
      cases.push_back({.sentence = line.substr(2)});
      block = nullptr;
    } else if (line == "before:") {
      block = &cases.back().before;
    } else if (line == "after:") {
      block = &cases.back().after.emplace();
    } else if (line == "unchanged") {
      block = nullptr;
    } else if (line.starts_with("declines: ")) {
      cases.back().declines = line.substr(10);
      block = nullptr;
    } else if (line.starts_with("not run: ")) {
      cases.back().not_run = line.substr(9);
      block = nullptr;
    } else if (block != nullptr) {
      *block += line + "\n";
    } else if (!line.empty()) {
      ADD_FAILURE() << path << ": '" << line << "' belongs to no case";
    }
  }
  return cases;
}

std::string text_of(const Model& model) { return print_text(*model.graph, {.max_elements = 64}); }

// The cases as read_cases reads them.
void write_cases(const Path& path, const std::vector<Case>& cases) {
  std::string text;
  for (const Case& one : cases) {
    text += (text.empty() ? "# " : "\n# ") + one.sentence + "\nbefore:\n" + one.before;
    while (text.ends_with("\n\n")) text.pop_back();
    if (one.after) text += "after:\n" + *one.after;
    if (!one.declines.empty()) text += "declines: " + one.declines + "\n";
    if (!one.after && one.declines.empty()) text += "unchanged\n";
    if (!one.not_run.empty()) text += "not run: " + one.not_run + "\n";
  }
  ASSERT_TRUE(write_file(path, text));
}

Result<NamedTensors> outputs_of(const Model& model, const Model& for_samples) {
  SessionSettings settings;
  settings.options = {{"graph_optimization_level", "disable"}};
  HONE_TRY(const std::string bytes, serialize(model));
  HONE_TRY(const Session session, Session::open_bytes(onnxruntime(), bytes, settings));
  HONE_TRY(const GeneratedSamples samples,
           generate_samples(session.inputs(), {}, read_input_facts(for_samples), 7, 1));
  return session.run(samples.samples.front());
}

// What rounding may do, as a part of the number.
double precision_of(ElementType type) {
  if (type == ElementType::float16) return 4e-3;
  return type == ElementType::bfloat16 ? 3e-2 : 1e-5;
}

void expect_same(const NamedTensors& before, const NamedTensors& after, Numerics numerics) {
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, expected] : before) {
    const TensorPtr& actual = after.at(name);
    EXPECT_EQ(actual->dims, expected->dims) << name;
    EXPECT_EQ(actual->type, expected->type) << name;
    if (numerics == Numerics::bitwise || !is_float(expected->type)) {
      EXPECT_TRUE(actual->bytes().value() == expected->bytes().value()) << name << " differs";
      continue;
    }
    const auto wanted = to_doubles(*expected).value();
    const auto seen = to_doubles(*actual).value();
    const double precision = precision_of(expected->type);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_NEAR(seen[i], wanted[i], precision * std::max(1.0, std::abs(wanted[i]))) << name;
    }
  }
}

void expect_promise_held(const Model& before, const Model& after, Numerics numerics) {
  const auto expected = outputs_of(before, before);
  ASSERT_TRUE(expected) << expected.error().what << ": " << expected.error().cause;
  const auto actual = outputs_of(after, before);
  ASSERT_TRUE(actual) << actual.error().what << ": " << actual.error().cause;
  expect_same(*expected, *actual, numerics);
}

void expect_nothing_left_to_do(const Pass& pass, const Model& model) {
  Model again = clone(model);
  const auto effect = run_pass(pass, again);
  ASSERT_TRUE(effect) << effect.error().what;
  EXPECT_EQ(effect->rewrites, 0u) << "a second run changes the model again";
}

void check(const Pass& pass, Case& one) {
  SCOPED_TRACE(one.sentence);
  auto model = parse_text(one.before);
  ASSERT_TRUE(model) << model.error().what;
  const Model before = clone(*model);
  const auto effect = run_pass(pass, *model);
  ASSERT_TRUE(effect) << effect.error().what;
  if (is_updating && one.after) one.after = text_of(*model);
  const auto expected = parse_text(one.after.value_or(one.before));
  ASSERT_TRUE(expected) << expected.error().what;
  EXPECT_EQ(text_of(*model), text_of(*expected));
  EXPECT_EQ(effect->rewrites > 0, one.after.has_value()) << "rewrites: " << effect->rewrites;
  if (!one.declines.empty()) {
    EXPECT_THAT(effect->declined,
                testing::Contains(testing::Field(&Declined::reason, one.declines)));
  }
  if (!one.after) return;
  expect_nothing_left_to_do(pass, *model);
  if (one.not_run.empty()) expect_promise_held(before, *model, pass.numerics);
}

class Passes : public testing::TestWithParam<const Pass*> {};

TEST_P(Passes, DoWhatTheirTextsSay) {
  const Path path = cases_folder / (std::string(GetParam()->name) + ".txt");
  ASSERT_TRUE(std::filesystem::exists(path)) << "a pass needs its cases: " << path;
  std::vector<Case> cases = read_cases(path);
  for (Case& one : cases) check(*GetParam(), one);
  EXPECT_TRUE(std::ranges::any_of(cases, [](const Case& one) { return one.after.has_value(); }))
      << "no case in which it changes something";
  EXPECT_TRUE(std::ranges::any_of(cases, [](const Case& one) { return !one.after; }))
      << "no case in which it does not";
  if (is_updating) write_cases(path, cases);
}

std::vector<const Pass*> pointers() {
  std::vector<const Pass*> found;
  for (const Pass& pass : all_passes()) found.push_back(&pass);
  return found;
}

INSTANTIATE_TEST_SUITE_P(All, Passes, testing::ValuesIn(pointers()), [](const auto& one) {
  std::string name(one.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(RunPass, RefusesAGraphThatNeedsItsOwnResult) {
  auto model = parse_text("g (float[2] x) => (float[2] y) { a = Add(x, y) [loop] y = Relu(a) }");
  ASSERT_TRUE(model) << model.error().what;
  const auto effect = run_pass(all_passes().front(), *model);
  ASSERT_FALSE(effect);
  EXPECT_THAT(effect.error().what, testing::HasSubstr("the graph has a cycle"));
}

TEST(PassTexts, AllBelongToAPass) {
  for (const auto& entry : std::filesystem::directory_iterator(cases_folder)) {
    EXPECT_NE(find_pass(entry.path().stem().string()), nullptr) << entry.path();
  }
}

}  // namespace
}  // namespace hone
