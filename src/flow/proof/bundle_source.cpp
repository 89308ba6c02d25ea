#include "flow/proof/bundle_source.h"

#include "base/hash_file.h"
#include "base/text.h"
#include "checkpoint/export.h"
#include "flow/export/cached.h"
#include "flow/hydrate.h"
#include "flow/job.h"
#include "flow/proof/climb_site.h"
#include "model/weights/stats.h"
#include "pipeline/build.h"
#include "support/bundle.h"

namespace hone {
namespace {

struct Skeleton {
  Path model;
  Path statistics;
  std::uint64_t seed = 0;
};

// The skeleton with weights, under the same name.
Result<Path> hydrate_in(const Path& work, const Skeleton& skeleton, const Host& host) {
  const Path folder = work / "source";
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  HydrateOrder order;
  order.model = skeleton.model.string();
  order.statistics = skeleton.statistics.string();
  order.output = (folder / skeleton.model.filename()).string();
  order.overwrite = true;
  order.seed = skeleton.seed;
  HONE_TRY_DO(run_apart(order, host.program));
  return Path(order.output);
}

Result<std::string> hex_of_file(const Path& path) {
  HONE_TRY(const Digest digest, hash_of_file(path));
  return digest.hex();
}

Status check_is(const Path& file, const std::string& sha256) {
  HONE_TRY(const std::string found, hex_of_file(file));
  if (found == sha256) return done();
  return fail(Fault::bad_input,
              "'" + file.filename().string() + "' is another file than the recipe's",
              "its SHA-256 is " + found + " instead of " + sha256);
}

// The model in a folder; of a checkpoint, what it is exported to.
Path place_in(const Path& folder, const ModelSource& source, const Host& host) {
  if (!source.checkpoint || !is_checkpoint(folder / *source.checkpoint))
    return folder / source.file;
  const auto made = cached_export(folder / *source.checkpoint, {}, host);
  return made ? made->folder / source.file : Path();
}

Result<Path> find_by_hash(const ModelSource& source, const SourceSearch& search) {
  for (const std::string& folder : search.folders) {
    const Path candidate = place_in(folder, source, search.host);
    std::error_code problem;
    if (!std::filesystem::is_regular_file(candidate, problem)) continue;
    const auto hash = hash_of_model_files(candidate);
    if (hash && *hash == source.sha256) return candidate;
  }
  return fail(Fault::not_found, "the model '" + printable(source.file) + "' is not at hand",
              "SHA-256 of its files: " + printable(source.sha256),
              source.checkpoint ? "--models FOLDER names the folder that has the checkpoint '" +
                                      printable(*source.checkpoint) + "'"
                                : "--models FOLDER names a folder that has it");
}

}  // namespace

Result<FoundSource> take_source(const Path& model, std::uint64_t seed, const Path& work,
                                const Host& host) {
  HONE_TRY(const ModelFacts facts, facts_of(model, host));
  FoundSource found{.model = model, .source = {}};
  found.source.file = model.filename().string();
  if (const auto exported = exported_in(model.parent_path()))
    found.source.checkpoint = Path(exported->source).filename().string();
  if (facts.absent_weight_bytes > 0) {
    found.skeleton = model;
    HONE_TRY(found.statistics, find_stats(model));
    HONE_TRY(found.model, hydrate_in(work, {model, found.statistics, seed}, host));
    HONE_TRY(found.source.skeleton, hex_of_file(found.skeleton));
    HONE_TRY(found.source.statistics, hex_of_file(found.statistics));
    found.source.seed = seed;
  }
  HONE_TRY(found.source.sha256, hash_of_model_files(found.model));
  return found;
}

Result<Path> find_source(const ModelSource& source, const SourceSearch& search) {
  HONE_TRY_DO(check_stays_inside(source.file));
  if (source.checkpoint) HONE_TRY_DO(check_stays_inside(*source.checkpoint));
  if (!source.skeleton) return find_by_hash(source, search);
  const Path folder = search.bundle / bundle_source_folder;
  const Path skeleton = folder / source.file;
  const Path statistics = statistics_of(skeleton);
  HONE_TRY_DO(check_is(skeleton, *source.skeleton));
  HONE_TRY_DO(check_is(statistics, source.statistics.value_or("")));
  HONE_TRY(const Path model,
           hydrate_in(search.work, {skeleton, statistics, source.seed}, search.host));
  HONE_TRY(const std::string hash, hash_of_model_files(model));
  if (hash == source.sha256) return model;
  return fail(Fault::bad_input, "the skeleton does not become the model of the recipe",
              "the SHA-256 of its files is " + hash);
}

Status keep_source(const FoundSource& found, const Path& bundle) {
  if (found.skeleton.empty()) return done();
  const Path folder = bundle / bundle_source_folder;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  HONE_TRY_DO(clone_file(found.skeleton, folder / found.source.file));
  return clone_file(found.statistics, statistics_of(folder / found.source.file));
}

}  // namespace hone
