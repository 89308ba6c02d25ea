#include "flow/search/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Sessions that are this far from the baseline in ln t, and differ from each other by a little.
std::vector<std::vector<double>> sessions_around(double difference) {
  std::vector<std::vector<double>> sessions;
  for (const double noise : {-0.004, 0.003, -0.002, 0.001, 0.002, -0.003, 0.004, -0.001})
    sessions.push_back({difference + noise, difference - noise / 2});
  return sessions;
}

RecordedArm arm(const std::string& id, double ratio) {
  RecordedArm made;
  made.hypothesis.id = id;
  made.hypothesis.dimension = id == "baseline" ? "baseline" : "session";
  made.hypothesis.recipe.session.options = {{"arm", id}};
  BuiltModel& built = made.built.emplace();
  built.model = id + ".onnx";
  built.sha256 = id;
  made.numerics.verdict = made.accuracy.verdict = CheckVerdict::pass;
  made.sessions = sessions_around(std::log(ratio));
  return made;
}

class Replay : public testing::Test {
 protected:
  std::string keep(const std::string& text) const {
    const Path file = folder_.path() / "space.json";
    EXPECT_TRUE(write_file(file, text));
    return file.string();
  }
  std::string keep(const RecordedSpace& space) const {
    return keep(to_document(space, replay_schema_version).dump(-1));
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("replay").value();
};

TEST_F(Replay, FindsTheArmThatIsFasterAndKeepsNothingWhereAllAreTheSame) {
  RecordedSpace space;
  space.model = "net.onnx";
  space.arms = {arm("baseline", 1), arm("fast", 0.5), arm("slow", 1.3)};
  std::vector<std::string> told;
  Watch watch;
  watch.tell = [&](const FlowProgress& seen) { told.push_back(seen.doing); };
  const auto report =
      replay_searches({.files = {keep(space)}, .searches = 3, .margin = 0.01}, watch);
  ASSERT_TRUE(report) << report.error().what;
  ASSERT_THAT(report->spaces, SizeIs(1));
  const ReplayedSpace& replayed = report->spaces.front();
  EXPECT_EQ(replayed.searches, 3U);
  EXPECT_NEAR(replayed.best_ratio, 0.5, 0.01);
  EXPECT_NEAR(replayed.mean_regret, 1, 0.01) << "the best arm was kept each time";
  EXPECT_EQ(replayed.false_keeps, 0U);
  EXPECT_EQ(replayed.null_searches, 3U);
  EXPECT_EQ(told, std::vector<std::string>{"replaying net.onnx"});
}

TEST_F(Replay, RefusesARecordThatCannotBeReplayed) {
  EXPECT_FALSE(read_spaces(keep("no JSON")));
  RecordedSpace space;
  space.arms = {arm("baseline", 1), arm("fast", 0.5)};
  space.arms[1].sessions.clear();
  EXPECT_FALSE(read_spaces(keep(space)));
  const auto missing = replay_searches({.files = {"missing.json"}}, {});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, HasSubstr("missing.json"));
}

}  // namespace
}  // namespace hone
