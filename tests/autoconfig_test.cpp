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
#include "base/stopped_for_tests.h"
#include "record/replay.h"
#include "record/replay_report.h"
#include "record/search.h"
#include "search/journal.h"

namespace hone {
namespace {

class Autoconfig : public testing::Test {
 protected:
  // A device that does not know FusedConv and takes 60 us for each group of nodes: fusing makes
  // groups out of one, which no noise hides.
  ProcessEnd run_search(const std::string& output, std::vector<std::string> more = {},
                        const std::atomic<bool>* stop = nullptr) {
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
                                      only,
                                      "--no-trace",
                                      "-q"};
    words.insert(words.end(), more.begin(), more.end());
    ProcessOptions options;
    options.environment = {{"HONE_CACHE", (folder.path() / "cache").string()},
                           {"XDG_DATA_HOME", folder.path().string()}};
    options.limits.stop = stop;  // the whole process group is killed with SIGKILL
    return run_process(words, options).value();
  }
  // How many rounds are in its journal; 0 while that cannot be read.
  std::int64_t rounds_in(const std::string& output) const {
    const Path file = folder.path() / output / "journal.db";
    std::int64_t rounds = 0;
    sqlite3* database = nullptr;
    const auto read = [](void* count, int, char** columns, char**) {
      *static_cast<std::int64_t*>(count) = std::atoll(columns[0]);
      return 0;
    };
    if (sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK)
      sqlite3_exec(database, "SELECT count(*) FROM rounds", read, &rounds, nullptr);
    sqlite3_close(database);
    return rounds;
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
  std::string only = "conv-activation-fusion";
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
    const std::int64_t all = rounds_in("disturbed") + 1 + part % 3;
    const StopWhen enough([this, all] { return rounds_in("disturbed") >= all; });
    killed += run_search("disturbed", {"--resume"}, enough.stop()).stopped ? 1 : 0;
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
  // Whether a slower arm is let go at once or compared to the end is up to the load of the machine.
  const auto is_slower = [](const auto& arm) {
    if (arm.confirmed) return arm.confirmed->verdict == Verdict::slower;
    return arm.outcome == ArmOutcome::futile;
  };
  for (std::size_t i = 0; i < disturbed.arms.size(); ++i) {
    EXPECT_EQ(disturbed.arms[i].recipe_hash, undisturbed.arms[i].recipe_hash);
    EXPECT_EQ(is_slower(disturbed.arms[i]), is_slower(undisturbed.arms[i]));
  }
  EXPECT_TRUE(is_slower(disturbed.arms[1]));
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
  if (facts.contains("accelerator")) hash.add_field(facts.at("accelerator"));
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

TEST_F(Autoconfig, NeverReplacesWhatIsKnownByASearchOfSomethingElse) {
  ASSERT_TRUE(run_search("out", {"--seed", "1"}).ok());
  const Path document = folder.path() / "out/search.json";
  const std::string first = read_file(document).value();
  const ProcessEnd end =
      run_search("out", {"--seed", "1", "--require-placement", "10%", "--resume"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_NE(end.standard_error.find("holds the results of another search"), std::string::npos)
      << end.standard_error;
  EXPECT_EQ(read_file(document).value(), first);
}

TEST_F(Autoconfig, ANarrowerSecondRunAddsToWhatTheFirstFound) {
  ASSERT_TRUE(run_search("out").ok());
  const SearchResult first = result_in("out");
  only = "opset-19";
  const ProcessEnd end = run_search("out", {"--resume"});
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const SearchResult both = result_in("out");
  ASSERT_EQ(both.arms.size(), 3U);
  EXPECT_EQ(both.arms[0].outcome, ArmOutcome::baseline);
  EXPECT_EQ(both.arms[1].hypothesis.id, "opset-19");
  EXPECT_NE(both.arms[1].outcome, ArmOutcome::pending);
  EXPECT_EQ(to_json(both.arms[2]).dump(), to_json(first.arms[1]).dump());
  const std::string table = read_file(folder.path() / "out/results.tsv").value();
  EXPECT_NE(table.find("\nconv-activation-fusion\t"), std::string::npos) << table;
  EXPECT_NE(table.find("\nopset-19\t"), std::string::npos) << table;
}

// The same model takes longer on the device that has to be told to wait: nothing but the target
// differs.
TEST_F(Autoconfig, OverSeveralTargetsListsTheBestOfEach) {
  ProcessOptions options;
  options.environment = {{"HONE_CACHE", (folder.path() / "cache").string()},
                         {"XDG_DATA_HOME", folder.path().string()}};
  const ProcessEnd end =
      run_process(
          {HONE_PROGRAM, "autoconfig", model, "-o", (folder.path() / "out").string(), "--ep",
           "cpu,sim/gpu,sim/npu", "--only-hypotheses", "sim/npu:opset-19", "--no-trace", "-q"},
          options)
          .value();
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const SearchResult result = result_in("out");
  ASSERT_EQ(result.targets.size(), 3U);
  EXPECT_EQ(result.targets[0].target.ep, "cpu");
  EXPECT_EQ(result.targets[1].target.device, "gpu");
  EXPECT_EQ(result.targets[2].target.device, "npu");
  std::set<std::string> ids;
  for (const SearchArm& arm : result.arms) ids.insert(arm.hypothesis.id);
  EXPECT_TRUE(ids.contains("sim/gpu") && ids.contains("sim/npu") &&
              ids.contains("sim/npu:opset-19"));
  const auto ships = std::ranges::count(result.targets, true, &TargetBest::ships);
  EXPECT_EQ(ships, 1);
  EXPECT_NE(end.standard_output.find("best there"), std::string::npos) << end.standard_output;
}

TEST_F(Autoconfig, ARecordHasTimesReplaysAndGivesDrafts) {
  const std::string record = (folder.path() / "space.json").string();
  const ProcessEnd end = run_search("out", {"--record", record, "--record-sessions", "6"});
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const auto space = from_document<RecordedSpace>(Json::parse(read_file(record).value()).value(),
                                                  replay_schema_version)
                         .value();
  ASSERT_EQ(space.arms.size(), 2U);
  EXPECT_EQ(space.arms[1].session_ms.size(), 6U);
  EXPECT_GT(space.arms[1].session_ms.front(), 0);
  EXPECT_TRUE(space.facts.contains("model_fingerprint"));
  const std::string drafts = (folder.path() / "drafts.json").string();
  const ProcessEnd replayed = run_process({HONE_PROGRAM, "autoconfig", "--replay", record,
                                           "--searches", "2", "--findings", drafts, "-q"})
                                  .value();
  ASSERT_TRUE(replayed.ok()) << replayed.standard_error;
  EXPECT_NE(read_file(drafts).value().find("conv_activation_fusion"), std::string::npos);
}

}  // namespace
}  // namespace hone
