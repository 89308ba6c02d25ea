#include "pipeline/fix.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/counted.h"
#include "base/hash_file.h"
#include "inspect/debug/half.h"
#include "transform/quantize/selection.h"
#include "transform/verify.h"

namespace hone {
namespace {

using Names = std::set<std::string>;

constexpr double exact_db = 200;  // of an output that is the same

std::vector<std::string> list_of(const Names& names) { return {names.begin(), names.end()}; }

// Who makes the numbers that a node reads, or reads those it makes: nodes that only move them are
// gone through.
void collect_neighbours(const Node& node, bool is_up, std::set<std::string>& names) {
  const auto add = [&](const Node* next) {
    if (next == nullptr || next->is("Constant")) return;
    const bool is_new = names.emplace(name_in_lists(*next)).second;
    if (is_new && only_moves(*next)) collect_neighbours(*next, is_up, names);
  };
  if (is_up) {
    for (const Value* input : node.inputs()) add(input != nullptr ? input->producer() : nullptr);
    return;
  }
  for (const Value* output : node.outputs()) {
    if (output == nullptr) continue;
    for (const Use& use : output->uses()) add(use.node);
  }
}

class FixSearch {
 public:
  explicit FixSearch(const FixPlan& plan) : plan_(plan) {}

  Result<FixResult> run() {
    result_.score_name = plan_.score_name;
    result_.target = plan_.target;
    HONE_TRY_DO(load_journal());
    HONE_TRY(result_.before, score_of({}));
    std::vector<std::string> ranked = plan_.candidates;
    if (result_.before < plan_.target) {
      HONE_TRY(ranked, rank());
      HONE_TRY_DO(grow(ranked));
      if (best_score_ >= plan_.target) HONE_TRY_DO(shrink(ranked));
    }
    result_.is_reached = best_score_ >= plan_.target;
    if (plan_.held_out_score && result_.is_reached) HONE_TRY_DO(confirm(ranked));
    result_.nodes_quantized = journal_.nodes_quantized;
    result_.after = best_score_;
    result_.float_nodes = list_of(best_);
    return std::move(result_);
  }

 private:
  Status load_journal() {
    HONE_TRY(journal_.key, key());
    if (plan_.journal.empty()) return done();
    const auto text = read_file(plan_.journal);
    if (!text) return done();
    const auto document = Json::parse(*text);
    auto known = document ? from_document<FixJournal>(*document, fix_schema_version)
                          : Result<FixJournal>(fail(document.error()));
    if (!known || known->key != journal_.key) return done();
    journal_ = *std::move(known);
    for (const FixTrial& trial : journal_.trials)
      scores_[{trial.float_nodes.begin(), trial.float_nodes.end()}] = trial.score;
    const auto was_made = [](const auto& entry) { return entry.second.has_value(); };
    result_.trials_known =
        journal_.trials.size() +
        static_cast<std::uint64_t>(std::ranges::count_if(journal_.alone, was_made));
    return done();
  }

  // Everything that decides a score.
  Result<std::string> key() const {
    Sha256 hash;
    HONE_TRY_DO(add_files(hash, {plan_.quantize.model}));
    const QuantizeRequest& request = plan_.quantize;
    for (const Precision* precision : request.precisions) hash.add_field(precision->name);
    hash.add_field(request.settings.preset.name);
    hash.add_field(request.settings.method.name);
    hash.add_number(request.settings.per_channel ? 1 : 0);
    hash.add_number(request.settings.symmetric ? 1 : 0);
    for (const std::string& word : request.settings.exclude) hash.add_field(word);
    // What is in it, not its name: samples of a task lie in another folder each time.
    if (!request.calibration_data.empty())
      HONE_TRY_DO(add_contents(hash, request.calibration_data));
    hash.add_number(request.samples.value_or(0));
    hash.add_number(request.seed);
    hash.add_field(plan_.score_name);
    if (!plan_.scored_on.empty()) hash.add_field(plan_.scored_on);
    return hash.finish().hex();
  }

  // Where the model with these nodes in float went; nothing where that leaves nothing to quantize.
  Result<std::optional<Path>> quantize_without(const Names& float_nodes) {
    QuantizeRequest request = plan_.quantize;
    request.output = plan_.folder / "tried.onnx";
    request.overwrite = true;
    request.verifies = false;
    request.calibration_cache = plan_.folder / "calibration";
    for (const std::string& name : float_nodes) request.settings.exclude.push_back(name);
    const auto made = quantize_file(request, plan_.tools);
    if (!made && !float_nodes.empty() && made.error().fault == Fault::bad_input)
      return std::optional<Path>();
    if (!made) return fail(made.error());
    if (float_nodes.empty()) journal_.nodes_quantized = made->nodes_quantized;
    ++result_.trials;
    return std::optional(request.output);
  }

  Status save_journal() const {
    if (plan_.journal.empty()) return done();
    return write_file(plan_.journal, to_document(journal_, fix_schema_version).dump(-1) + "\n");
  }

