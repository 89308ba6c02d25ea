// libhone as a C program sees it: errors, options, results, threads, stopping.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <thread>

#include "api/api_for_tests.h"

namespace hone_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

hone_code inspect(const hone_context* context, const std::string& model, const char* options,
                  Answer& answer) {
  answer.clear();
  return answer.code = hone_inspect(context, model.c_str(), options, &answer.result, &answer.error);
}

TEST(Api, SaysWhichVersionItIs) { EXPECT_THAT(hone_version(), testing::MatchesRegex("[0-9.]+")); }

TEST(Api, RefusesACallerThatWasMadeForANewerOne) {
  hone_context* context = nullptr;
  Answer answer;
  EXPECT_EQ(hone_context_new(HONE_API_VERSION + 1, nullptr, &context, &answer.error), HONE_MISUSE);
  EXPECT_EQ(context, nullptr);
  EXPECT_THAT(answer.what(), HasSubstr("made for version 2 of hone.h"));
}

TEST(Api, InspectsAModel) {
  const auto context = open_context();
  Answer answer;
  ASSERT_EQ(inspect(context.get(), small_model(), nullptr, answer), HONE_DONE) << answer.what();
  EXPECT_EQ(answer.error, nullptr);
  EXPECT_THAT(hone_result_json(answer.result), StartsWith("{\n  \"schema_version\": 1,"));
  EXPECT_EQ(hone_result_number(answer.result, "/schema_version"), 1);
  EXPECT_EQ(answer.text("/inputs/0/name"), "pixel_values");
  EXPECT_GT(hone_result_number(answer.result, "/op_counts/Conv"), 1);
}

TEST(Api, GivesTheErrorOfTheProgramAndItsCodeForAWrongPath) {
  const auto context = open_context();
  Answer answer;
  EXPECT_EQ(inspect(context.get(), "/nowhere/net.onnx", nullptr, answer), HONE_MISUSE);
  EXPECT_EQ(answer.result, nullptr);
  EXPECT_EQ(hone_error_code(answer.error), HONE_MISUSE);
  EXPECT_STREQ(hone_error_kind(answer.error), "not_found");
  EXPECT_THAT(answer.what(), HasSubstr("/nowhere/net.onnx"));
  EXPECT_STREQ(hone_error_cause(answer.error), "No such file or directory");
  EXPECT_THAT(hone_error_text(answer.error), StartsWith("error: "));
  EXPECT_THAT(hone_error_text(answer.error), HasSubstr("\n  No such file or directory\n"));
}

TEST(Api, WorksOnAfterAnError) {
  const auto context = open_context();
  Answer answer;
  EXPECT_EQ(inspect(context.get(), "/nowhere/net.onnx", nullptr, answer), HONE_MISUSE);
  EXPECT_EQ(inspect(context.get(), small_model(), nullptr, answer), HONE_DONE);
  EXPECT_EQ(answer.error, nullptr);
}

TEST(Api, RefusesAnOptionThatIsNotKnownAndNamesTheNearest) {
  const auto context = open_context();
  Answer answer;
  EXPECT_EQ(inspect(context.get(), small_model(), R"({"contend": true})", answer), HONE_MISUSE);
  EXPECT_THAT(answer.what(), HasSubstr("the options cannot be read: unknown field 'contend'"));
  EXPECT_STREQ(hone_error_hint(answer.error), "did you mean 'content'?");
}

TEST(Api, RefusesWhatIsAnArgumentOrTheContexts) {
  const auto context = open_context();
  Answer answer;
  EXPECT_EQ(inspect(context.get(), small_model(), R"({"model": "x"})", answer), HONE_MISUSE);
  EXPECT_EQ(answer.what(), "'model' is given twice");
  answer.clear();
  EXPECT_EQ(hone_perf(context.get(), "x", R"({"where": {"host": {}}})", nullptr, 0, nullptr,
                      &answer.result, &answer.error),
            HONE_MISUSE);
  EXPECT_EQ(answer.what(), "the host is not an option of this call");
}

