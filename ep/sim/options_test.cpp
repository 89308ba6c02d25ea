#include "ep/sim/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace hone::ep::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string problem(const KeyValues& given) {
  const auto options = read_options(given);
  return options ? "(none)" : options.error().what + " / " + options.error().hint;
}

TEST(SimOptions, WithoutAnyTheDeviceIsThisCpu) {
  const Options options = read_options({}).value();
  EXPECT_EQ(options.profile.effect, 1);
  EXPECT_EQ(options.profile.latency_us, 0);
  EXPECT_EQ(options.profile.threads, 1);
  EXPECT_EQ(options.profiling_level, ProfilingLevel::off);
}

TEST(SimOptions, StandAboveTheProfile) {
  const TemporaryFolder folder = TemporaryFolder::create("options").value();
  const Path file = folder.path() / "p.json";
  ASSERT_TRUE(write_file(file, R"({"schema_version": 1, "name": "slow", "effect": 3,
      "latency_us": 10, "deny": [{"ops": ["Erf"]}]})"));
  const Options options =
      read_options({{"effect", "1.5"}, {"profile", file.string()}, {"deny", "Softmax,Resize"}})
          .value();
  EXPECT_EQ(options.profile.name, "slow");
  EXPECT_EQ(options.profile.effect, 1.5);
  EXPECT_EQ(options.profile.latency_us, 10);
  ASSERT_EQ(options.profile.deny.size(), 2u);
  EXPECT_THAT(options.profile.deny[1].ops, ElementsAre("Softmax", "Resize"));
}

TEST(SimOptions, SayWhatIsWrongWithAValue) {
  EXPECT_EQ(problem({{"effect", "fast"}}), "HoneSim: effect=fast is not a number / ");
  EXPECT_EQ(problem({{"threads", "1.5"}}), "HoneSim: threads=1.5 is not a whole number / ");
  EXPECT_EQ(problem({{"stdout_noise", "yes"}}), "HoneSim: stdout_noise=yes is not 0 or 1 / ");
  EXPECT_EQ(problem({{"profiling_level", "optrace"}}),
            "HoneSim: profiling_level=optrace is not one of off, basic, detailed / ");
  EXPECT_THAT(problem({{"effect", "0.9"}}), HasSubstr("effect must be between 1 and"));
  EXPECT_THAT(problem({{"effect", "nan"}}), HasSubstr("effect must be between 1 and"));
  EXPECT_THAT(problem({{"deny", ""}}), HasSubstr("a rule names no op"));
  EXPECT_THAT(problem({{"profiling_level", "basic"}}), HasSubstr("needs profiling_file_path"));
}

TEST(SimOptions, GuessWhatAMisspeltOneMeant) {
  EXPECT_EQ(problem({{"latency", "3"}}),
            "HoneSim has no option 'latency' / did you mean 'latency_us'?");
  EXPECT_THAT(problem({{"zzz", "3"}}), HasSubstr("it knows: profile, allow, deny"));
}

TEST(SimOptions, NameTheFileOfAProfileThatIsWrong) {
  const TemporaryFolder folder = TemporaryFolder::create("options").value();
  const Path file = folder.path() / "p.json";
  EXPECT_THAT(problem({{"profile", file.string()}}), HasSubstr("p.json"));
  ASSERT_TRUE(write_file(file, "{"));
  EXPECT_THAT(problem({{"profile", file.string()}}), HasSubstr("p.json' is not JSON"));
  ASSERT_TRUE(write_file(file, R"({"schema_version": 2, "name": "a"})"));
  EXPECT_THAT(problem({{"profile", file.string()}}), HasSubstr("schema_version 2"));
  ASSERT_TRUE(write_file(file, R"({"schema_version": 1, "name": "a", "denny": []})"));
  EXPECT_THAT(problem({{"profile", file.string()}}), HasSubstr("unknown field 'denny'"));
  ASSERT_TRUE(write_file(file, R"({"schema_version": 1, "name": "a", "device": "tpu"})"));
  EXPECT_THAT(problem({{"profile", file.string()}}), HasSubstr("unknown value 'tpu'"));
}

TEST(SimOptions, ReadTheMomentOfAFault) {
  EXPECT_EQ(read_options({{"crash", "compile"}}).value().faults.crash, Moment{Stage::compile});
  EXPECT_EQ(read_options({{"hang", "run:12"}}).value().faults.hang, (Moment{Stage::run, 12}));
  for (const char* text : {"run", "run:", "run:0", "run:2x", "register", "later"}) {
    EXPECT_THAT(problem({{"crash", text}}), HasSubstr("names no moment")) << text;
  }
  EXPECT_THAT(problem({{"crash", "register"}}), HasSubstr("HONE_SIM_CRASH=register"));
}

}  // namespace
}  // namespace hone::ep::sim
