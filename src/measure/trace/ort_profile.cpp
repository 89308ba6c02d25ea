#include "measure/trace/ort_profile.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "kinds/ep.h"
#include "measure/trace/ort_nesting.h"
#include "measure/trace/samples.h"

namespace hone {
namespace {

// Where ONNX Runtime stops to record, unless it was built otherwise.
constexpr std::int64_t recorded_events = 1'000'000;
// Operators times runs: what we are willing to hold.
constexpr std::size_t most_samples = 50'000'000;
constexpr std::string_view unknown_provider = "unknown";

// An operator's executions, gathered over all runs.
struct Gathered {
  std::uint32_t op = 0;
  std::uint32_t parent_op = NestedPiece::none;
  std::vector<std::pair<std::uint32_t, double>> samples{};  // run and time; a run may come again
  std::vector<double> starts{};                             // in the runs it was in
};

class Gatherer {
 public:
  void add(std::uint32_t run, double run_start, const NestedPiece& nested) {
    const std::pair key{nested.piece.op, nested.parent_op};
    const auto [place, is_new] = places_.try_emplace(key, gathered_.size());
    if (is_new) gathered_.push_back({.op = key.first, .parent_op = key.second});
    Gathered& one = gathered_[place->second];
    const bool is_first_in_run = one.samples.empty() || one.samples.back().first != run;
    if (is_first_in_run) one.starts.push_back(nested.piece.start_us - run_start);
    one.samples.emplace_back(run, nested.own_us);
  }

  const std::vector<Gathered>& all() const { return gathered_; }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places_;
  std::vector<Gathered> gathered_;
};

struct RunTimes {
  std::vector<double> durations;
  std::vector<double> gaps;
  std::int64_t side_by_side = 0;  // runs that were shorter than their operators together
};

TraceOperator make_operator(const Gathered& gathered, const OrtRuns& runs,
                            const NodeTypes& node_types) {
  const OrtOperator& facts = runs.operators[gathered.op];
  const bool has_parent = gathered.parent_op != NestedPiece::none;
  TraceOperator op;
  name_operator(op, {facts.name, facts.op_type, TokenSuffix::is_the_models}, node_types);
  std::string provider = facts.provider;
  if (has_parent) {
    const OrtOperator& parent = runs.operators[gathered.parent_op];
    op.parent = parent.name;
    if (provider.empty()) provider = parent.provider;
  }
  if (!provider.empty()) op.provider = provider;
  op.node_index = facts.node_index;
  op.samples_us.resize(runs.runs.size());
  for (const auto& [run, us] : gathered.samples) op.samples_us[run] += us;
  op.calls = static_cast<double>(gathered.samples.size()) / static_cast<double>(runs.runs.size());
  op.traced_start_us = median_of(gathered.starts);
  op.duration_us = median_of(op.samples_us);
  return op;
}

// Whether all of them are over when their call returns: the profiler times calls.
bool are_operator_times(const std::map<std::string, double>& providers) {
  return std::ranges::all_of(providers, [](const auto& provider) {
    const Ep* ep = find_ep(provider.first);
    return provider.first == unknown_provider || (ep != nullptr && ep->is_synchronous);
  });
}

// Accounted time and gaps are those of a typical run: a pause of the machine, which falls into
// another operator each time, is in neither.
void fill_summary(OpTrace& trace, const RunTimes& times) {
  TraceSummary& summary = trace.summary;
  const double run_us = median_of(times.durations);
  summary.accounted_us = accounted_in(trace);
  summary.gaps_us = median_of(times.gaps);
  summary.total_us = summary.accounted_us + *summary.gaps_us;
  if (2 * times.side_by_side > std::ssize(times.durations)) {
    summary.total_us = run_us;
    trace.notes.emplace_back(
        "operators ran side by side: all of them together take longer than a run");
  }
  summary.untraced_share = *summary.total_us > 0 ? *summary.gaps_us / *summary.total_us : 0;
  summary.traced_total_us = summary.total_us;
  summary.interrupted_us = std::max(0.0, run_us - *summary.total_us);
  for (const TraceOperator& op : trace.operators) {
    summary.provider_us[op.provider.value_or(std::string(unknown_provider))] += op.duration_us;
  }
  if (!are_operator_times(summary.provider_us)) trace.metadata.times = TraceTimes::host;
  const auto most = std::ranges::max_element(summary.provider_us, {},
                                             [](const auto& provider) { return provider.second; });
  trace.metadata.ep = most->first;
}

class OrtTrace {
 public:
  explicit OrtTrace(const TraceOptions& options) : options_(options) {
    trace_.metadata.source = TraceSource::ort_profile;
    trace_.metadata.tracing_backend = "onnxruntime";
    trace_.metadata.statistic = TraceStatistic::median;
  }

