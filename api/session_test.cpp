// A session in the caller's process: tensors in, tensors out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "api/api_for_tests.h"

namespace hone_tests {
namespace {

using testing::HasSubstr;

constexpr std::int32_t float_type = 1;

class Sessions : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(hone_session_open(context_.get(), small_model().c_str(),
                                R"({"where": {"ep": "cpu", "threads": 1}})", nullptr, 0, &session_,
                                &answer_.error),
              HONE_DONE)
        << hone_error_text(answer_.error);
    const hone_result* facts = hone_session_facts(session_);
    name_ = hone_result_text(facts, "/inputs/0/name");
    for (std::size_t i = 0; i < hone_result_count(facts, "/inputs/0/shape"); ++i) {
      const std::string pointer = "/inputs/0/shape/" + std::to_string(i);
      const double size = hone_result_number(facts, pointer.c_str());
      shape_.push_back(size > 0 ? static_cast<std::int64_t>(size) : i == 0 ? 1 : 32);
    }
    std::size_t elements = 1;
    for (const std::int64_t size : shape_) elements *= static_cast<std::size_t>(size);
    numbers_.assign(elements, 0.5F);
  }
  void TearDown() override { hone_session_close(session_, nullptr, nullptr); }

  hone_tensor input() const {
    return {sizeof(hone_tensor),
            name_.c_str(),
            float_type,
            shape_.data(),
            shape_.size(),
            numbers_.data(),
            numbers_.size() * sizeof(float)};
  }
  hone_code run(const hone_tensor& tensor) {
    hone_outputs_free(outputs_);
    outputs_ = nullptr;
    answer_.clear();
    return hone_session_run(session_, &tensor, 1, &outputs_, &answer_.error);
  }
  ~Sessions() override { hone_outputs_free(outputs_); }

  std::unique_ptr<hone_context, Free> context_ = open_context();
  hone_session* session_ = nullptr;
  hone_outputs* outputs_ = nullptr;
  Answer answer_;
  std::string name_;
  std::vector<std::int64_t> shape_;
  std::vector<float> numbers_;
};

TEST_F(Sessions, RunOnTheCallersNumbers) {
  ASSERT_EQ(run(input()), HONE_DONE) << hone_error_text(answer_.error);
  ASSERT_EQ(hone_outputs_count(outputs_), 1U);
  const hone_tensor* output = hone_outputs_at(outputs_, 0);
  EXPECT_EQ(output->type, float_type);
  ASSERT_EQ(output->rank, 2U);
  EXPECT_EQ(output->bytes, sizeof(float) * static_cast<std::size_t>(output->shape[1]));
  EXPECT_EQ(hone_outputs_at(outputs_, 1), nullptr);
  const float first = *static_cast<const float*>(output->data);
  numbers_.assign(numbers_.size(), -2.0F);
  ASSERT_EQ(run(input()), HONE_DONE);
  EXPECT_NE(*static_cast<const float*>(hone_outputs_at(outputs_, 0)->data), first);
}

TEST_F(Sessions, SayWhatIsWrongWithATensor) {
  hone_tensor wrong = input();
  wrong.bytes -= 1;
  EXPECT_EQ(run(wrong), HONE_MISUSE);
  EXPECT_THAT(hone_error_cause(answer_.error), HasSubstr("its type and shape take "));
  wrong = input();
  wrong.type = 99;
  EXPECT_EQ(run(wrong), HONE_MISUSE);
  wrong.type = 8;  // text
  EXPECT_EQ(run(wrong), HONE_MISUSE);
  wrong = input();
  wrong.name = "no_such_input";
  EXPECT_EQ(run(wrong), HONE_MISUSE);
  EXPECT_THAT(answer_.what(), HasSubstr("no_such_input"));
  const std::vector<std::int64_t> negative = {-1, 3, 32, 32};
  wrong = input();
  wrong.shape = negative.data();
  EXPECT_EQ(run(wrong), HONE_MISUSE);
  wrong.shape = nullptr;
  EXPECT_EQ(run(wrong), HONE_MISUSE);
  wrong = input();
  wrong.data = nullptr;
  EXPECT_EQ(run(wrong), HONE_MISUSE);
  wrong.size = 3;
  EXPECT_EQ(run(wrong), HONE_MISUSE);
  EXPECT_EQ(run(input()), HONE_DONE) << "it runs after all of these";
}

