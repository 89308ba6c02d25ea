#include "pipeline/fix.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/hash.h"
#include "transform/quantize/selection.h"
#include "transform/verify.h"

namespace hone {
namespace {

using Names = std::set<std::string>;

constexpr double exact_db = 200;  // of an output that is the same

std::vector<std::string> list_of(const Names& names) { return {names.begin(), names.end()}; }

class FixSearch {
 public:
  explicit FixSearch(const FixPlan& plan) : plan_(plan) {}

  Result<FixResult> run() {
    result_.score_name = plan_.score_name;
    result_.target = plan_.target;
    result_.nodes_quantized = plan_.candidates.size();
    HONE_TRY_DO(load_journal());
    HONE_TRY(result_.before, score_of({}));
    if (result_.before < plan_.target) {
      HONE_TRY(const std::vector<std::string> ranked, rank());
      HONE_TRY_DO(grow(ranked));
      if (best_score_ >= plan_.target) HONE_TRY_DO(shrink(ranked));
    }
    result_.after = best_score_;
    result_.is_reached = best_score_ >= plan_.target;
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
    result_.trials_known = journal_.trials.size();
    return done();
  }

  // Everything that decides a score.
  Result<std::string> key() const {
    Sha256 hash;
    HONE_TRY(const Blob model, map_file(plan_.quantize.model));
    hash.add_field(sha256(model.view()).view());
    const QuantizeRequest& request = plan_.quantize;
    for (const Precision* precision : request.precisions) hash.add_field(precision->name);
    hash.add_field(request.settings.preset.name);
    hash.add_field(name_of(request.settings.method));
    hash.add_number(request.settings.per_channel ? 1 : 0);
    hash.add_number(request.settings.symmetric ? 1 : 0);
    for (const std::string& word : request.settings.exclude) hash.add_field(word);
    hash.add_field(request.calibration_data.string());
    hash.add_number(request.samples.value_or(0));
    hash.add_number(request.seed);
    hash.add_field(plan_.score_name);
    return hash.finish().hex();
  }

  Result<double> score_of(const Names& float_nodes) {
    const auto known = scores_.find(float_nodes);
    if (known != scores_.end()) {
      remember(float_nodes, known->second);
      return known->second;
    }
    QuantizeRequest request = plan_.quantize;
    request.output = plan_.folder / "tried.onnx";
    request.overwrite = true;
    request.verifies = false;
    request.calibration_cache = plan_.folder / "calibration";
    for (const std::string& name : float_nodes) request.settings.exclude.push_back(name);
    const auto made = quantize_file(request, plan_.tools);
    if (!made) {
      // With all of them in float there is nothing to quantize: that is no solution.
      const bool leaves_nothing = !float_nodes.empty() && made.error().fault == Fault::bad_input;
      if (leaves_nothing) return -std::numeric_limits<double>::infinity();
      return fail(made.error());
    }
    HONE_TRY(const double score, plan_.score(request.output));
    ++result_.trials;
    scores_.emplace(float_nodes, score);
    journal_.trials.push_back({list_of(float_nodes), score});
    if (!plan_.journal.empty()) {
      HONE_TRY_DO(
          write_file(plan_.journal, to_document(journal_, fix_schema_version).dump(-1) + "\n"));
    }
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

  // Candidates by what each does alone, all others in float: noise adds up, so the worst alone is
  // the worst among others. (Each alone in float says little where everything else is broken.)
  // Those that were not tried stand behind them, as they came.
  Result<std::vector<std::string>> rank() {
    const std::size_t alone = std::min(plan_.candidates.size(), plan_.most_alone);
    const Names all(plan_.candidates.begin(), plan_.candidates.end());
    std::vector<std::pair<double, std::string>> alone_scores;
    for (std::size_t i = 0; i < alone; ++i) {
      plan_.progress("each node alone, " + std::to_string(i + 1) + " of " + std::to_string(alone));
      Names others = all;
      others.erase(plan_.candidates[i]);
      HONE_TRY(const double score, score_of(others));
      const bool is_nothing = score == -std::numeric_limits<double>::infinity();
      alone_scores.emplace_back(is_nothing ? std::numeric_limits<double>::infinity() : score,
                                plan_.candidates[i]);
    }
    std::ranges::stable_sort(alone_scores, {}, &std::pair<double, std::string>::first);
    std::vector<std::string> ranked;
    for (auto& [score, name] : alone_scores) ranked.push_back(std::move(name));
    ranked.insert(ranked.end(), plan_.candidates.begin() + static_cast<std::ptrdiff_t>(alone),
                  plan_.candidates.end());
    return ranked;
  }

  Result<double> score_of_first(const std::vector<std::string>& ranked, std::size_t count) {
    plan_.progress("the best " + std::to_string(count) + " nodes in float");
    return score_of({ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count)});
  }

  // Twice as many each time, then the fewest that do.
  Status grow(const std::vector<std::string>& ranked) {
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

  const FixPlan& plan_;
  FixResult result_;
  FixJournal journal_;
  std::map<Names, double> scores_;
  Names best_;
  double best_score_ = 0;
  bool has_best_ = false;
};

}  // namespace

Result<std::vector<std::string>> quantized_nodes(const FixPlan& plan) {
  HONE_TRY(const Model model, load_model(plan.quantize.model));
  std::vector<std::string> names;
  for (const Node& node : model.graph->nodes()) {
    if (!is_selected(node, plan.quantize.settings)) continue;
    names.emplace_back(name_in_lists(node));
  }
  return names;
}

Result<FixResult> find_fix(const FixPlan& plan) { return FixSearch(plan).run(); }

Result<Score> score_by_sqnr(const std::shared_ptr<Runtime>& runtime, const Path& float_model,
                            std::vector<Sample> samples) {
  HONE_TRY(const Model model, load_model(float_model));
  HONE_TRY(std::vector<NamedTensors> expected, run_samples(runtime, model, samples, {}));
  return Score([runtime, samples = std::move(samples),
                expected = std::move(expected)](const Path& file) -> Result<double> {
    HONE_TRY(const Model quantized, load_model(file));
    HONE_TRY(const std::vector<NamedTensors> seen, run_samples(runtime, quantized, samples, {}));
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
