// A monitor of whoever embeds hone, in a measurement and in a session.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/api_for_tests.h"

namespace hone_tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Writes down what it is called for, in order.
struct Diary {
  std::vector<std::string> entries;
  int before_returns = 0;
  const char* says = R"({"seen": 3})";
  std::uint64_t runs = 0;

  hone_monitor monitor() {
    hone_monitor monitor = HONE_MONITOR_INIT;
    monitor.name = "diary";
    monitor.user = this;
    monitor.before = [](void* user, hone_monitor_request* request) {
      auto& diary = *static_cast<Diary*>(user);
      diary.entries.emplace_back("before");
      hone_monitor_session_option(request, "session.intra_op.allow_spinning", "0");
      hone_monitor_session_option(nullptr, "a", "b");
      hone_monitor_session_option(request, nullptr, nullptr);
      return diary.before_returns;
    };
    monitor.after = [](void* user) {
      static_cast<Diary*>(user)->entries.emplace_back("after");
      return 0;
    };
    monitor.parse = [](void* user, const hone_window* window) {
      auto& diary = *static_cast<Diary*>(user);
      diary.entries.emplace_back("parse");
      diary.runs = window->measured_runs;
      return diary.says;
    };
    return monitor;
  }
};

constexpr const char* short_run = R"({"iterations": 5, "warmup": 1, "seed": 1})";

hone_code perf(const hone_monitor* monitors, std::size_t count, Answer& answer) {
  const auto context = open_context();
  return answer.code = hone_perf(context.get(), small_model().c_str(), short_run, monitors, count,
                                 nullptr, &answer.result, &answer.error);
}

TEST(Monitors, AreCalledInOrderAndStandInTheResult) {
  Diary diary;
  const hone_monitor monitor = diary.monitor();
  Answer answer;
  ASSERT_EQ(perf(&monitor, 1, answer), HONE_DONE) << hone_error_text(answer.error);
  EXPECT_THAT(diary.entries, ElementsAre("before", "after", "parse"));
  EXPECT_EQ(diary.runs, 5U);
  EXPECT_EQ(answer.text("/monitors/diary/seen"), "3");
  EXPECT_GT(hone_result_number(answer.result, "/latency_ms/min"), 0);
}

TEST(Monitors, MayRefuseBeforeAnythingIsOpened) {
  Diary diary;
  diary.before_returns = 7;
  const hone_monitor monitor = diary.monitor();
  Answer answer;
  EXPECT_EQ(perf(&monitor, 1, answer), HONE_FAILED);
  EXPECT_EQ(answer.what(), "the monitor 'diary' failed");
  EXPECT_STREQ(hone_error_cause(answer.error), "its `before` returned 7");
  EXPECT_THAT(diary.entries, ElementsAre("before"));
}

TEST(Monitors, ThatSayNoJsonAreANote) {
  Diary diary;
  diary.says = "{";
  const hone_monitor monitor = diary.monitor();
  Answer answer;
  ASSERT_EQ(perf(&monitor, 1, answer), HONE_DONE);
  EXPECT_EQ(hone_result_text(answer.result, "/monitors"), nullptr);
  EXPECT_THAT(answer.text("/notes"), HasSubstr("the monitor 'diary' failed: what it said is no"));
}

TEST(Monitors, OfOneNameAreRefused) {
  Diary diary;
  const hone_monitor twice[2] = {diary.monitor(), diary.monitor()};
  Answer answer;
  EXPECT_EQ(perf(twice, 2, answer), HONE_MISUSE);
  EXPECT_THAT(answer.what(), HasSubstr("'diary' is asked for twice"));
}

TEST(Monitors, WithoutANameOrASizeAreRefused) {
  hone_monitor monitor = HONE_MONITOR_INIT;
  Answer answer;
  EXPECT_EQ(perf(&monitor, 1, answer), HONE_MISUSE);
  EXPECT_EQ(answer.what(), "'the name of a monitor' is NULL");
  monitor.size = 0;
  answer.clear();
  EXPECT_EQ(perf(&monitor, 1, answer), HONE_MISUSE);
  answer.clear();
  EXPECT_EQ(perf(nullptr, 1, answer), HONE_MISUSE);
  EXPECT_EQ(answer.what(), "'monitors' is NULL");
}

TEST(Monitors, WatchASessionOfThisProcessToo) {
  const auto context = open_context();
  Diary diary;
  const hone_monitor monitor = diary.monitor();
  hone_session* session = nullptr;
  Answer answer;
  ASSERT_EQ(hone_session_open(context.get(), small_model().c_str(), nullptr, &monitor, 1, &session,
                              &answer.error),
            HONE_DONE)
      << hone_error_text(answer.error);
  EXPECT_STREQ(hone_result_text(hone_session_facts(session),
                                "/session_options/session.intra_op.allow_spinning"),
               "0");
  EXPECT_THAT(diary.entries, ElementsAre("before"));
  ASSERT_EQ(hone_session_close(session, &answer.result, &answer.error), HONE_DONE);
  EXPECT_THAT(diary.entries, ElementsAre("before", "after", "parse"));
  EXPECT_EQ(answer.text("/runs"), "0");
  EXPECT_EQ(answer.text("/monitors/diary/seen"), "3");
}

}  // namespace
}  // namespace hone_tests
