// Published cells, checked as a person does it: whole processes, real models, a plain folder and a
// real registry.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "base/text.h"
#include "catalog/cell_checks.h"
#include "catalog/oci/registry_for_tests.h"
#include "record/eval.h"
#include "record/evidence.h"
#include "record/verify.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::RealRegistry;

constexpr int not_held = 3;

class VerifyProgram : public ::testing::Test {
 protected:
  // One sweep for all tests: each gets a copy of what it published.
  static void SetUpTestSuite() {
    swept_ = new TemporaryFolder(TemporaryFolder::create("verify").value());
    write("catalog.json", R"({"schema_version": 1, "models": [
        {"id": "tiny/bert", "model": ")" HONE_SOURCE_DIR
                          R"(/tests/fixtures/tiny/bert/torch-opset17.onnx"}]})");
    write("targets.json", R"({"schema_version": 1, "targets": [
        {"label": "npu", "target": {"ep": "qnn", "device": "npu"}, "precision": "fp32",
         "build_only": true},
        {"label": "cpu", "target": {"ep": "cpu", "device": "cpu"}}]})");
    const ProcessEnd end = hone({"sweep", "--catalog", "catalog.json", "--targets", "targets.json",
                                 "-o", "out", "--run-stamp", "one", "--mode", "build", "--upload",
                                 "file://" + (swept_->path() / "built").string(), "-q"});
    EXPECT_TRUE(end.ok()) << end.standard_error;
    const ProcessEnd evaluated =
        hone({"sweep", "--catalog", "catalog.json", "--ep", "cpu", "--device", "cpu", "-o",
              "judged", "--run-stamp", "two", "--mode", "eval", "--upload",
              "file://" + (swept_->path() / "built").string(), "-q"});
    EXPECT_TRUE(evaluated.ok()) << evaluated.standard_error;
    // An accelerator that this machine has: the simulated one.
    const ProcessEnd simulated =
        hone({"sweep", "--catalog", "catalog.json", "--ep", "sim", "--device", "npu", "-o",
              "simulated", "--run-stamp", "two", "--mode", "eval", "--upload",
              "file://" + (swept_->path() / "built").string(), "-q"});
    EXPECT_TRUE(simulated.ok()) << simulated.standard_error;
  }
  static void TearDownTestSuite() { delete swept_; }
  void SetUp() override {
    std::filesystem::copy(swept_->path() / "built", folder_.path() / "place",
                          std::filesystem::copy_options::recursive);
  }

  static void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(swept_->path() / name, text));
  }
  static ProcessEnd hone(std::vector<std::string> words) {
    words.insert(words.begin(), HONE_PROGRAM);
    ProcessOptions options;
    options.folder = swept_->path();
    return run_process(words, options).value();
  }

  Path package(const std::string& version) const { return folder_.path() / "place" / version; }
  ProcessEnd verified(const std::string& version, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {
        "verify", "file://" + (folder_.path() / "place").string() + ":" + version, "--format",
        "json"};
    words.insert(words.end(), more.begin(), more.end());
    return hone(words);
  }
  static VerifyReport report_of(const ProcessEnd& end) {
    const auto document = Json::parse(end.standard_output);
    EXPECT_TRUE(document) << end.standard_output << end.standard_error;
    if (!document) return {};
    const auto report = from_document<VerifyReport>(*document, verify_schema_version);
    EXPECT_TRUE(report) << end.standard_output;
    return report ? *report : VerifyReport{};
  }
  static std::vector<std::string> with(const VerifyReport& report, CheckVerdict verdict) {
    std::vector<std::string> names;
    for (const VerifyCheck& check : report.checks)
      if (check.verdict == verdict) names.push_back(check.name);
    return names;
  }
  std::vector<std::string> failed(const std::string& version) {
    const ProcessEnd end = verified(version);
    EXPECT_EQ(end.exit_code, not_held) << end.standard_output << end.standard_error;
    return with(report_of(end), CheckVerdict::fail);
  }

  // What a publisher that lies would do: the hashes agree with what it made of the package.
  void change_evidence(const std::string& version,
                       const std::function<void(CellEvidence&)>& change) {
    const Json document = Json::parse(*read_file(package(version) / "evidence.json")).value();
    auto evidence = from_document<CellEvidence>(document, evidence_schema_version);
    ASSERT_TRUE(evidence) << evidence.error().what;
    change(*evidence);
    attach(version, to_document(*evidence, evidence_schema_version).dump());
  }
  void attach(const std::string& version, const std::string& text) {
    ASSERT_TRUE(write_file(package(version) / "evidence.json", text));
    change_manifest(version, [&](PackageManifest& manifest) {
      manifest.evidence = PackageEntry{"manifest.json", sha256(text).hex(), text.size()};
    });
  }
  void change_manifest(const std::string& version,
                       const std::function<void(PackageManifest&)>& change) {
    const Path file = package(version) / "package.json";
    auto manifest = from_document<PackageManifest>(Json::parse(*read_file(file)).value(),
                                                   package_schema_version);
    ASSERT_TRUE(manifest);
    change(*manifest);
    ASSERT_TRUE(write_file(file, to_document(*manifest, package_schema_version).dump()));
  }
  // Other bytes for a file, in the package and in its evidence.
  void replace_file(const std::string& version, const std::string& path, const std::string& bytes) {
    const PackageEntry entry = {path, sha256(bytes).hex(), bytes.size()};
    const auto put = [&](std::vector<PackageEntry>& files) {
      *std::ranges::find(files, path, &PackageEntry::path) = entry;
    };
    const Path file = package(version) / "files" / path;
    std::filesystem::remove(file);
    ASSERT_TRUE(write_file(file, bytes));
    change_manifest(version, [&](PackageManifest& manifest) { put(manifest.files); });
    change_evidence(version, [&](CellEvidence& evidence) { put(evidence.files); });
  }

  inline static TemporaryFolder* swept_ = nullptr;
  TemporaryFolder folder_ = TemporaryFolder::create("verify").value();
  static constexpr auto cpu = "0.0.0-one-cpu-tiny-bert";
  static constexpr auto npu = "0.0.0-one-npu-tiny-bert";
  static constexpr auto sim = "0.0.0-two-sim-npu-tiny-bert";
  static constexpr auto judged = "0.0.0-two-cpu-cpu-tiny-bert";
};

