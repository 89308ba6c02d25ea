#include "flow/proof/climb.h"

#include <algorithm>

#include "base/folder.h"
#include "base/hash.h"
#include "base/hash_file.h"
#include "base/text.h"
#include "flow/job.h"
#include "flow/proof/blame.h"
#include "flow/proof/repeat.h"
#include "inspect/eval/task.h"
#include "record/perf.h"
#include "support/ladder.h"
#include "support/lines.h"
#include "support/recipe_file.h"
#include "support/weights.h"

namespace hone {
namespace {

constexpr std::int64_t parity_samples = 32;
constexpr std::int64_t perf_runs = 50;

// A command as a person repeats it beside the bundle: our own folders get names that say what they
// are.
std::string repeatable(const ClimbSite& site, Words words) {
  return command_of(std::move(words),
                    {{site.model.string(), site.file.source.file}, {site.work.string(), "work"}});
}

// A job of a tier: told, written down as a person repeats it, and done in a process of its own.
template <class Order>
Result<typename Order::Answer> ask(const ClimbSite& site, TierProof& tier, const Order& order) {
  Words words = words_of(order);
  site.watch.step(std::string(name_of(tier.tier)) + ": hone " + words.front());
  tier.commands.push_back(repeatable(site, std::move(words)));
  return run_apart(order, site.host.program, {.time = site.limit}, {.stop = site.watch.stop});
}

std::string shapes_of(const ClimbSite& site) { return site.file.shape_config.value_or(""); }

// A job that runs the model on the recipe's target did not answer.
void settle_run(const ClimbSite& site, TierProof& tier, const Error& error) {
  settle_failure(tier, error, class_of_failure(error, site.host, site.file.recipe.target));
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

// What was built, what it was built from, and the last of its stages that shows its weights.
struct Looked {
  ModelFacts built;
  ModelFacts source;
  ModelFacts weighed;
};
Result<Looked> look(const ClimbSite& site, const BuiltHere& built, TierProof& tier) {
  Looked seen;
  HONE_TRY(seen.built, ask(site, tier, InspectOrder{.model = built.model.string()}));
  HONE_TRY(seen.source, facts_of(site.model, site.host));
  HONE_TRY(seen.weighed, facts_of(model_with_weights(site, built), site.host));
  return seen;
}

StructureProof structure_of(const RecipeFile& file, const BuiltHere& built, const Looked& seen) {
  StructureProof proof;
  proof.model_sha256 = built.receipt.final_sha256.value_or("");
  const auto opset = seen.built.opsets.find("ai.onnx");
  proof.opset = opset == seen.built.opsets.end() ? 0 : opset->second;
  proof.nodes = seen.built.nodes;
  proof.weight_bytes = seen.weighed.weight_bytes;
  const auto check = [&](std::string name, bool holds, std::string detail) {
    proof.checks.push_back({std::move(name), holds, std::move(detail)});
  };
  check("receipt", built.receipt.final_sha256.has_value(), "the build's receipt names its bytes");
  check("opset", proof.opset == file.opset, std::to_string(proof.opset));
  check("inputs", is_same(seen.built.inputs, file.inputs), described(seen.built.inputs));
  check("outputs", is_same(seen.built.outputs, file.outputs), described(seen.built.outputs));
  const std::string weights = weights_problem(file.recipe, seen.weighed.weight_bytes);
  check("weights", weights.empty(), weights.empty() ? file.precision : weights);
  check("external data", seen.weighed.absent_weight_bytes == 0,
        format_bytes(seen.weighed.absent_weight_bytes) + " of the weights are absent");
  for (const ModelFacts* one : {&seen.source, &seen.built}) {
    const std::vector<std::string> problems = task_problems(file.task, *one);
    check(one == &seen.source ? "task of the source" : "task of the build", problems.empty(),
          problems.empty() ? file.task : problems.front());
  }
  return proof;
}

void climb_structure(const ClimbSite& site, const BuiltHere& built, TierProof& tier) {
  tier.commands.push_back(
      repeatable(site, {"build", site.model.string(), "-c", "recipe.json", "-o", "work/build"}));
  const auto seen = look(site, built, tier);
  if (!seen) return settle_failure(tier, seen.error());
  tier.structure = structure_of(site.file, built, *seen);
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

// Both sides run as the recipe runs it.
CompareOrder race_order(const ClimbSite& site, const BuiltHere& built, const Target& target) {
  CompareOrder order;
  for (const auto& [name, model] :
       {std::pair("as-it-came", site.model), std::pair("built", built.model)}) {
    CompareArm& arm = order.arms.emplace_back();
    arm.name = name;
    arm.model = model.string();
  }
  order.most_seconds = site.race_s;
  order.shape_config = shapes_of(site);
  order.where = where_on(site, target);
  return order;
}

std::optional<Comparison> race_built(const ClimbSite& site, const BuiltHere& built,
                                     const Target& target, TierProof& tier) {
  const CompareOrder order = race_order(site, built, target);
  if (!site.races) {
    // Who does not race still says how it is done, to be held against what others say.
    tier.commands.push_back(repeatable(site, words_of(order)));
    return std::nullopt;
  }
  auto comparison = ask(site, tier, order);
  if (!comparison) return std::nullopt;
  comparison->samples.clear();
  comparison->repeat.reset();
  return *std::move(comparison);
}

RunProof run_on(const ClimbSite& site, const BuiltHere& built, const Target& target,
                TierProof& tier) {
  RunProof run;
  run.target = target;
  PerfOrder order;
  order.model = built.model.string();
  order.iterations = perf_runs;
  order.shape_config = shapes_of(site);
  order.where = where_on(site, target);
  const auto perf = ask(site, tier, order);
  if (perf) {
    take_perf(*perf, run);
  } else {
    run.kind = class_of_failure(perf.error(), site.host, target);
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
    if (is_own && run.kind == RunClass::ran) run.speed = race_built(site, built, target, tier);
    tier.runs.push_back(std::move(run));
  }
  settle(tier);
}

void climb_parity(const ClimbSite& site, const BuiltHere& built, TierProof& tier) {
  ParityOrder order;
  order.model = built.model.string();
  order.reference.model = site.model.string();
  order.samples = parity_samples;
  order.shape_config = shapes_of(site);
  order.where = where_on(site, site.file.recipe.target);
  const auto report = ask(site, tier, order);
  if (!report) return settle_run(site, tier, report.error());
  tier.parity = ParityProof{.least_cosine = least_cosine_of(site.file.recipe),
                            .seed = order.seed,
                            .samples = report->samples,
                            .outputs = report->outputs};
  settle(tier);
}

Result<std::string> hash_of_folder(const Path& folder) {
  HONE_TRY(std::vector<Path> files, files_below(folder));
  std::ranges::sort(files);  // part by part, as bundles have it
  Sha256 hash;
  for (const Path& file : files) {
    HONE_TRY(const Digest digest, hash_of_file(file));
    hash.add_field(file.lexically_relative(folder).generic_string());
    hash.add_field(digest.hex());
  }
  return hash.finish().hex();
}

// Why hone cannot judge the task of the recipe; empty: it can.
std::string what_hone_lacks(const RecipeFile& file) {
  if (!file.data || !file.max_drop)
    return "the recipe names no data that hone makes for " + file.task;
  if (const auto known = find_dataset(file.data->kind); !known) return what_and_why(known.error());
  if (const auto known = find_task(file.task); !known) return what_and_why(known.error());
  return {};
}

DataOrder data_order(const ClimbSite& site) {
  DataOrder order;
  order.kind = site.file.data->kind;
  order.output = (site.work / "data").string();
  order.count = site.file.data->count;
  order.seed = site.file.data->seed;
  return order;
}

TaskOrder task_order(const ClimbSite& site, const BuiltHere& built, const std::string& data) {
  TaskOrder order;
  order.model = built.model.string();
  order.reference.model = site.model.string();
  order.task = site.file.task;
  order.data = data;
  order.max_drop = site.file.max_drop;
  order.where = where_on(site, site.file.recipe.target);
  return order;
}

// REQUIRES: hone lacks nothing for it.
void climb_task(const ClimbSite& site, const BuiltHere& built, TierProof& tier) {
  const DataOrder data = data_order(site);
  std::error_code problem;
  std::filesystem::remove_all(data.output, problem);
  const auto made = ask(site, tier, data);
  // Fonts, voices and pictures are this machine's.
  if (!made) return settle_failure(tier, made.error(), RunClass::host);
  const auto hash = hash_of_folder(data.output);
  if (!hash) return settle_failure(tier, hash.error());
  const auto report = ask(site, tier, task_order(site, built, data.output));
  if (!report) return settle_run(site, tier, report.error());
  if (report->metrics.empty()) return block_by_hone(tier, "the task has no metric");
  tier.task = TaskProof{.metric = report->metrics.front(),
                        .max_drop = *site.file.max_drop,
                        .samples = report->samples,
                        .data_sha256 = *hash,
                        .processing = report->processing};
  settle(tier);
}

}  // namespace

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
      if (std::string lacks = what_hone_lacks(site.file); !lacks.empty())
        block_by_hone(proof, std::move(lacks));
      else
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

}  // namespace hone