  Result<double> score_of(const Names& float_nodes) {
    const auto known = scores_.find(float_nodes);
    if (known != scores_.end()) {
      remember(float_nodes, known->second);
      return known->second;
    }
    HONE_TRY(const std::optional<Path> made, quantize_without(float_nodes));
    if (!made) return -std::numeric_limits<double>::infinity();
    HONE_TRY(const double score, plan_.score(*made));
    scores_.emplace(float_nodes, score);
    journal_.trials.push_back({list_of(float_nodes), score});
    HONE_TRY_DO(save_journal());
    remember(float_nodes, score);
    return score;
  }

  // The best so far: one that reaches the target with fewer nodes, else the highest score.
  void remember(const Names& float_nodes, double score) {
    const bool reaches = score >= plan_.target;
    const bool reached = has_best_ && best_score_ >= plan_.target;
    const bool is_better =
        reaches && reached ? float_nodes.size() < best_.size() : score > best_score_;
    if (has_best_ && !is_better) return;
    has_best_ = true;
    best_ = float_nodes;
    best_score_ = score;
  }

  // What is left of rank_score when the node alone is quantized.
  Result<std::optional<double>> score_alone(const std::string& node, const Names& all) {
    const auto known = journal_.alone.find(node);
    if (known != journal_.alone.end()) return known->second;
    Names others = all;
    others.erase(node);
    HONE_TRY(const std::optional<Path> made, quantize_without(others));
    std::optional<double> score;
    if (made) {
      HONE_TRY(score, plan_.rank_score(*made));
    }
    journal_.alone.emplace(node, score);
    HONE_TRY_DO(save_journal());
    return score;
  }

  // Candidates by what each does alone, all others in float: noise adds up, so the worst alone is
  // the worst among others. (Each alone in float says little where everything else is broken.)
  // Those that were not tried stand behind them, as they came; what has nothing to quantize is no
  // candidate.
  Result<std::vector<std::string>> rank() {
    const std::size_t alone = std::min(plan_.candidates.size(), plan_.most_alone);
    const Names all(plan_.candidates.begin(), plan_.candidates.end());
    std::vector<std::pair<double, std::string>> scores;
    for (std::size_t i = 0; i < alone; ++i) {
      plan_.progress("each node alone, " + std::to_string(i + 1) + " of " + std::to_string(alone));
      HONE_TRY(const std::optional<double> score, score_alone(plan_.candidates[i], all));
      if (score) scores.emplace_back(*score, plan_.candidates[i]);
    }
    std::ranges::stable_sort(scores, {}, &std::pair<double, std::string>::first);
    std::vector<std::string> ranked;
    for (auto& [score, name] : scores) ranked.push_back(std::move(name));
    ranked.insert(ranked.end(), plan_.candidates.begin() + static_cast<std::ptrdiff_t>(alone),
                  plan_.candidates.end());
    return ranked;
  }

  // The worst, and what has to go with them.
  Names first_of(const std::vector<std::string>& ranked, std::size_t count) const {
    Names names;
    for (std::size_t i = 0; i < count; ++i) {
      names.insert(ranked[i]);
      const auto more = plan_.companions.find(ranked[i]);
      if (more != plan_.companions.end()) names.insert(more->second.begin(), more->second.end());
    }
    return names;
  }

  Result<double> score_of_first(const std::vector<std::string>& ranked, std::size_t count) {
    plan_.progress("the worst " + counted(count, "node") + " in float");
    return score_of(first_of(ranked, count));
  }

  // Twice as many each time, then the fewest that do.
  Status grow(const std::vector<std::string>& ranked) {
    if (ranked.empty()) return done();
    std::size_t too_few = 0;
    std::size_t enough = 1;
    for (;; enough *= 2) {
      enough = std::min(enough, ranked.size());
      HONE_TRY(const double score, score_of_first(ranked, enough));
      if (score >= plan_.target) break;
      if (enough == ranked.size()) return done();
      too_few = enough;
    }
    while (enough - too_few > 1) {
      const std::size_t middle = too_few + (enough - too_few) / 2;
      HONE_TRY(const double score, score_of_first(ranked, middle));
      (score >= plan_.target ? enough : too_few) = middle;
    }
    return done();
  }

  // The least harmful first.
  Status shrink(const std::vector<std::string>& ranked) {
    for (auto name = ranked.rbegin(); name != ranked.rend(); ++name) {
      if (!best_.contains(*name) || best_.size() <= 1) continue;
      Names fewer = best_;
      fewer.erase(*name);
      plan_.progress("without '" + *name + "', " + std::to_string(fewer.size()) + " in float");
      HONE_TRY_DO(score_of(fewer));
    }
    return done();
  }