  OpTrace read(std::span<const std::string_view> profiles) {
    OrtRuns runs = read_runs(profiles, options_.warmup);
    trace_.metadata.unreadable = runs.unreadable;
    if (!runs.problem.empty()) return broken(runs.problem);
    if (runs.found == 0 && runs.events == 0 && runs.unreadable > 0) {
      return broken("none of its " + std::to_string(runs.unreadable) + " events can be read");
    }
    if (runs.found == 0) return none("the profile holds no run of the model");
    if (options_.inferences && runs.found != *options_.inferences) return broken(wrong_count(runs));
    if (runs.runs.empty()) {
      return none("all runs of the profile are warm-up: " + std::to_string(runs.found));
    }
    gather(runs);
    if (gatherer_.all().empty()) return none("the measured runs of the profile hold no operator");
    if (gatherer_.all().size() > most_samples / runs.runs.size()) {
      return broken("too many operators times runs: " + std::to_string(gatherer_.all().size()) +
                    " x " + std::to_string(runs.runs.size()));
    }
    return finish(runs);
  }

 private:
  OpTrace none(std::string reason) {
    return no_trace(std::move(trace_), TraceStatus::no_data, std::move(reason));
  }
  OpTrace broken(std::string reason) {
    return no_trace(std::move(trace_), TraceStatus::parse_failed, std::move(reason));
  }

  std::string wrong_count(const OrtRuns& runs) const {
    return "expected " + std::to_string(*options_.inferences) + " runs (" +
           std::to_string(options_.warmup) + " of them warm-up), found " +
           std::to_string(runs.found);
  }

  void gather(OrtRuns& runs) {
    for (std::uint32_t i = 0; i < runs.runs.size(); ++i) {
      OrtRun& run = runs.runs[i];
      double covered = 0;
      for (const NestedPiece& nested : nest(std::move(run.pieces), runs.operators)) {
        covered += nested.own_us;
        gatherer_.add(i, run.start_us, nested);
      }
      times_.durations.push_back(run.duration_us);
      times_.gaps.push_back(std::max(0.0, run.duration_us - covered));
      if (covered > run.duration_us) ++times_.side_by_side;
    }
  }

  OpTrace finish(const OrtRuns& runs) {
    for (const Gathered& gathered : gatherer_.all()) {
      trace_.operators.push_back(make_operator(gathered, runs, options_.node_types));
    }
    fill_shares(trace_);
    sort_operators(trace_);
    fill_summary(trace_, times_);
    trace_.metadata.num_samples = std::ssize(runs.runs);
    trace_.metadata.warmup_excluded = runs.found - std::ssize(runs.runs);
    add_notes(runs);
    trace_.status = TraceStatus::ok;
    return std::move(trace_);
  }

  void add_notes(const OrtRuns& runs) {
    if (runs.has_no_windows) {
      trace_.notes.emplace_back(
          "the profile does not say where a run begins and ends: all of it is taken as one");
    }
    if (runs.events >= recorded_events) {
      trace_.notes.emplace_back("the profile is full (1,000,000 events): later runs are missing");
    }
    if (runs.is_cut)
      trace_.notes.emplace_back("the profile has more events than are read: 4,000,000");
  }

  const TraceOptions& options_;
  OpTrace trace_;
  Gatherer gatherer_;
  RunTimes times_;
};

}  // namespace

OpTrace parse_ort_profiles(std::span<const std::string_view> profiles,
                           const TraceOptions& options) {
  return OrtTrace(options).read(profiles);
}

}  // namespace hone
