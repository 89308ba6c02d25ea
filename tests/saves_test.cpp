// A model with a data file of its own, saved over an old one by the whole program and killed: what
// is there opens in ONNX Runtime, and computes what the old model or the new one computes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/killed_for_tests.h"
#include "base/process.h"
#include "base/random.h"
#include "model/elements.h"
#include "model/model.h"
#include "real_runtime.h"
#include "runtime/session.h"

namespace hone {
namespace {

using testing::AnyOf;
using testing::ElementsAre;

class KilledProgram : public testing::Test {
 protected:
  // x + w + b: one number in all of w, which is data, and in b, which is in the model. So a model
  // with the data of another one is seen.
  static Model model_of(float number, std::size_t elements) {
    Model model;
    model.ir_version = 8;
    model.set_opset("", 17);
    Graph& graph = *model.graph;
    const auto length = static_cast<std::int64_t>(elements);
    const Type type = Type::tensor(ElementType::float32, shape_of({length}));
    Value& x = graph.add_value("x", Type::tensor(ElementType::float32, shape_of({1})));
    graph.add_input(x);
    const std::vector<float> numbers(elements, number);
    Value& w = graph.add_initializer(make_float_tensor("w", numbers));
    Value& b = graph.add_initializer(make_float_tensor("b", std::span(numbers).first(1)));
    Value& t = graph.add_value("t");
    Value& y = graph.add_value("y", type);
    graph.add_node("Add", {&x, &w}, {&t});
    graph.add_node("Add", {&t, &b}, {&y});
    graph.add_output(y);
    return model;
  }

  // Two models of the same form, so that the data of one fits the other.
  void make_sources(std::size_t elements) const {
    for (const int number : {1, 2})
      ASSERT_TRUE(
          save_model(model_of(static_cast<float>(number), elements), source(number),
                     {.placement = DataPlacement::inlined, .data_file = {}, .overwrite = true}));
  }

  Path source(int number) const {
    return sources_.path() / ("source-" + std::to_string(number) + ".onnx");
  }
  Path saved() const { return folder_.path() / "m.onnx"; }

  std::vector<std::string> command(int number) const {
    return {HONE_PROGRAM,      "convert", source(number).string(), "--opset", "17",
            "--external-data", "w.bin",   "--overwrite",           "-o",      saved().string()};
  }

  void save(int number) const {
    const auto end = run_process(command(number));
    ASSERT_TRUE(end && end->ok()) << (end ? end->standard_error : end.error().what);
  }

  // Becomes the program; for processes that were forked to be killed.
  bool become(int number) const {
    const std::vector<std::string> words = command(number);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    // Who is traced cannot trace itself to look for leaks.
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::execv(arguments.front(), arguments.data());
    return false;
  }

  // What the model that is there makes of 0; nothing where ONNX Runtime does not open it.
  std::optional<float> answer() const {
    const auto session = Session::open(onnxruntime(), saved(), {});
    if (!session) return std::nullopt;
    const std::vector<float> zero = {0};
    const auto outputs = session->run({{"x", make_float_tensor("x", zero)}});
    if (!outputs) return std::nullopt;
    const std::vector<double> numbers = to_doubles(*outputs->at("y")).value();
    const bool are_same =
        std::ranges::all_of(numbers, [&](double number) { return number == numbers.front(); });
    return are_same ? std::optional(static_cast<float>(numbers.front())) : std::nullopt;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }

  // After a kill of a save of 2 over 1.
  void expect_sound(const std::string& when) const {
    EXPECT_THAT(answer(), AnyOf(2.0F, 4.0F)) << when;
    save(2);
    EXPECT_EQ(answer(), 4.0F) << when;
    EXPECT_THAT(names(), ElementsAre("m.onnx", "w.bin")) << when;
  }

  TemporaryFolder sources_ = TemporaryFolder::create("saves-from").value();
  TemporaryFolder folder_ = TemporaryFolder::create("saves").value();
};

TEST_F(KilledProgram, LeavesAModelThatOpensAtEveryStepOfASave) {
  HONE_SKIP_WITHOUT_TRACING();
  make_sources(std::size_t{1} << 16);
  for (std::uint64_t step = 0;; ++step) {
    save(1);
    const bool was_killed = killed_at(step, [&] { return become(2); });
    expect_sound("killed before change " + std::to_string(step));
    if (HasFailure()) return;
    if (was_killed) continue;
    EXPECT_GE(step, 10u) << "data, two models, and the names they take";
    return;
  }
}

TEST_F(KilledProgram, LeavesAModelThatOpensAtFiftyRandomMoments) {
  // 2 MiB: writing them takes part of the time, and fifty of them are not the slowest test.
  make_sources(std::size_t{1} << 19);
  save(1);
  const auto whole = run_process(command(2));
  ASSERT_TRUE(whole && whole->ok());
  const auto most = std::chrono::microseconds(whole->elapsed).count();
  Random random(18);
  int killed = 0;
  for (int round = 0; round < 50; ++round) {
    save(1);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(become(2) ? 0 : 1);
    const auto moment = std::chrono::microseconds(random.below(static_cast<std::uint64_t>(most)));
    std::this_thread::sleep_for(moment);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    expect_sound("killed after " + std::to_string(moment.count()) + " us");
    if (HasFailure()) return;
  }
  RecordProperty("killed", killed);
}

}  // namespace
}  // namespace hone