TEST_F(Sessions, RefuseAnInputTwiceAndNoneAtAll) {
  const hone_tensor twice[2] = {input(), input()};
  EXPECT_EQ(hone_session_run(session_, twice, 2, &outputs_, &answer_.error), HONE_MISUSE);
  EXPECT_THAT(answer_.what(), HasSubstr("is given twice"));
  answer_.clear();
  EXPECT_NE(hone_session_run(session_, nullptr, 0, &outputs_, &answer_.error), HONE_DONE);
  answer_.clear();
  EXPECT_EQ(hone_session_run(session_, nullptr, 1, &outputs_, &answer_.error), HONE_MISUSE);
  answer_.clear();
  EXPECT_EQ(hone_session_run(nullptr, nullptr, 0, &outputs_, &answer_.error), HONE_MISUSE);
}

TEST_F(Sessions, NameAnInputThatGetsNothing) {
  EXPECT_EQ(hone_session_run(session_, nullptr, 0, nullptr, &answer_.error), HONE_MISUSE);
  EXPECT_THAT(hone_error_text(answer_.error),
              HasSubstr("there is nothing for the input '" + name_ + "'"));
}

TEST_F(Sessions, RunInSeveralThreadsAndCountTheirRuns) {
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const hone_tensor tensor = input();
      hone_outputs* outputs = nullptr;
      if (hone_session_run(session_, &tensor, 1, &outputs, nullptr) == HONE_DONE) ++done;
      hone_outputs_free(outputs);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 4);
  ASSERT_EQ(hone_session_close(session_, &answer_.result, &answer_.error), HONE_DONE);
  session_ = nullptr;
  EXPECT_EQ(answer_.text("/runs"), "4");
}

TEST_F(Sessions, StandBesideEachOther) {
  const auto other_context = open_context();
  hone_session* other = nullptr;
  ASSERT_EQ(hone_session_open(other_context.get(), small_model().c_str(),
                              R"({"where": {"ep": "sim"}})", nullptr, 0, &other, &answer_.error),
            HONE_DONE)
      << hone_error_text(answer_.error);
  hone_session* third = nullptr;
  ASSERT_EQ(hone_session_open(other_context.get(), small_model().c_str(),
                              R"({"where": {"ep": "sim"}})", nullptr, 0, &third, &answer_.error),
            HONE_DONE)
      << hone_error_text(answer_.error);
  EXPECT_EQ(std::string(hone_result_text(hone_session_facts(other), "/target/ep")), "sim");
  EXPECT_EQ(hone_session_close(other, nullptr, nullptr), HONE_DONE);
  EXPECT_EQ(hone_session_close(third, nullptr, nullptr), HONE_DONE);
  EXPECT_EQ(run(input()), HONE_DONE);
}

TEST_F(Sessions, SayWhyTheyCannotBeOpened) {
  hone_session* session = nullptr;
  EXPECT_EQ(hone_session_open(context_.get(), small_model().c_str(),
                              R"({"where": {"session_options": {"graph_optimisation": "all"}}})",
                              nullptr, 0, &session, &answer_.error),
            HONE_MISUSE);
  EXPECT_EQ(session, nullptr);
  EXPECT_THAT(answer_.what(), HasSubstr("graph_optimisation"));
  EXPECT_EQ(hone_session_close(nullptr, nullptr, nullptr), HONE_DONE);
  EXPECT_EQ(hone_session_facts(nullptr), nullptr);
}

}  // namespace
}  // namespace hone_tests
