#include "flow/knowledge/mine.h"

#include "base/hash_file.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "flow/recipe_choice.h"
#include "inspect/facts.h"
#include "inspect/precision.h"
#include "record/perf.h"

namespace hone {
namespace {

constexpr std::uint64_t largest_result = 64 << 20;

Result<BuildReceipt> read_receipt(const Path& path) {
  const auto read = [&]() -> Result<BuildReceipt> {
    HONE_TRY(const std::string text, read_file(path, largest_result));
    HONE_TRY(const Json json, Json::parse(text));
    return from_document<BuildReceipt>(json, build_schema_version);
  };
  Result<BuildReceipt> receipt = read();
  if (receipt) return receipt;
  const Error& error = receipt.error();
  return fail(error.fault, "cannot read the receipt of the build, '" + path.string() + "'",
              error.what + (error.cause.empty() ? "" : ": " + error.cause),
              "name the folder that `hone build` was given with -o");
}

// The receipt is a file like any other: what it names may not leave the folder.
Result<Path> artifact_in(const Path& folder, const std::string& artifact) {
  HONE_TRY_DO(check_stays_inside(artifact));
  return folder / artifact;
}

// What the first stage made: the model at its opset, before anything was optimized.
Result<Path> first_artifact(const Path& folder, const BuildReceipt& receipt) {
  for (const StageReceipt& stage : receipt.stages) {
    if (stage.artifact) return artifact_in(folder, *stage.artifact);
  }
  return fail(Fault::bad_input, "the build in '" + folder.string() + "' made nothing",
              "no stage of its receipt has an artifact",
              "hone build, until its first stage is done");
}

Result<std::optional<Placement>> read_placement(const Path& file) {
  HONE_TRY(const std::string text, read_file(file, largest_result));
  HONE_TRY(const Json json, Json::parse(text));
  const Json* placement = json.find("placement");
  if (placement == nullptr || placement->is_null()) return std::optional<Placement>();
  HONE_TRY(Placement read, from_json<Placement>(*placement));
  return std::optional(std::move(read));
}

Status add_placement(const Path& folder, const std::string& perf, BuildRemains& remains) {
  const Path file = perf.empty() ? folder / "perf.json" : Path(perf);
  std::error_code error;
  if (perf.empty() && !std::filesystem::exists(file, error)) return done();
  auto placement = read_placement(file);
  if (!placement) {
    return fail(placement.error().fault, "cannot read where '" + file.string() + "' says it ran",
                placement.error().what, "it takes what `hone perf -o FILE` writes");
  }
  remains.placement = std::move(*placement);
  HONE_TRY(ModelEvidence evidence, evidence_of(file));
  remains.evidence.push_back(std::move(evidence));
  return done();
}

std::string asked_precision(const Recipe& recipe) {
  if (!recipe.quantize || recipe.quantize->precisions.empty()) return "fp32";
  return join(recipe.quantize->precisions, "-");
}

}  // namespace

Result<ModelEvidence> evidence_of(const Path& file) {
  HONE_TRY(const Digest digest, hash_of_file(file));
  return ModelEvidence{.file = file.filename().string(), .sha256 = digest.hex()};
}

Result<BuildRemains> read_remains(const Path& folder, const std::string& perf) {
  const Path receipt_file = folder / "receipt.json";
  BuildRemains remains;
  HONE_TRY(remains.receipt, read_receipt(receipt_file));
  HONE_TRY(ModelEvidence evidence, evidence_of(receipt_file));
  remains.evidence.push_back(std::move(evidence));
  HONE_TRY(const Path before, first_artifact(folder, remains.receipt));
  HONE_TRY(const Model given, load_model(before));
  remains.ops_before = count_ops(given);
  remains.precision = asked_precision(remains.receipt.recipe);
  if (remains.receipt.final_artifact) {
    HONE_TRY(const Path after, artifact_in(folder, *remains.receipt.final_artifact));
    HONE_TRY(const Model built, load_model(after));
    remains.ops_after = count_ops(built);
    remains.precision = precision_of(built);
  }
  HONE_TRY(const ModelState state, state_of_model(before));
  HONE_TRY(RecipeChoice usual, choose_recipe(remains.receipt.recipe.target, "auto", state));
  remains.usual = std::move(usual.recipe);
  HONE_TRY_DO(add_placement(folder, perf, remains));
  return remains;
}

}  // namespace hone