TEST_F(VerifyProgram, HoldsWhatASweepPublished) {
  const ProcessEnd end = verified(cpu);
  EXPECT_TRUE(end.ok()) << end.standard_output << end.standard_error;
  const VerifyReport report = report_of(end);
  EXPECT_TRUE(report.holds);
  EXPECT_EQ(with(report, CheckVerdict::pass),
            (std::vector<std::string>{"bytes", "evidence", "version", "target", "files", "recipe",
                                      "receipt", "run cpu", "numerics"}));
}

TEST_F(VerifyProgram, CallsAnEpThisMachineDoesNotHaveBlockedAndNeverAPass) {
  const ProcessEnd end = verified(npu);
  EXPECT_TRUE(end.ok()) << end.standard_output;
  const VerifyReport report = report_of(end);
  EXPECT_EQ(with(report, CheckVerdict::blocked), std::vector<std::string>{"run qnn/npu"});
  EXPECT_THAT(with(report, CheckVerdict::pass), ::testing::Contains("run cpu"));
  EXPECT_THAT(end.standard_output, HasSubstr("host-blocked: "));
  const ProcessEnd strict = verified(npu, {"--strict"});
  EXPECT_EQ(strict.exit_code, not_held);
  EXPECT_FALSE(report_of(strict).holds);
}

TEST_F(VerifyProgram, MeasuresTheFiguresOfAnEvaluationAgain) {
  const ProcessEnd end = verified(judged);
  EXPECT_TRUE(end.ok()) << end.standard_output << end.standard_error;
  EXPECT_THAT(with(report_of(end), CheckVerdict::pass),
              ::testing::IsSupersetOf({"placement", "figures"}));
}

TEST_F(VerifyProgram, RunsACellWhereItWasBuiltFor) {
  const ProcessEnd end = verified(sim);
  EXPECT_TRUE(end.ok()) << end.standard_output << end.standard_error;
  EXPECT_THAT(with(report_of(end), CheckVerdict::pass),
              ::testing::IsSupersetOf({"run sim/npu", "placement", "numerics", "figures"}));
}

TEST_F(VerifyProgram, FindsAPlacementThatIsNotSo) {
  const ProcessEnd end = verified(sim, {"--ep-options", "deny=Softmax"});
  EXPECT_EQ(end.exit_code, not_held);
  EXPECT_EQ(with(report_of(end), CheckVerdict::fail), std::vector<std::string>{"placement"});
}

TEST_F(VerifyProgram, FindsAnEpThatDiesOfTheModel) {
  const ProcessEnd end = verified(sim, {"--ep-options", "crash=run:1"});
  EXPECT_EQ(end.exit_code, not_held);
  EXPECT_EQ(with(report_of(end), CheckVerdict::fail), std::vector<std::string>{"run sim/npu"});
}