  // Sets that reach the target, the smallest first; of equal ones, the best.
  std::vector<Names> solutions() const {
    std::vector<std::pair<Names, double>> found;
    for (const auto& entry : scores_)
      if (entry.second >= plan_.target) found.push_back(entry);
    std::ranges::stable_sort(found, [](const auto& a, const auto& b) {
      return std::pair(a.first.size(), -a.second) < std::pair(b.first.size(), -b.second);
    });
    std::vector<Names> sets;
    for (auto& [names, score] : found) sets.push_back(std::move(names));
    return sets;
  }

  Status judge_held_out(const Names& names) {
    plan_.progress("on held-out data, " + std::to_string(names.size()) + " in float");
    HONE_TRY(const std::optional<Path> made, quantize_without(names));
    if (!made) return done();
    HONE_TRY(const double score, plan_.held_out_score(*made));
    best_ = names;
    best_score_ = scores_.at(names);
    result_.held_out = score;
    result_.is_reached = score >= plan_.held_out_target;
    return done();
  }

  // One that was picked out of many reaches the target by luck more often than by right. Where no
  // set that was tried holds, more nodes go to float, in the order of their harm.
  Status confirm(const std::vector<std::string>& ranked) {
    result_.held_out_target = plan_.held_out_target;
    result_.is_reached = false;
    for (const Names& names : solutions()) {
      HONE_TRY_DO(judge_held_out(names));
      if (result_.is_reached) return done();
    }
    for (std::size_t count = best_.size() + 1; count < ranked.size(); count += 1 + count / 4) {
      HONE_TRY(const double score, score_of_first(ranked, count));
      if (score < plan_.target) continue;
      HONE_TRY_DO(judge_held_out(first_of(ranked, count)));
      if (result_.is_reached) return done();
    }
    return done();
  }

  const FixPlan& plan_;
  FixResult result_;
  FixJournal journal_;
  std::map<Names, double> scores_;
  Names best_;
  double best_score_ = 0;
  bool has_best_ = false;
};

}  // namespace

void keep_together(const Model& model, FixPlan& plan) {
  plan.most_alone = 0;
  const std::set<std::string> candidates(plan.candidates.begin(), plan.candidates.end());
  for (const Node& node : model.graph->nodes()) {
    std::set<std::string> names;
    collect_neighbours(node, true, names);
    collect_neighbours(node, false, names);
    std::vector<std::string>& together = plan.companions[std::string(name_in_lists(node))];
    std::ranges::set_intersection(names, candidates, std::back_inserter(together));
  }
}

bool is_of_halves(const FixPlan& plan) {
  return std::ranges::any_of(plan.quantize.precisions, [](const Precision* precision) {
    return precision->making == Making::half;
  });
}

Result<std::vector<std::string>> quantized_nodes(const FixPlan& plan) {
  HONE_TRY(const Model model, load_model(plan.quantize.model));
  const QuantizeSettings& settings = plan.quantize.settings;
  const auto is_taken = [&](const Node& node) {
    if (!is_of_halves(plan)) return is_selected(node, settings);
    const bool is_wanted = settings.include.empty() || is_meant(node, settings.include);
    return is_wanted && !node.is("Constant") && !is_meant(node, settings.exclude);
  };
  std::vector<std::string> names;
  for (const Node& node : model.graph->nodes()) {
    if (!is_taken(node)) continue;
    names.emplace_back(name_in_lists(node));
  }
  return names;
}

Result<FixResult> find_fix(const FixPlan& plan) { return FixSearch(plan).run(); }

Result<Session> open_scored(const std::shared_ptr<Runtime>& runtime, const Path& file,
                            const ScoredRun& how) {
  if (!how.rounds_halves) return Session::open(runtime, file, how.settings);
  HONE_TRY(Model model, load_model(file));
  HONE_TRY_DO(round_halves(model));
  SessionSettings settings;
  settings.options = {{"graph_optimization_level", "disable"}};
  return Session::open_model(runtime, model, settings);
}

Result<Score> score_by_sqnr(const std::shared_ptr<Runtime>& runtime, const Path& float_model,
                            std::vector<Sample> samples, const ScoredRun& how) {
  HONE_TRY(const Model model, load_model(float_model));
  HONE_TRY(std::vector<NamedTensors> expected, run_samples(runtime, model, samples, {}));
  return Score([runtime, how, samples = std::move(samples),
                expected = std::move(expected)](const Path& file) -> Result<double> {
    HONE_TRY(const Session session, open_scored(runtime, file, how));
    std::vector<NamedTensors> seen;
    for (const Sample& sample : samples) {
      HONE_TRY(NamedTensors made, session.run(sample));
      seen.push_back(std::move(made));
    }
    double least = exact_db;
    for (const OutputDifference& output : compare_outputs(expected, seen))
      least = std::min(least, output.sqnr_db.value_or(exact_db));
    return least;
  });
}

Status write_fix(const Path& file, const std::vector<std::string>& float_nodes) {
  Json::Array names;
  for (const std::string& name : float_nodes) names.emplace_back(name);
  const Json document = Json::object().set("float_nodes", Json(std::move(names)));
  return write_file(file, document.dump() + "\n");
}

}  // namespace hone
