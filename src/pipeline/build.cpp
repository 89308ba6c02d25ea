#include "pipeline/build.h"

#include <algorithm>
#include <chrono>

#include "base/folder.h"
#include "base/folder_cache.h"
#include "base/hash_file.h"
#include "inspect/precision.h"
#include "pipeline/coverage_gate.h"
#include "pipeline/policy.h"
#include "transform/oldest_ort.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Of a file, or of all files of a folder.
Result<std::string> hash_of_path(const Path& path) {
  std::error_code problem;
  if (!std::filesystem::is_directory(path, problem)) return hash_of_named_files({path});
  HONE_TRY(const std::vector<Path> files, files_of_stage(path));
  return hash_of_named_files(files);
}

Status copy_files(const Path& from, const Path& to) {
  std::error_code problem;
  std::filesystem::create_directories(to, problem);
  if (problem) return fail(Fault::io, "cannot make '" + to.string() + "'", problem.message());
  HONE_TRY(const std::vector<Path> files, files_of_stage(from));
  for (const Path& file : files) HONE_TRY_DO(clone_file(file, to / file.filename()));
  return done();
}

class Build {
 public:
  Build(const BuildTools& tools, const BuildJob& job) : tools_(tools), job_(job) {}

  Result<BuildReceipt> run() {
    HONE_TRY_DO(check_recipe(job_.recipe));
    HONE_TRY_DO(prepare_output());
    receipt_.model = job_.model.string();
    HONE_TRY(receipt_.model_sha256, hash_of_model_files(job_.model));
    HONE_TRY(const Model model, load_model(job_.model));
    receipt_.model_precision = precision_of(model);
    receipt_.recipe = job_.recipe;
    receipt_.recipe_sha256 = hash_of(job_.recipe);
    receipt_.tool_version = job_.tool_version;
    receipt_.notes = job_.notes;
    receipt_.exported = job_.exported;
    receipt_.ort_version = tools_.transform.runtime->version();
    current_ = job_.model;
    current_hash_ = receipt_.model_sha256;
    HONE_TRY_DO(open_cache());
    int number = 0;
    for (const Stage& stage : all_stages()) {
      if (stage.is_for_ep) HONE_TRY_DO(check_coverage(model));
      if (stage.is_silent && !stage.skip_reason(job_.recipe).empty()) continue;
      HONE_TRY_DO(run_stage(stage, ++number));
    }
    HONE_TRY_DO(finish());
    return std::move(receipt_);
  }

 private:
  // A folder with something else in it is not ours to write into.
  Status prepare_output() {
    std::error_code problem;
    HONE_TRY_DO(settle_what_was_killed());
    HONE_TRY_DO(refuse_place_of_the_model());
    const bool is_ours = std::filesystem::exists(job_.output / build_recipe_name, problem);
    const bool is_empty = !std::filesystem::exists(job_.output, problem) ||
                          std::filesystem::is_empty(job_.output, problem);
    if (!is_ours && !is_empty) HONE_TRY_DO(refuse_existing(job_.output, job_.overwrite));
    if (is_ours && !job_.overwrite) HONE_TRY_DO(refuse_other_build());
    std::filesystem::create_directories(job_.output, problem);
    if (problem) {
      return fail(Fault::io, "cannot make '" + job_.output.string() + "'", problem.message());
    }
    // A model that is there goes by its own recipe until it is replaced.
    const bool has_model = std::filesystem::exists(job_.output / build_model_name, problem);
    return has_model ? done() : write_recipe(job_.output, job_.recipe);
  }

  // What is built would take the name of what it is built from.
  Status refuse_place_of_the_model() const {
    std::error_code absent;
    if (!std::filesystem::equivalent(job_.model, job_.output / build_model_name, absent))
      return done();
    return fail(Fault::bad_input,
                "'" + job_.model.string() + "' would be replaced by its own build", {},
                "choose another folder");
  }

  Status settle_what_was_killed() const {
    std::optional<BuildReceipt> left = unsettled_build(job_.output);
    return left ? settle_build(job_.output, *left) : done();
  }

  Status refuse_other_build() const {
    HONE_TRY(const std::string text, read_file(job_.output / build_recipe_name));
    HONE_TRY(const Json document, Json::parse(text));
    const auto there = from_document<Recipe>(document, recipe_schema_version);
    if (there && hash_of(*there) == hash_of(job_.recipe)) return done();
    return fail(Fault::io, "'" + job_.output.string() + "' holds the build of another recipe", {},
                "choose another folder, or --overwrite");
  }

  Status open_cache() {
    Path root;
    if (job_.cache) {
      root = *job_.cache;
    } else {
      HONE_TRY(TemporaryFolder made, TemporaryFolder::create("build"));
      root = temporary_.emplace(std::move(made)).path();
    }
    cache_.emplace(root);
    return done();
  }

