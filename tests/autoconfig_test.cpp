// Searches as a person runs them: whole processes on the simulated EP, killed at any moment and
// resumed.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/process.h"
#include "record/replay_report.h"
#include "record/search.h"
#include "search/journal.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

class Autoconfig : public testing::Test {
 protected:
  // A device that does not know FusedConv and takes 60 us for each group of nodes: fusing makes
  // groups out of one, which no noise hides.
  ProcessEnd run_search(const std::string& output, std::vector<std::string> more = {},
                        milliseconds limit = milliseconds(0)) {
    std::vector<std::string> words = {HONE_PROGRAM,
                                      "autoconfig",
                                      model,
                                      "-o",
                                      (folder.path() / output).string(),
                                      "--ep",
                                      "sim",
                                      "--device",
                                      "npu",
                                      "--ep-options",
                                      "deny=com.microsoft.FusedConv",
                                      "--ep-options",
                                      "latency_us=60",
                                      "--only-hypotheses",
                                      "conv-activation-fusion",
                                      "--no-trace",
                                      "-q"};
    words.insert(words.end(), more.begin(), more.end());
    ProcessOptions options;
    options.environment = {{"HONE_CACHE", (folder.path() / "cache").string()},
                           {"XDG_DATA_HOME", folder.path().string()}};
    options.limits.time = limit;  // the whole process group is killed with SIGKILL
    return run_process(words, options).value();
  }
  // Every block that a search measured, with its round and its figures.
  std::set<std::string> blocks_in(const std::string& output) {
    std::set<std::string> blocks;
    const Path file = folder.path() / output / "journal.db";
    if (!std::filesystem::exists(file)) return blocks;
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    const auto add = [](void* all, int, char** columns, char**) {
      static_cast<std::set<std::string>*>(all)->insert(columns[0]);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database,
                           "SELECT session || ' ' || number || ' ' || key || ' ' || value "
                           "FROM rounds, json_each(rounds.blocks)",
                           add, &blocks, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
    return blocks;
  }
  SearchResult result_in(const std::string& output) {
    const std::string text = read_file(folder.path() / output / "search.json").value();
    return from_document<SearchResult>(Json::parse(text).value(), search_schema_version).value();
  }

  TemporaryFolder folder = TemporaryFolder::create("autoconfig").value();
  const std::string model = HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
};

// Seven spaces, measured in full once. In four of them something is faster and may ship.
TEST(Replay, FindsTheBestRecordedArmForAQuarterOfTheWork) {
  const ProcessEnd end = run_process({HONE_PROGRAM, "autoconfig", "--replay",
                                      HONE_SOURCE_DIR "/tests/fixtures/spaces.zip", "--searches",
                                      "20", "--format", "json", "-q"})
                             .value();
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const auto report = from_document<ReplayReport>(Json::parse(end.standard_output).value(),
                                                  replay_report_schema_version)
                          .value();
  ASSERT_EQ(report.spaces.size(), 7U);
  double share = 0;
  std::uint64_t winners = 0;
  std::uint64_t null_keeps = 0;
  for (const ReplayedSpace& space : report.spaces) {
    EXPECT_LT(space.mean_regret, 1 / 0.95) << space.model;
    EXPECT_EQ(space.false_keeps, 0U) << space.model;
    winners += space.best_ratio < 0.8 ? 1 : 0;
    null_keeps += space.null_keeps;
    share += space.mean_evaluations_share / static_cast<double>(report.spaces.size());
  }
  EXPECT_EQ(winners, 4U);
  EXPECT_LE(share, 0.25);
  EXPECT_LE(null_keeps, 3U);  // of 140: 2.5 %
}

TEST_F(Autoconfig, FindsThatAFusionTheDeviceRefusesIsSlower) {
  const ProcessEnd end = run_search("out");
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const SearchResult result = result_in("out");
  EXPECT_EQ(result.champion, std::nullopt);
  ASSERT_EQ(result.arms.size(), 2U);
  ASSERT_TRUE(result.arms[1].confirmed);
  EXPECT_EQ(result.arms[1].confirmed->verdict, Verdict::slower);
  for (const char* file : {"report.html", "results.tsv", "findings.json", "journal.db"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / file)) << file;

  ASSERT_TRUE(run_search("out", {"--resume"}).ok());
  const SearchResult again = result_in("out");
  ASSERT_TRUE(result.hazard && again.hazard);
  EXPECT_EQ(to_json(*again.hazard).dump(), to_json(*result.hazard).dump())
      << "resumed when it is done, it only reads its journal";
}

TEST_F(Autoconfig, KilledTenTimesEndsAsIfUndisturbedAndMeasuresNothingTwice) {
  const ProcessEnd whole = run_search("undisturbed");
  ASSERT_TRUE(whole.ok()) << whole.standard_error;
  int killed = 0;
  std::set<std::string> before;
  for (int part = 1; part <= 10; ++part) {
    const milliseconds moment = std::max(whole.elapsed * part / 24, milliseconds(1));
    killed += run_search("disturbed", {"--resume"}, moment).timed_out ? 1 : 0;
    const std::set<std::string> measured = blocks_in("disturbed");
    EXPECT_TRUE(std::ranges::includes(measured, before)) << "what was measured stays";
    before = measured;
  }
  EXPECT_GT(killed, 0);
  EXPECT_GT(before.size(), 0U);
  const ProcessEnd last = run_search("disturbed", {"--resume"});
  ASSERT_TRUE(last.ok()) << last.standard_error;
  const SearchResult undisturbed = result_in("undisturbed");
  const SearchResult disturbed = result_in("disturbed");
  EXPECT_EQ(disturbed.champion, undisturbed.champion);
  ASSERT_EQ(disturbed.arms.size(), undisturbed.arms.size());
  for (std::size_t i = 0; i < disturbed.arms.size(); ++i) {
    EXPECT_EQ(disturbed.arms[i].recipe_hash, undisturbed.arms[i].recipe_hash);
    EXPECT_EQ(disturbed.arms[i].outcome, undisturbed.arms[i].outcome);
  }
  EXPECT_EQ(disturbed.arms[1].confirmed->verdict, undisturbed.arms[1].confirmed->verdict);
  // How many it takes is up to the load of the machine; that all were counted is not.
  EXPECT_TRUE(std::ranges::includes(blocks_in("disturbed"), before));
  EXPECT_EQ(disturbed.evaluations, blocks_in("disturbed").size());
  EXPECT_EQ(undisturbed.evaluations, blocks_in("undisturbed").size());
}

TEST_F(Autoconfig, LeavesNoChampionOfAnEarlierSearchWhereTheBaselineShips) {
  const Path champion = folder.path() / "out/champion";
  std::filesystem::create_directories(champion);
  ASSERT_TRUE(write_file(champion / "model.onnx", "of an earlier search"));
  ASSERT_TRUE(run_search("out").ok());
  EXPECT_EQ(result_in("out").champion, std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(champion));

  // The search is done: a damaged certificate of the machine costs a note and not its outcome.
  const auto facts = result_in("out").environment_facts;
  Sha256 hash;
  for (const char* fact : {"cpu", "cores", "kernel", "tool_version"})
    hash.add_field(facts.at(fact));
  hash.add_field("sim").add_field("npu");
  const Path noise = folder.path() / "cache/noise";
  const std::string name = hash.finish().hex().substr(0, 16) + ".json";
  std::filesystem::create_directories(noise);
  ASSERT_TRUE(write_file(noise / name, "{ half of"));
  const ProcessEnd again = run_search("out", {"--resume"});
  ASSERT_TRUE(again.ok()) << again.standard_error;
  const SearchResult result = result_in("out");
  EXPECT_FALSE(result.certificate);
  EXPECT_TRUE(std::ranges::any_of(
      result.notes, [&](const std::string& note) { return note.find(name) != std::string::npos; }));
}

// Another search is at work in the folder, here: this very process.
TEST_F(Autoconfig, TouchesNothingOfASearchThatIsAtWork) {
  const Path output = folder.path() / "out";
  std::filesystem::create_directories(output);
  const JournalKey key{"model", "environment", "subject"};
  {
    auto journal = SearchJournal::open(output / "journal.db").value();
    ASSERT_TRUE(journal.store_step(key, "build", Json::object()));
    for (const char* flag : {"--overwrite", "--resume"}) {
      const ProcessEnd end = run_search("out", {flag});
      EXPECT_EQ(end.exit_code, 1) << flag;
      EXPECT_NE(end.standard_error.find("another search is using it"), std::string::npos)
          << end.standard_error;
    }
    const ProcessEnd dry = run_search("out", {"--dry-run", "--overwrite"});
    EXPECT_TRUE(dry.ok()) << dry.standard_error;
    EXPECT_FALSE(std::filesystem::exists(output / "arms"));
  }
  EXPECT_TRUE(*SearchJournal::open(output / "journal.db")->find_step(key, "build"));
  ASSERT_TRUE(run_search("out", {"--overwrite"}).ok());
  EXPECT_FALSE(*SearchJournal::open(output / "journal.db")->find_step(key, "build"));
}

TEST_F(Autoconfig, LeavesAJournalThatIsNotOursAsItIs) {
  const Path file = folder.path() / "out/journal.db";
  std::filesystem::create_directories(file.parent_path());
  ASSERT_TRUE(write_file(file, "somebody's diary"));
  EXPECT_EQ(run_search("out", {"--overwrite"}).exit_code, 2);
  EXPECT_TRUE(run_search("out", {"--overwrite", "--dry-run"}).ok());
  EXPECT_EQ(read_file(file).value(), "somebody's diary");
}

TEST_F(Autoconfig, MeasuresAgainUnderOtherConditions) {
  ASSERT_TRUE(run_search("out", {"--seed", "1"}).ok());
  const SearchResult first = result_in("out");
  ASSERT_TRUE(run_search("out", {"--seed", "1", "--require-placement", "10%", "--resume"}).ok());
  EXPECT_NE(result_in("out").baseline_ms, first.baseline_ms);
}

}  // namespace
}  // namespace hone