TEST_F(VerifyProgram, ReadsEvidenceThatNamesNoFolderOfTheBuilder) {
  for (const char* version : {cpu, judged}) {
    const std::string evidence = *read_file(package(version) / "evidence.json");
    EXPECT_EQ(evidence.find(swept_->path().string()), std::string::npos) << evidence;
    EXPECT_EQ(evidence.find(HONE_SOURCE_DIR), std::string::npos) << evidence;
  }
}

TEST_F(VerifyProgram, FindsAChangedByte) {
  const Path file = package(cpu) / "files/model.onnx";
  std::string bytes = *read_file(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::filesystem::remove(file);
  ASSERT_TRUE(write_file(file, bytes));
  EXPECT_EQ(failed(cpu), std::vector<std::string>{"bytes"});
  std::filesystem::remove(file);
  EXPECT_EQ(failed(cpu), std::vector<std::string>{"bytes"});
}

TEST_F(VerifyProgram, FindsAChangedFigure) {
  change_evidence(judged, [](CellEvidence& evidence) {
    CompareReport report =
        from_document<CompareReport>(*evidence.result.find("eval"), eval_schema_version).value();
    report.outputs.front().cosine = Estimate{.value = 0.9, .low = 0.89, .high = 0.91};
    evidence.result = Json::object().set("eval", to_document(report, eval_schema_version));
  });
  EXPECT_EQ(failed(judged), std::vector<std::string>{"figures"});
}

TEST_F(VerifyProgram, LeavesAPlacementItCannotSeeBlocked) {
  change_evidence(npu, [](CellEvidence& evidence) {
    EpShare own;
    own.ep = "qnn";
    own.nodes = 4;
    evidence.placement = Placement{.known = true, .reason = {}, .shares = {own}};
  });
  EXPECT_THAT(with(report_of(verified(npu)), CheckVerdict::blocked),
              ::testing::Contains("placement"));
}

// The data lies beside the model, as in most catalogs: its path is the builder's, and not
// published.
TEST_F(VerifyProgram, HoldsACellThatWasCalibratedWithDataBesideTheModel) {
  const Path models = swept_->path() / "models";
  std::filesystem::create_directory(models);
  const Path fixtures = HONE_SOURCE_DIR "/tests/fixtures";
  std::filesystem::copy(fixtures / "tiny/resnet-cls/torch-opset17.onnx", models / "net.onnx");
  std::filesystem::copy(fixtures / "golden/tiny-resnet-cls/inputs.npz", models / "samples.npz");
  write("calibrated.json", R"({"schema_version": 1, "models": [{"id": "net", "model": ")" +
                               (models / "net.onnx").string() + R"(", "calibration_data": ")" +
                               (models / "samples.npz").string() + R"("}]})");
  write("w8a8.json", R"({"schema_version": 1, "targets": [{"label": "cpu", "precision": "w8a8",
      "target": {"ep": "cpu", "device": "cpu"}}]})");
  const ProcessEnd end = hone({"sweep", "--catalog", "calibrated.json", "--targets", "w8a8.json",
                               "-o", "calibrated", "--run-stamp", "one", "--mode", "build",
                               "--upload", "file://" + (folder_.path() / "place").string(), "-q"});
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const std::string version = "0.0.0-one-cpu-net";
  const ProcessEnd checked = verified(version);
  EXPECT_TRUE(checked.ok()) << checked.standard_output;
  EXPECT_THAT(*read_file(package(version) / "files/recipe.json"),
              ::testing::Not(::testing::HasSubstr(models.string())));
}

TEST_F(VerifyProgram, FindsTheEvidenceOfAnotherCell) {
  attach(cpu, *read_file(package(npu) / "evidence.json"));
  EXPECT_THAT(failed(cpu), ::testing::IsSupersetOf({"version", "files", "recipe"}));
}

TEST_F(VerifyProgram, FindsThatThereIsNoEvidence) {
  change_manifest(cpu, [](PackageManifest& manifest) { manifest.evidence.reset(); });
  EXPECT_EQ(failed(cpu), std::vector<std::string>{"evidence"});
}

TEST_F(VerifyProgram, FindsEvidenceThatIsNone) {
  for (const char* text : {"", "[]", "{", R"({"schema_version": 7})", R"({"schema_version": 1})"}) {
    attach(cpu, text);
    EXPECT_EQ(failed(cpu), std::vector<std::string>{"evidence"}) << text;
  }
}

