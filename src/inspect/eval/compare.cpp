#include "inspect/eval/compare.h"

#include "base/text.h"
#include "inspect/eval/intervals.h"
#include "inspect/eval/similarity.h"

namespace hone {
namespace {

// What one output was like, sample by sample.
class OutputHistory {
 public:
  explicit OutputHistory(std::string output) { result_.output = std::move(output); }
  const std::string& output() const { return result_.output; }

  void add(const TensorPtr& reference, const TensorPtr& other) {
    ++result_.samples;
    note_change(reference);
    const std::optional<Similarity> seen = compare_tensors(*reference, *other);
    if (!seen) {
      ++result_.not_comparable;
      if (!result_.why_not) result_.why_not = why_not_comparable(*reference, *other);
      return;
    }
    if (seen->identical) ++result_.identical;
    if (seen->sqnr_db) sqnr_db_.push_back(*seen->sqnr_db);
    if (seen->psnr_db) psnr_db_.push_back(*seen->psnr_db);
    cosine_.push_back(seen->cosine);
    max_abs_.push_back(seen->max_abs);
    if (seen->top1_agreement) agreement_.push_back(*seen->top1_agreement);
  }

  OutputComparison finish(std::uint64_t seed) const {
    OutputComparison result = result_;
    result.sqnr_db = estimate(sqnr_db_, seed);
    result.psnr_db = estimate(psnr_db_, seed);
    result.cosine = estimate(cosine_, seed);
    result.max_abs = estimate(max_abs_, seed);
    result.top1_agreement = estimate_share(agreement_, seed);
    if (result.samples > 1 && !changes_) result.constant = true;
    return result;
  }

 private:
  using Values = std::vector<double>;

  // That two models agree on what no input moves shows nothing of either.
  void note_change(const TensorPtr& reference) {
    if (changes_) return;
    if (first_ == nullptr) {
      first_ = reference;
    } else {
      changes_ = !is_same_but_for_rounding(*first_, *reference);
    }
  }

  static std::optional<Estimate> estimate(const Values& values, std::uint64_t seed) {
    if (values.empty()) return std::nullopt;
    return bootstrap_interval(values, seed);
  }
  // One decision per sample is a yes or no; several are a share of their own.
  static std::optional<Estimate> estimate_share(const Values& values, std::uint64_t seed) {
    if (values.empty()) return std::nullopt;
    std::uint64_t hits = 0;
    for (const double value : values) {
      if (value != 0 && value != 1) return bootstrap_interval(values, seed);
      hits += value == 1 ? 1 : 0;
    }
    return wilson_interval(hits, values.size());
  }

  OutputComparison result_;
  TensorPtr first_;  // the reference's answer to the first sample
  bool changes_ = false;
  Values sqnr_db_;
  Values psnr_db_;
  Values cosine_;
  Values max_abs_;
  Values agreement_;
};

Result<std::vector<OutputHistory>> common_outputs(const Session& model, const Session& reference,
                                                  std::vector<std::string>& notes) {
  std::vector<OutputHistory> histories;
  std::vector<std::string> left_out;
  for (const Port& port : reference.outputs()) {
    const auto is_same = [&](const Port& other) { return other.name == port.name; };
    if (std::ranges::any_of(model.outputs(), is_same)) {
      histories.emplace_back(port.name);
    } else {
      left_out.push_back(port.name);
    }
  }
  if (histories.empty()) {
    return fail(Fault::bad_input, "the two models have no output of the same name",
                "the reference has: " + join(left_out, ", "));
  }
  for (const std::string& name : left_out)
    notes.push_back("the model has no output '" + name + "' of the reference");
  return histories;
}

}  // namespace

Status compare_sessions(const Session& model, const Session& reference, SampleStream& samples,
                        std::uint64_t seed, const ByteProgress& progress, CompareReport& report) {
  HONE_TRY(std::vector<OutputHistory> histories, common_outputs(model, reference, report.notes));
  while (true) {
    HONE_TRY(const std::optional<Sample> sample, samples.next());
    if (!sample) break;
    HONE_TRY(const NamedTensors expected, reference.run(*sample));
    HONE_TRY(const NamedTensors actual, model.run(*sample));
    for (OutputHistory& history : histories)
      history.add(expected.at(history.output()), actual.at(history.output()));
    ++report.samples;
    if (progress) progress(report.samples, 0);
  }
  for (const OutputHistory& history : histories) report.outputs.push_back(history.finish(seed));
  if (report.samples < 2)
    report.notes.emplace_back("one sample says nothing about others: its intervals have no width");
  return done();
}

}  // namespace hone
