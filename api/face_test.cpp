// The C++ face: what is thrown, what frees itself, what callbacks may throw.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hone/hone.hpp>

#include "api/api_for_tests.h"

namespace hone_tests {
namespace {

using testing::HasSubstr;

hone::Context face_context() { return hone::Context(host_options()); }

TEST(Face, ThrowsTheErrorWithItsCode) {
  try {
    const hone::Model model(face_context(), "/nowhere/net.onnx");
    FAIL();
  } catch (const hone::Error& error) {
    EXPECT_EQ(error.code(), HONE_MISUSE);
    EXPECT_EQ(error.kind(), "not_found");
    EXPECT_THAT(error.what(), HasSubstr("error: "));
    EXPECT_THAT(error.summary(), HasSubstr("/nowhere/net.onnx"));
    EXPECT_EQ(error.cause(), "No such file or directory");
    EXPECT_FALSE(error.result());
  }
}

TEST(Face, LoadsAModelAndKeepsItsFacts) {
  const hone::Model model(face_context(), small_model(), R"({"content": true})");
  EXPECT_EQ(model.facts().text("/inputs/0/name"), "pixel_values");
  EXPECT_EQ(model.facts().text("/content_fingerprint").size(), 64U);
  EXPECT_FALSE(model.facts().has("/nothing"));
  const hone::Result copy = model.facts();
  EXPECT_EQ(copy.json(), model.facts().json());
}

TEST(Face, ThrowsWhatACallbackThrew) {
  const Folder folder;
  const hone::Model model(face_context(), small_model());
  hone::Watch watch;
  watch.progress = [](const std::string&, std::uint64_t, std::uint64_t) -> bool {
    throw std::range_error("mine");
  };
  EXPECT_THROW(model.optimize(folder / "fast.onnx", "", watch), std::range_error);
  EXPECT_FALSE(std::filesystem::exists(folder / "fast.onnx"));
}

TEST(Face, QuotesTextForOptions) {
  EXPECT_EQ(hone::quoted("plain"), "\"plain\"");
  EXPECT_EQ(hone::quoted("C:\\a \"b\"\n\x1f"), R"("C:\\a \"b\"\u000a\u001f")");
  try {
    const hone::Model model(face_context(), small_model());
    model.optimize("out.onnx", "{\"input_data\": " + hone::quoted("/nowhere/\"it\".npz") + "}");
    FAIL();
  } catch (const hone::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/\"it\".npz"));
  }
}

class Counter : public hone::Monitor {
 public:
  explicit Counter(bool throws) : Monitor("counter"), throws_(throws) {}
  void before(Request& request) override {
    if (throws_) throw std::range_error("mine");
    request.session_option("session.intra_op.allow_spinning", "0");
  }
  std::string parse(const hone_window& window) override {
    return "{\"runs\": " + std::to_string(window.measured_runs) + "}";
  }

 private:
  bool throws_;
};

TEST(Face, AttachesAMonitor) {
  Counter counter(false);
  const hone::Model model(face_context(), small_model());
  const hone::Result result = model.perf(R"({"iterations": 4, "warmup": 1})", {&counter});
  EXPECT_EQ(result.number("/monitors/counter/runs"), 4);
  Counter bad(true);
  EXPECT_THROW(model.perf("", {&bad}), std::range_error);
  EXPECT_THROW(model.open("", {&bad}), std::range_error);
}

TEST(Face, RunsASession) {
  const hone::Model model(face_context(), small_model());
  Counter counter(false);
  hone::Session session = model.open(R"({"where": {"ep": "cpu"}})", {&counter});
  const std::vector<std::int64_t> shape = {1, 3, 64, 64};
  const std::vector<float> numbers(std::size_t{3} * 64 * 64, 0.25F);
  const std::string name = session.facts().text("/inputs/0/name");
  const hone::Outputs outputs = session.run({hone::tensor(name, shape, numbers)});
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_GT(outputs.at(0).bytes, 0U);
  EXPECT_THROW(outputs.at(1), std::out_of_range);
  EXPECT_EQ(session.close().number("/monitors/counter/runs"), 1);
  EXPECT_THROW(session.run({}), hone::Error) << "it is closed";
}

TEST(Face, StopsWithWhatIsKnown) {
  const Folder folder;
  const hone::Model model(face_context(), small_model());
  hone::Stop stop;
  hone::Watch watch;
  watch.stop = &stop;
  stop.now();
  try {
    model.search(folder / "search", "", watch);
    FAIL();
  } catch (const hone::Error& error) {
    EXPECT_EQ(error.code(), HONE_STOPPED);
  }
}

}  // namespace
}  // namespace hone_tests
