#include "app/climb.h"

#include <algorithm>
#include <array>
#include <span>

#include "app/blame.h"
#include "app/own_command.h"
#include "base/hash.h"
#include "base/hash_file.h"
#include "base/text.h"
#include "flow/search/environment.h"
#include "inspect/eval/task.h"
#include "record/perf.h"
#include "support/ladder.h"
#include "support/lines.h"
#include "support/recipe_file.h"
#include "support/weights.h"

namespace hone::app {
namespace {

using Words = std::vector<std::string>;

constexpr std::uint64_t parity_samples = 32;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// A command as a person repeats it beside the bundle: our own folders get names that say what they
// are.
std::string repeatable(const ClimbSite& site, const Words& words) {
  Words told = {"hone"};
  for (std::string word : words) {
    const auto put = [&](const Path& path, const std::string& name) {
      const std::size_t at = word.find(path.string());
      if (at != std::string::npos) word.replace(at, path.string().size(), name);
    };
    put(site.model, site.file.source.file);
    put(site.work, "work");
    told.push_back(std::move(word));
  }
  return to_shell(told);
}

Result<Json> ask(const ClimbSite& site, TierProof& tier, Words words, bool may_not_hold = false) {
  if (site.tell) site.tell(std::string(name_of(tier.tier)) + ": hone " + words.front());
  tier.commands.push_back(repeatable(site, words));
  append(words, runtime_words(site.where));
  return run_own({.words = std::move(words), .limit = site.limit, .may_not_hold = may_not_hold});
}

void add_shapes(const ClimbSite& site, Words& words) {
  if (site.file.shape_config) append(words, {"--shape-config", *site.file.shape_config});
}

Words words_of(const Target& target, const SessionRecipe& session) {
  Recipe recipe;
  recipe.target = target;
  recipe.session = session;
  return run_words(recipe);
}

// A command that runs the model on the recipe's target did not answer.
void settle_run(const ClimbSite& site, TierProof& tier, const Error& error) {
  settle_failure(tier, error, class_of_failure(site.where, site.file.recipe.target, site.limit));
}

void settle(TierProof& tier) {
  TierJudgement judged = judge_tier(tier);
  tier.verdict = judged.verdict;
  tier.reason = std::move(judged.reason);
}

bool is_same(const std::vector<ValueFacts>& a, const std::vector<ValueFacts>& b) {
  return to_json(a) == to_json(b);
}

std::string described(const std::vector<ValueFacts>& values) { return to_json(values).dump(-1); }

// A compiled model shows no weights: what the compiler was given does.
Path model_with_weights(const ClimbSite& site, const BuiltHere& built) {
  Path last = built.model;
  for (const StageReceipt& stage : built.receipt.stages) {
    if (stage.name == "compile" && stage.status == StageStatus::done) return last;
    if (stage.artifact && check_stays_inside(*stage.artifact))
      last = site.work / "build" / *stage.artifact;
  }
  return built.model;
}

void climb_structure(const ClimbSite& site, const BuiltHere& built, TierProof& tier) {
  tier.commands.push_back(
      repeatable(site, {"build", site.model.string(), "-c", "recipe.json", "-o", "work/build"}));
  const auto answer = ask(site, tier, {"inspect", built.model.string()});
  if (!answer) return settle_failure(tier, answer.error());
  const auto facts = from_document<ModelFacts>(*answer, 1);
  if (!facts) return settle_failure(tier, facts.error());
  const auto source = facts_of(site.model);
  if (!source) return settle_failure(tier, source.error());
  const auto weighed = facts_of(model_with_weights(site, built));
  if (!weighed) return settle_failure(tier, weighed.error());
  StructureProof proof;
  proof.model_sha256 = built.receipt.final_sha256.value_or("");
  const auto opset = facts->opsets.find("ai.onnx");
  proof.opset = opset == facts->opsets.end() ? 0 : opset->second;
  proof.nodes = facts->nodes;
  proof.weight_bytes = weighed->weight_bytes;
  const auto check = [&](std::string name, bool holds, std::string detail) {
    proof.checks.push_back({std::move(name), holds, std::move(detail)});
  };
  const RecipeFile& file = site.file;
  check("receipt", built.receipt.final_sha256.has_value(), "the build's receipt names its bytes");
  check("opset", proof.opset == file.opset, std::to_string(proof.opset));
  check("inputs", is_same(facts->inputs, file.inputs), described(facts->inputs));
  check("outputs", is_same(facts->outputs, file.outputs), described(facts->outputs));
  const std::string weights = weights_problem(file.recipe, weighed->weight_bytes);
  check("weights", weights.empty(), weights.empty() ? file.precision : weights);
  check("external data", weighed->absent_weight_bytes == 0,
        format_bytes(weighed->absent_weight_bytes) + " of the weights are absent");
  for (const ModelFacts* one : {&*source, &*facts}) {
    const std::vector<std::string> problems = task_problems(file.task, *one);
    check(one == &*source ? "task of the source" : "task of the build", problems.empty(),
          problems.empty() ? file.task : problems.front());
  }
  tier.structure = std::move(proof);
  settle(tier);
}

void take_perf(const PerfResult& perf, RunProof& run) {
  run.kind = RunClass::ran;
  run.p50_ms = perf.latency_ms.p50;
  run.p90_ms = perf.latency_ms.p90;
  run.p99_ms = perf.latency_ms.p99;
  run.runs = perf.raw_samples_ms.size();
  if (perf.placement) run.placement = perf.placement->share_of(run.target.ep);
  constexpr double bytes_in_mb = 1 << 20;
  if (perf.memory && perf.memory->rss_peak_mb)
    run.peak_bytes = static_cast<std::uint64_t>(*perf.memory->rss_peak_mb * bytes_in_mb);
}

std::string arm_of(const std::string& name, const Path& model, const Target& target) {
  std::string words = name + ":model=" + model.string() + ",ep=" + target.ep;
  if (target.device != "auto") words += ",device=" + target.device;
  for (const auto& [key, value] : target.options) words += ",option." + key + "=" + value;
  return words;
}

// Both sides run as the recipe runs it.
void add_session(const SessionRecipe& session, Words& words) {
  if (session.threads > 0) append(words, {"--threads", std::to_string(session.threads)});
  for (const auto& [key, value] : session.options)
    append(words, {"--session-options", key + "=" + value});
}

std::optional<Comparison> race(const ClimbSite& site, const BuiltHere& built, const Target& target,
                               TierProof& tier) {
  Words words = {"compare",
                 "--arm",
                 arm_of("as-it-came", site.model, target),
                 "--arm",
                 arm_of("built", built.model, target),
                 "--max-time",
                 std::to_string(site.race_s)};
  add_session(site.file.recipe.session, words);
  add_shapes(site, words);
  if (!site.races) {
    // Who does not race still says how it is done, to be held against what others say.
    tier.commands.push_back(repeatable(site, words));
    return std::nullopt;
  }
  const auto answer = ask(site, tier, std::move(words));
  if (!answer) return std::nullopt;
  auto comparison = from_document<Comparison>(*answer, comparison_schema_version);
  if (!comparison) return std::nullopt;
  comparison->samples.clear();
  comparison->repeat.reset();
  return *std::move(comparison);
}

RunProof run_on(const ClimbSite& site, const BuiltHere& built, const Target& target,
                TierProof& tier) {
  RunProof run;
  run.target = target;
  Words words = {"perf", built.model.string(), "--iterations", "50"};
  append(words, words_of(target, site.file.recipe.session));
  add_shapes(site, words);
  const auto answer = ask(site, tier, std::move(words));
  const auto perf = answer ? from_document<PerfResult>(*answer, perf_schema_version)
                           : Result<PerfResult>(fail(answer.error()));
  if (perf) {
    take_perf(*perf, run);
  } else {
    run.kind = class_of_failure(site.where, target, site.limit);
    run.reason = what_and_why(perf.error());
  }
  return run;
}

void climb_runs(const ClimbSite& site, const BuiltHere& built, TierProof& tier) {
  std::vector<Target> targets = {site.file.recipe.target};
  targets.insert(targets.end(), site.also.begin(), site.also.end());
  for (const Target& target : targets) {
    RunProof run = run_on(site, built, target, tier);
    const bool is_own = tier.runs.empty();
    if (is_own && run.kind == RunClass::ran) run.speed = race(site, built, target, tier);
    tier.runs.push_back(std::move(run));
  }
  settle(tier);
}

void climb_parity(const ClimbSite& site, const BuiltHere& built, TierProof& tier) {
  Words words = {"eval",        built.model.string(), "--mode",    "compare",
                 "--reference", site.model.string(),  "--samples", std::to_string(parity_samples)};
  append(words, words_of(site.file.recipe.target, site.file.recipe.session));
  add_shapes(site, words);
  const auto answer = ask(site, tier, std::move(words));
  if (!answer) return settle_run(site, tier, answer.error());
  const auto report = from_document<CompareReport>(*answer, eval_schema_version);
  if (!report) return settle_failure(tier, report.error());
  tier.parity = ParityProof{.least_cosine = least_cosine_of(site.file.recipe),
                            .seed = 0,
                            .samples = report->samples,
                            .outputs = report->outputs};
  settle(tier);
}

Result<std::string> hash_of_folder(const Path& folder) {
  std::vector<Path> files;
  std::error_code problem;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, problem))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  Sha256 hash;
  for (const Path& file : files) {
    HONE_TRY(const Digest digest, hash_of_file(file));
    hash.add_field(file.lexically_relative(folder).generic_string());
    hash.add_field(digest.hex());
  }
  return hash.finish().hex();
}