  Result<std::string> key_of(const Stage& stage) const {
    Sha256 hash;
    hash.add_field(stage.name);
    hash.add_field(job_.tool_version);
    hash.add_field(job_.runtime_key);
    hash.add_field(current_hash_);
    hash.add_field(stage.settings(job_.recipe).canonical());
    hash.add_field(to_json(tools_.run).canonical());  // samples, shapes, seed
    const auto files = stage.files != nullptr ? stage.files(job_.recipe) : std::vector<Path>();
    for (const Path& file : files) {
      HONE_TRY(const std::string content, hash_of_path(file));
      hash.add_field(content);
    }
    return hash.finish().hex();
  }

  Status run_stage(const Stage& stage, int number) {
    StageReceipt receipt;
    receipt.name = stage.name;
    receipt.reason = stage.skip_reason(job_.recipe);
    if (!receipt.reason.empty()) {
      HONE_TRY_DO(remove_what_was_in(place_of(stage, number)));
      return keep(std::move(receipt));
    }
    tools_.transform.progress(std::string(stage.name));
    HONE_TRY(receipt.key, key_of(stage));
    receipt.input = current_hash_;
    const auto start = Clock::now();
    Result<Path> folder = make(stage, receipt);
    receipt.elapsed_ms = milliseconds_since(start);
    if (!folder) {
      receipt.status = StageStatus::failed;
      receipt.reason = folder.error().what;
      HONE_TRY_DO(keep(std::move(receipt)));
      Error error = std::move(folder).error();
      error.what = std::string(stage.name) + ": " + error.what;
      return fail(std::move(error));
    }
    return take(*folder, stage, number, std::move(receipt));
  }

  Result<Path> make(const Stage& stage, StageReceipt& receipt) {
    if (!job_.rebuilds) {
      if (const std::optional<Path> found = cache_->find(*receipt.key)) {
        receipt.status = StageStatus::cached;
        return *found;
      }
    }
    receipt.status = StageStatus::done;
    const auto fill = [&](const Path& folder) -> Status {
      HONE_TRY(const Json effect,
               stage.run({tools_, job_.recipe, current_, folder / build_model_name}));
      return write_file(folder / stage_effect_name, effect.dump() + "\n");
    };
    if (job_.rebuilds) HONE_TRY_DO(cache_->forget(*receipt.key));
    return cache_->put(*receipt.key, fill);
  }

  // The artifact in the build folder, and what the next stage starts from.
  Status take(const Path& folder, const Stage& stage, int number, StageReceipt receipt) {
    HONE_TRY(const std::vector<Path> files, files_of_stage(folder));
    HONE_TRY(current_hash_, hash_of_named_files(files));
    receipt.output = current_hash_;
    HONE_TRY(const std::string effect, read_file(folder / stage_effect_name));
    HONE_TRY(receipt.effect, Json::parse(effect));
    const Path place = place_of(stage, number);
    HONE_TRY_DO(remove_what_was_in(place));
    HONE_TRY_DO(copy_files(folder, job_.output / place));
    receipt.artifact = (place / build_model_name).generic_string();
    current_ = job_.output / place / build_model_name;
    return keep(std::move(receipt));
  }

  // What was looked for is in the receipt, whether or not it holds.
  Status check_coverage(const Model& before) {
    HONE_TRY(const Model given, load_model(current_));
    HONE_TRY(receipt_.coverage, cover_build(tools_.transform, {before, given}, job_.recipe.target));
    if (!receipt_.coverage) return done();
    receipt_.coverage->is_allowed = job_.allows_unsupported;
    HONE_TRY_DO(write_receipt(job_.output, receipt_));
    return job_.allows_unsupported ? done() : judge_coverage(*receipt_.coverage);
  }

  static Path place_of(const Stage& stage, int number) {
    return Path("stages") / (std::to_string(number) + "-" + std::string(stage.name));
  }

  // Of an older build in this folder: it would pass for a part of this one.
  Status remove_what_was_in(const Path& place) const {
    std::error_code problem;
    std::filesystem::remove_all(job_.output / place, problem);
    if (!problem) return done();
    return fail(Fault::io, "cannot remove '" + (job_.output / place).string() + "'",
                problem.message());
  }

  Status keep(StageReceipt receipt) {
    receipt_.stages.push_back(std::move(receipt));
    return write_receipt(job_.output, receipt_);
  }

  Status finish() {
    for (const StageReceipt& stage : receipt_.stages)
      if (stage.artifact) receipt_.final_artifact = stage.artifact;
    receipt_.final_sha256 = current_hash_;
    HONE_TRY(const Model made, load_model(current_));
    const OldestOrt oldest = oldest_ort_for(made);
    receipt_.oldest_ort = oldest.version;
    receipt_.oldest_ort_because = oldest.because;
    return settle_build(job_.output, receipt_);
  }

  const BuildTools& tools_;
  const BuildJob& job_;
  BuildReceipt receipt_;
  std::optional<TemporaryFolder> temporary_;
  std::optional<FolderCache> cache_;
  Path current_;
  std::string current_hash_;
};

}  // namespace

std::span<const Stage> all_stages() {
  static const std::vector<Stage> all = {
#define HONE_STAGE(name) stages::name(),
#include "pipeline/stages.inc"
#undef HONE_STAGE
  };
  return all;
}

Result<BuildReceipt> build(const BuildTools& tools, const BuildJob& job) {
  return Build(tools, job).run();
}

}  // namespace hone