TEST(Api, TakesNoHarmFromHostileOptions) {
  const auto context = open_context();
  const std::string deep(100'000, '[');
  for (const char* options : {"{", "[]", "7", "null", "{\"content\": 1}", "{\"content\": true,}",
                              "{\"a\": 1, \"a\": 1}", "\xff\xfe", deep.c_str()}) {
    Answer answer;
    EXPECT_EQ(inspect(context.get(), small_model(), options, answer), HONE_MISUSE) << options;
    EXPECT_THAT(answer.what(), StartsWith("the options cannot be read: "));
  }
}

TEST(Api, NamesTheArgumentThatIsNull) {
  const auto context = open_context();
  Answer answer;
  EXPECT_EQ(hone_inspect(context.get(), nullptr, nullptr, &answer.result, &answer.error),
            HONE_MISUSE);
  EXPECT_EQ(answer.what(), "'model' is NULL");
  answer.clear();
  EXPECT_EQ(hone_inspect(nullptr, "x", nullptr, &answer.result, &answer.error), HONE_MISUSE);
  EXPECT_EQ(answer.what(), "'context' is NULL");
  answer.clear();
  EXPECT_EQ(hone_context_new(HONE_API_VERSION, nullptr, nullptr, &answer.error), HONE_MISUSE);
  EXPECT_EQ(answer.what(), "'context' is NULL");
}

TEST(Api, NeedsNobodyToTakeTheResultOrTheError) {
  const auto context = open_context();
  EXPECT_EQ(hone_inspect(context.get(), "/nowhere", nullptr, nullptr, nullptr), HONE_MISUSE);
  EXPECT_EQ(hone_inspect(context.get(), small_model().c_str(), nullptr, nullptr, nullptr),
            HONE_DONE);
  hone_error_free(nullptr);
  hone_result_free(nullptr);
  hone_context_free(nullptr);
  hone_stop_free(nullptr);
  hone_stop_now(nullptr);
  EXPECT_STREQ(hone_error_text(nullptr), "");
  EXPECT_EQ(hone_error_code(nullptr), HONE_DONE);
}

TEST(Api, ReadsResultsByPointer) {
  const auto context = open_context();
  Answer answer;
  ASSERT_EQ(inspect(context.get(), small_model(), nullptr, answer), HONE_DONE);
  const hone_result* result = answer.result;
  EXPECT_EQ(hone_result_count(result, "/inputs"), 1U);
  EXPECT_EQ(answer.text("/schema_version"), "1");
  EXPECT_EQ(hone_result_text(result, "/inputs/0/name"), hone_result_text(result, "/inputs/0/name"));
  for (const char* none : {"/inputs/1", "/inputs/-1", "/inputs/x", "/none", "inputs", "/inputs/0/",
                           "/inputs/99999999999999999999"}) {
    EXPECT_EQ(hone_result_text(result, none), nullptr) << none;
    EXPECT_TRUE(std::isnan(hone_result_number(result, none))) << none;
    EXPECT_EQ(hone_result_count(result, none), 0U) << none;
  }
  EXPECT_EQ(hone_result_text(result, nullptr), nullptr);
  EXPECT_EQ(hone_result_text(nullptr, "/inputs"), nullptr);
}

TEST(Api, ServesThreadsWithContextsOfTheirOwn) {
  std::array<hone_code, 2> codes{HONE_FAILED, HONE_FAILED};
  std::vector<std::thread> threads;
  for (hone_code& code : codes) {
    threads.emplace_back([&code] {
      const auto context = open_context();
      Answer answer;
      code = inspect(context.get(), small_model(), nullptr, answer);
      for (int i = 0; i < 20 && code == HONE_DONE; ++i)
        code = inspect(context.get(), small_model(), nullptr, answer);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(codes[0], HONE_DONE);
  EXPECT_EQ(codes[1], HONE_DONE);
}

TEST(Api, ServesThreadsThatShareAContextAndAResult) {
  const auto context = open_context();
  Answer shared;
  ASSERT_EQ(inspect(context.get(), small_model(), nullptr, shared), HONE_DONE);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      Answer answer;
      if (inspect(context.get(), small_model(), nullptr, answer) != HONE_DONE) ++wrong;
      if (shared.text("/inputs/0/name") != "pixel_values") ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Api, OptimizesAndBuildsAndTellsHowFarItIs) {
  const auto context = open_context();
  const Folder folder;
  std::vector<std::string> told;
  hone_watch watch = HONE_WATCH_INIT;
  watch.user = &told;
  watch.tell = [](void* user, const char* doing, std::uint64_t, std::uint64_t) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(doing);
    return 0;
  };
  Answer answer;
  ASSERT_EQ(
      hone_optimize(context.get(), small_model().c_str(), (folder / "fast.onnx").c_str(),
                    R"({"enabled": ["conv-bn-fusion"]})", &watch, &answer.result, &answer.error),
      HONE_DONE)
      << hone_error_text(answer.error);
  EXPECT_EQ(answer.text("/output"), folder / "fast.onnx");
  EXPECT_EQ(answer.text("/verified/holds"), "true");
  EXPECT_FALSE(told.empty());
  answer.clear();
  ASSERT_EQ(hone_build(context.get(), small_model().c_str(), (folder / "build").c_str(), nullptr,
                       R"({"where": {"ep": "cpu"}})", nullptr, &answer.result, &answer.error),
            HONE_DONE)
      << hone_error_text(answer.error);
  EXPECT_TRUE(std::filesystem::exists(folder / "build/model.onnx"));
  answer.clear();
  EXPECT_EQ(hone_build(context.get(), small_model().c_str(), (folder / "x").c_str(),
                       R"({"schema_version": 1, "opse": 18})", nullptr, nullptr, &answer.result,
                       &answer.error),
            HONE_MISUSE);
  EXPECT_THAT(answer.what(), HasSubstr("the recipe cannot be read: unknown field 'opse'"));
}

TEST(Api, KeepsTheErrorOfAWorkerAsItArose) {
  const auto context = open_context();
  const Folder folder;
  std::ofstream(folder / "broken.onnx") << "this is no model";
  Answer answer;
  EXPECT_EQ(hone_quantize(context.get(), (folder / "broken.onnx").c_str(),
                          (folder / "q.onnx").c_str(), R"({"quantize": {"precisions": ["w8a8"]}})",
                          nullptr, &answer.result, &answer.error),
            HONE_MISUSE);
  EXPECT_THAT(answer.what(), HasSubstr("broken.onnx"));
}

TEST(Api, SaysThatNothingWasWrittenWhereTooLittleIsLeft) {
  const auto context = open_context();
  const Folder folder;
  Answer answer;
  EXPECT_EQ(
      hone_quantize(context.get(), small_model().c_str(), (folder / "q.onnx").c_str(),
                    R"({"quantize": {"precisions": ["w8a8"], "samples": 2, "min_sqnr_db": 200},
                        "tries_remedies": false})",
                    nullptr, &answer.result, &answer.error),
      HONE_NOT_HELD);
  EXPECT_STREQ(hone_error_kind(answer.error), "not_held");
  EXPECT_EQ(answer.text("/written"), "false");
  EXPECT_FALSE(std::filesystem::exists(folder / "q.onnx"));
}

TEST(Api, DebugsWhatItQuantized) {
  const auto context = open_context();
  Answer answer;
  ASSERT_EQ(hone_debug(context.get(), small_model().c_str(),
                       fixture("golden/tiny-resnet-cls/w8a8.onnx").c_str(), R"({"samples": 1})",
                       nullptr, &answer.result, &answer.error),
            HONE_DONE)
      << hone_error_text(answer.error);
  EXPECT_GT(hone_result_count(answer.result, "/activations"), 0U);
}

TEST(Api, StopsWhereProgressIsAnsweredWithAnythingButZero) {
  const auto context = open_context();
  const Folder folder;
  hone_watch watch = HONE_WATCH_INIT;
  watch.tell = [](void*, const char*, std::uint64_t, std::uint64_t) { return 1; };
  Answer answer;
  EXPECT_EQ(hone_search(context.get(), small_model().c_str(), (folder / "search").c_str(), nullptr,
                        &watch, &answer.result, &answer.error),
            HONE_STOPPED);
  EXPECT_STREQ(hone_error_kind(answer.error), "stopped");
}

TEST(Api, StopsFromAnotherThread) {
  const auto context = open_context();
  const Folder folder;
  const std::unique_ptr<hone_stop, Free> stop(hone_stop_new());
  std::atomic<bool> has_begun = false;
  hone_watch watch = HONE_WATCH_INIT;
  watch.user = &has_begun;
  watch.tell = [](void* user, const char*, std::uint64_t, std::uint64_t) {
    static_cast<std::atomic<bool>*>(user)->store(true);
    return 0;
  };
  watch.stop = stop.get();
  std::thread stopper([&] {
    while (!has_begun) std::this_thread::yield();
    hone_stop_now(stop.get());
  });
  // Builds that follow each other: there is always something left to stop.
  Answer answer;
  hone_code code = HONE_DONE;
  while (code == HONE_DONE) {
    answer.clear();
    code = hone_optimize(context.get(), small_model().c_str(), (folder / "fast.onnx").c_str(),
                         R"({"overwrite": true})", &watch, &answer.result, &answer.error);
  }
  stopper.join();
  EXPECT_EQ(code, HONE_STOPPED) << hone_error_text(answer.error);
}

TEST(Api, ComparesArmsAndTellsWhatItKnowsWhenItIsStopped) {
  const auto context = open_context();
  const std::string model = R"("model": ")" + small_model() + R"("})";
  const std::string options =
      R"({"arms": [{"name": "a", )" + model + R"(, {"name": "b", )" + model + R"(], "rounds": 1})";
  hone_watch watch = HONE_WATCH_INIT;
  watch.tell = [](void*, const char* doing, std::uint64_t done, std::uint64_t) {
    return std::string_view(doing) == "sessions" && done >= 3 ? 1 : 0;
  };
  Answer answer;
  ASSERT_EQ(hone_compare(context.get(), options.c_str(), &watch, &answer.result, &answer.error),
            HONE_STOPPED)
      << hone_error_text(answer.error);
  EXPECT_EQ(answer.text("/baseline"), "a");
  EXPECT_GE(hone_result_number(answer.result, "/sessions"), 3);
}

TEST(Api, ComparesNoFewerThanTwoArms) {
  const auto context = open_context();
  Answer answer;
  EXPECT_EQ(hone_compare(context.get(), R"({"arms": []})", nullptr, &answer.result, &answer.error),
            HONE_MISUSE);
  EXPECT_EQ(answer.what(), "a comparison needs two arms");
}

TEST(Api, RefusesAWatchOfAnotherSize) {
  const auto context = open_context();
  hone_watch watch = HONE_WATCH_INIT;
  watch.size = 1;
  Answer answer;
  EXPECT_EQ(hone_compare(context.get(), "{}", &watch, &answer.result, &answer.error), HONE_MISUSE);
  EXPECT_EQ(answer.what(), "a hone_watch says that it has 1 bytes");
}

}  // namespace
}  // namespace hone_tests