void climb_task(const ClimbSite& site, const BuiltHere& built, TierProof& tier) {
  const RecipeFile& file = site.file;
  if (!file.data || !file.max_drop)
    return block_by_hone(tier, "the recipe names no data that hone makes for " + file.task);
  if (const auto known = find_dataset(file.data->kind); !known)
    return block_by_hone(tier, what_and_why(known.error()));
  if (const auto known = find_task(file.task); !known)
    return block_by_hone(tier, what_and_why(known.error()));
  const Path data = site.work / "data";
  std::error_code problem;
  std::filesystem::remove_all(data, problem);
  const auto made =
      ask(site, tier,
          {"eval", "--make-data", file.data->kind, "-o", data.string(), "--count",
           std::to_string(file.data->count), "--seed", std::to_string(file.data->seed)});
  // Fonts, voices and pictures are this machine's.
  if (!made) return settle_failure(tier, made.error(), RunClass::host);
  const auto hash = hash_of_folder(data);
  if (!hash) return settle_failure(tier, hash.error());
  Words words = {"eval",        built.model.string(),
                 "--task",      file.task,
                 "--data",      data.string(),
                 "--reference", site.model.string(),
                 "--max-drop",  std::to_string(*file.max_drop)};
  append(words, words_of(file.recipe.target, file.recipe.session));
  const auto answer = ask(site, tier, std::move(words), true);
  if (!answer) return settle_run(site, tier, answer.error());
  const auto report = from_document<EvalReport>(*answer, eval_schema_version);
  if (!report) return settle_failure(tier, report.error());
  if (report->metrics.empty()) return block_by_hone(tier, "the task has no metric");
  tier.task = TaskProof{.metric = report->metrics.front(),
                        .max_drop = *file.max_drop,
                        .samples = report->samples,
                        .data_sha256 = *hash};
  settle(tier);
}

