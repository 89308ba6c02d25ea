// The passes by text: tests/passes/NAME.txt holds cases of the pass NAME.
//
//   # A sentence about what follows.
//   before:
//   g (float[2] x) => (float[2] y) { ... }        a header <ir_version: ...> may stand before it
//   after:                                         or `unchanged`, or `declines: the reason`
//   g (float[2] x) => (float[2] y) { ... }
//
// Both graphs are then run on ONNX Runtime's CPU EP, without its own optimizations, and the outputs
// are held to what the pass promises. `not run: the reason` leaves that out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "model/text/text.h"
#include "runtime/samples.h"
#include "transform/pass.h"

namespace hone {
namespace {

const Path cases_folder = Path(HONE_SOURCE_DIR) / "tests/passes";

struct Case {
  std::string sentence{};
  std::string before{};
  std::string after{};     // empty: unchanged
  std::string declines{};  // empty: says nothing about it
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
      block = &cases.back().after;
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

std::shared_ptr<Runtime> onnxruntime() {
  static const std::shared_ptr<Runtime> runtime = [] {
    const char* chosen = std::getenv("HONE_ORT");
    return Runtime::load(
               {chosen != nullptr ? chosen : HONE_SOURCE_DIR "/build/lib/libonnxruntime.so.1"})
        .value();
  }();
  return runtime;
}

Result<NamedTensors> outputs_of(const Model& model, const Model& for_samples) {
  SessionSettings settings;
  settings.options = {{"graph_optimization_level", "disable"}};
  HONE_TRY(const std::string bytes, serialize(model));
  HONE_TRY(const Session session, Session::open_bytes(onnxruntime(), bytes, settings));
  HONE_TRY(const GeneratedSamples samples,
           generate_samples(session.inputs(), {}, find_index_ranges(for_samples), 7, 1));
  return session.run(samples.samples.front());
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
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_NEAR(seen[i], wanted[i], 1e-5 * std::max(1.0, std::abs(wanted[i]))) << name;
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

void check(const Pass& pass, const Case& one) {
  SCOPED_TRACE(one.sentence);
  auto model = parse_text(one.before);
  ASSERT_TRUE(model) << model.error().what;
  const Model before = clone(*model);
  const auto effect = run_pass(pass, *model);
  ASSERT_TRUE(effect) << effect.error().what;
  const bool is_unchanged = one.after.empty();
  const auto expected = is_unchanged ? parse_text(one.before) : parse_text(one.after);
  ASSERT_TRUE(expected) << expected.error().what;
  EXPECT_EQ(print_text(*model->graph), print_text(*expected->graph));
  EXPECT_EQ(effect->rewrites == 0, is_unchanged) << "rewrites: " << effect->rewrites;
  if (!one.declines.empty()) {
    EXPECT_THAT(effect->declined,
                testing::Contains(testing::Field(&Declined::reason, one.declines)));
  }
  if (is_unchanged || !one.not_run.empty()) return;
  expect_promise_held(before, *model, pass.numerics);
}

class Passes : public testing::TestWithParam<const Pass*> {};

TEST_P(Passes, DoWhatTheirTextsSay) {
  const Path path = cases_folder / (std::string(GetParam()->name) + ".txt");
  ASSERT_TRUE(std::filesystem::exists(path)) << "a pass needs its cases: " << path;
  const std::vector<Case> cases = read_cases(path);
  for (const Case& one : cases) check(*GetParam(), one);
  EXPECT_TRUE(std::ranges::any_of(cases, [](const Case& one) { return !one.after.empty(); }))
      << "no case in which it changes something";
  EXPECT_TRUE(std::ranges::any_of(cases, [](const Case& one) { return one.after.empty(); }))
      << "no case in which it does not";
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

TEST(PassTexts, AllBelongToAPass) {
  for (const auto& entry : std::filesystem::directory_iterator(cases_folder)) {
    EXPECT_NE(find_pass(entry.path().stem().string()), nullptr) << entry.path();
  }
}

}  // namespace
}  // namespace hone