TEST_F(VerifyProgram, FindsAModelThatDoesNotRun) {
  replace_file(cpu, "model.onnx", "no model at all");
  EXPECT_EQ(failed(cpu), (std::vector<std::string>{"receipt", "run cpu"}));
}

TEST_F(VerifyProgram, FindsAModelThatComputesSomethingElse) {
  const std::string other =
      *read_file(HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx");
  replace_file(cpu, "stages/1-normalize/model.onnx", other);
  EXPECT_EQ(failed(cpu), (std::vector<std::string>{"receipt", "numerics"}));
}

// Every hash agrees, and what people run is what the first stage left.
TEST_F(VerifyProgram, FindsAModelThatIsNotTheLastStages) {
  replace_file(cpu, "model.onnx", *read_file(package(cpu) / "files/stages/1-normalize/model.onnx"));
  change_evidence(cpu, [](CellEvidence& evidence) {
    evidence.receipt.final_artifact = "stages/2-optimize/model.onnx";
    evidence.receipt_sha256 = hash_of(evidence.receipt);
  });
  EXPECT_EQ(failed(cpu), std::vector<std::string>{"receipt"});
}

TEST_F(VerifyProgram, FindsARecipeForAnotherTarget) {
  change_evidence(npu, [](CellEvidence& evidence) {
    evidence.target.target = {.ep = "cpu", .device = "cpu", .options = {}};
  });
  EXPECT_EQ(failed(npu), std::vector<std::string>{"target"});
}

TEST_F(VerifyProgram, RunsNothingThatARecipeNames) {
  // An option that would make the EP load a library, and one that would be taken for ours.
  Json recipe = Json::parse(*read_file(package(cpu) / "files/recipe.json")).value();
  Recipe changed = from_document<Recipe>(recipe, recipe_schema_version).value();
  changed.target.ep = "--perfetto=" + (folder_.path() / "written").string();
  replace_file(cpu, "recipe.json", to_document(changed, recipe_schema_version).dump());
  const VerifyReport report = report_of(verified(cpu));
  EXPECT_FALSE(report.holds);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "written"));
}

TEST_F(VerifyProgram, KeepsThePackageWhereThatIsAsked) {
  const Path keep = folder_.path() / "kept";
  EXPECT_TRUE(verified(cpu, {"--keep", keep.string()}).ok());
  EXPECT_TRUE(std::filesystem::exists(keep / "model.onnx"));
  EXPECT_FALSE(verified(cpu, {"--keep", keep.string()}).ok());
}

TEST_F(VerifyProgram, HoldsACellInARegistryAndFindsWhatChangesThere) {
  if (!RealRegistry::is_installed()) GTEST_SKIP() << "skipped: docker-registry is not installed";
  const RealRegistry registry;
  const std::string place = "oci://" + registry.address() + "/models";
  const ProcessEnd sent =
      hone({"sweep", "--catalog", "catalog.json", "--ep", "cpu", "--device", "cpu", "-o",
            (folder_.path() / "out").string(), "--run-stamp", "one", "--upload", place, "-q"});
  ASSERT_TRUE(sent.ok()) << sent.standard_error;
  const std::string reference = place + ":0.0.0-one-cpu-cpu-tiny-bert";
  const ProcessEnd end = hone({"verify", reference, "--format", "json"});
  EXPECT_TRUE(end.ok()) << end.standard_output << end.standard_error;
  const VerifyReport report = report_of(end);
  EXPECT_EQ(with(report, CheckVerdict::pass).size(), report.checks.size());
  const std::string by_digest = place + "@" + report.digest;
  EXPECT_TRUE(hone({"verify", by_digest}).ok());
  // The registry's own disk: the model, found by its bytes.
  const Json kept = Json::parse(*read_file(package(cpu) / "package.json")).value();
  const auto manifest = from_document<PackageManifest>(kept, package_schema_version).value();
  const PackageEntry& model = manifest.files.front();
  std::string bytes = *read_file(registry.blob_file(model.sha256));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  ASSERT_TRUE(write_file(registry.blob_file(model.sha256), bytes));
  const ProcessEnd changed = hone({"verify", reference, "--format", "json"});
  EXPECT_EQ(changed.exit_code, not_held);
  EXPECT_EQ(with(report_of(changed), CheckVerdict::fail), std::vector<std::string>{"bytes"});
}

}  // namespace
}  // namespace hone