// All but the nodes one by one, and the file's name.
Json without(const Json& object, std::span<const std::string_view> keys) {
  Json kept = Json::object();
  if (object.as_object() == nullptr) return kept;
  for (const auto& [key, value] : *object.as_object())
    if (std::ranges::find(keys, key) == keys.end()) kept.set(key, value);
  return kept;
}

Json coverage_summary(const Json& analysis) {
  constexpr std::array<std::string_view, 3> not_kept = {"model", "path", "coverage"};
  constexpr std::array<std::string_view, 1> one_by_one = {"nodes"};
  Json summary = without(analysis, not_kept);
  if (const Json* coverage = analysis.find("coverage"))
    summary.set("coverage", without(*coverage, one_by_one));
  return summary;
}

// Evidence is read on other machines: it names no folder of this one.
void forget_folders(const ClimbSite& site, BuildReceipt& receipt) {
  receipt.model = site.file.source.file;
  const std::string folder = site.work.string() + "/";
  for (std::string& note : receipt.notes)
    for (std::size_t at = 0; (at = note.find(folder)) != std::string::npos;)
      note.erase(at, folder.size());
}

Result<ArtifactList> artifacts_in(const Path& folder) {
  ArtifactList list;
  std::error_code problem;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, problem)) {
    // The receipt has times in it, and is an item of its own.
    if (!entry.is_regular_file() || entry.path().filename() == "receipt.json") continue;
    HONE_TRY(const Digest digest, hash_of_file(entry.path()));
    HONE_TRY(const std::uint64_t bytes, size_of_file(entry.path()));
    list.files.push_back(
        {entry.path().lexically_relative(folder).generic_string(), digest.hex(), bytes});
  }
  std::ranges::sort(list.files, {}, &PackageEntry::path);
  return list;
}

}  // namespace

Result<BuiltHere> build_anew(const ClimbSite& site) {
  if (site.tell) site.tell("L0: hone build");
  const Path recipe = site.work / "recipe.json";
  const Path folder = site.work / "build";
  HONE_TRY_DO(
      write_file(recipe, to_document(site.file.recipe, recipe_schema_version).dump() + "\n"));
  Words words = {"build",       site.model.string(), "-c", recipe.string(), "-o", folder.string(),
                 "--overwrite", "--use-cache",       "off"};
  add_shapes(site, words);
  append(words, runtime_words(site.where));
  HONE_TRY(const Json answer, run_own({.words = std::move(words), .limit = site.limit}));
  BuiltHere built;
  HONE_TRY(built.receipt, from_document<BuildReceipt>(answer, build_schema_version));
  if (!built.receipt.final_artifact)
    return fail(Fault::runtime, "the build's receipt names no model");
  HONE_TRY_DO(check_stays_inside(*built.receipt.final_artifact));
  built.model = folder / *built.receipt.final_artifact;
  forget_folders(site, built.receipt);
  HONE_TRY(built.artifacts, artifacts_in(folder));
  return built;
}

TierProof climb(Tier tier, const ClimbSite& site, const BuiltHere& built) {
  TierProof proof;
  proof.tier = tier;
  switch (tier) {
    case Tier::l0:
      climb_structure(site, built, proof);
      break;
    case Tier::l1:
      climb_runs(site, built, proof);
      break;
    case Tier::l2:
      climb_parity(site, built, proof);
      break;
    case Tier::l3:
      climb_task(site, built, proof);
      break;
  }
  return proof;
}

TierProof fallen(const Error& error) {
  TierProof tier;
  settle_failure(tier, error);
  return tier;
}

Result<ModelFacts> facts_of(const Path& model) {
  HONE_TRY(const Json answer, run_own({.words = {"inspect", model.string()}}));
  return from_document<ModelFacts>(answer, 1);
}

Result<Json> coverage_of(const ClimbSite& site) {
  Words words = {"analyze", site.model.string()};
  append(words, words_of(site.file.recipe.target, site.file.recipe.session));
  add_shapes(site, words);
  append(words, runtime_words(site.where));
  HONE_TRY(const Json answer,
           run_own({.words = std::move(words), .limit = site.limit, .may_not_hold = true}));
  return coverage_summary(answer);
}

Result<std::map<std::string, std::string>> site_facts(const ClimbSite& site) {
  HONE_TRY(const SearchEnvironment found, find_environment(site.where, site.file.recipe.target));
  std::map<std::string, std::string> facts = found.facts;
  facts.erase("kernel");  // it changes every week, and no figure with it
  return facts;
}

}  // namespace hone::app
