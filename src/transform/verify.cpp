#include "transform/verify.h"

#include <algorithm>
#include <cmath>

#include "model/elements.h"
#include "runtime/session.h"
#include "transform/half_casts.h"
#include "transform/last_bits.h"
#include "transform/step_noise.h"

namespace hone {
namespace {

const OptionMap unoptimized = {{"graph_optimization_level", "disable"}};

std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> numbers(tensor.element_count());
  if (const auto bytes = tensor.bytes()) decode_elements(tensor.type, *bytes, numbers);
  return numbers;
}

// Not a number on both sides is agreement; on one side it is as far apart as can be.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double difference = std::abs(a - b);
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::max();
}

// The difference of one output, grown sample by sample.
class Difference {
 public:
  explicit Difference(std::string name) { result_.output = std::move(name); }

  void add(const Tensor& reference, const Tensor& other) {
    is_comparable_ = is_comparable_ && reference.type == other.type &&
                     reference.dims == other.dims && holds_numbers(reference.type);
    is_equal_ = is_equal_ && reference.type == other.type && reference.dims == other.dims &&
                reference.strings == other.strings && reference.bytes() && other.bytes() &&
                *reference.bytes() == *other.bytes();
    if (is_comparable_) add_numbers(numbers_of(reference), numbers_of(other));
  }

  OutputDifference finish() {
    result_.is_equal = is_equal_;
    if (!is_comparable_) return std::move(result_);
    result_.max_abs = largest_difference_;
    const double scale = std::max(largest_, 1e-30);
    result_.relative = is_equal_ ? 0 : largest_difference_ / scale;
    if (noise_ > 0) result_.sqnr_db = 10 * std::log10(std::max(signal_, 1e-300) / noise_);
    return std::move(result_);
  }

 private:
  void add_numbers(const std::vector<double>& reference, const std::vector<double>& other) {
    for (std::size_t i = 0; i < reference.size(); ++i) {
      const double apart = distance(reference[i], other[i]);
      largest_difference_ = std::max(largest_difference_, apart);
      if (std::isfinite(reference[i])) largest_ = std::max(largest_, std::abs(reference[i]));
      if (std::isfinite(reference[i])) signal_ += reference[i] * reference[i];
      noise_ = std::min(noise_ + apart * apart, std::numeric_limits<double>::max());
    }
  }

  OutputDifference result_;
  bool is_equal_ = true;
  bool is_comparable_ = true;
  double largest_difference_ = 0;
  double largest_ = 0;
  double signal_ = 0;
  double noise_ = 0;
};

// How much noisier than the source a model may be, and what is left of a signal that can tell: a
// model that computes something else has noise as large as the signal. On four networks whose
// rounding is beyond the tolerance, another order of rounding left 0 to 4 dB more of it than
// flipped last bits.
constexpr double margin_db = 6;
constexpr double least_own_db = 20;
constexpr double most_db = 200;
constexpr std::uint64_t runs_with_noise = 2;

using Outputs = std::vector<NamedTensors>;

// Of one output on each sample; beyond a float's where they are equal, far below zero where they
// cannot be compared.
std::vector<double> sqnr_by_sample(const std::string& output, const Outputs& reference,
                                   const Outputs& other) {
  std::vector<double> found;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const Tensor& expected = *reference[i].at(output);
    const auto there = other[i].find(output);
    const bool is_alike = there != other[i].end() && there->second->type == expected.type &&
                          there->second->dims == expected.dims;
    if (!is_alike) {
      found.push_back(-most_db);
      continue;
    }
    const std::vector<double> numbers = numbers_of(expected);
    const std::vector<double> others = numbers_of(*there->second);
    double signal = 0;
    double noise = 0;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const double apart = distance(numbers[k], others[k]);
      if (std::isfinite(numbers[k])) signal += numbers[k] * numbers[k];
      noise = std::min(noise + apart * apart, std::numeric_limits<double>::max());
    }
    const double ratio = 10 * std::log10(std::max(signal, 1e-300) / std::max(noise, 1e-300));
    found.push_back(noise == 0 ? most_db : std::clamp(ratio, -most_db, most_db));
  }
  return found;
}

bool holds(const OutputDifference& difference, double tolerance) {
  return difference.is_equal || (difference.relative && *difference.relative <= tolerance);
}

}  // namespace

std::string_view name_of(Numerics numerics) {
  switch (numerics) {
    case Numerics::bitwise:
      return "bitwise";
    case Numerics::close:
      return "close";
    case Numerics::relaxed:
      return "relaxed";
  }
  return "close";
}

double tolerance_of(Numerics promise, ElementType type) {
  if (promise == Numerics::bitwise) return 0;
  const bool is_half = type == ElementType::float16 || type == ElementType::bfloat16;
  const double close = is_half ? 1e-2 : 1e-4;
  return promise == Numerics::close ? close : std::min(100 * close, 1e-1);
}

Result<std::vector<NamedTensors>> run_samples(const std::shared_ptr<Runtime>& runtime,
                                              const Model& model,
                                              const std::vector<Sample>& samples,
                                              const OptionMap& session_options) {
  SessionSettings settings;
  settings.options = session_options;
  HONE_TRY(const Session session, Session::open_model(runtime, model, settings));
  std::vector<NamedTensors> outputs;
  for (const Sample& sample : samples) {
    HONE_TRY(NamedTensors made, session.run(sample));
    outputs.push_back(std::move(made));
  }
  return outputs;
}

Result<std::vector<Sample>> samples_for(const Model& model, const SampleSource& source) {
  const std::vector<Port> inputs = input_ports(model);
  if (!source.data.empty()) {
    HONE_TRY(LoadedSamples loaded, load_samples(source.data, inputs));
    return std::move(loaded.samples);
  }
  HONE_TRY(const ShapeRules rules, parse_shape_rules(source.shape_config));
  HONE_TRY(GeneratedSamples made,
           generate_samples(inputs, rules, read_input_facts(model), source.seed, source.count));
  return std::move(made.samples);
}

std::vector<OutputDifference> compare_outputs(const std::vector<NamedTensors>& reference,
                                              const std::vector<NamedTensors>& other) {
  std::vector<OutputDifference> found;
  if (reference.empty()) return found;
  for (const auto& [name, unused] : reference.front()) {
    Difference difference(name);
    for (std::size_t i = 0; i < reference.size(); ++i) {
      const auto there = other[i].find(name);
      if (there == other[i].end()) continue;
      difference.add(*reference[i].at(name), *there->second);
    }
    found.push_back(difference.finish());
  }
  return found;
}

Result<OutputJudge> OutputJudge::create(const std::shared_ptr<Runtime>& runtime,
                                        const Model& source, const std::vector<Sample>& samples) {
  OutputJudge judge(runtime, source, samples);
  judge.has_half_ = uses_half(source);
  HONE_TRY(judge.expected_, run_samples(runtime, source, samples, unoptimized));
  return judge;
}

Status OutputJudge::add_noise_of(const Model& model, const std::vector<Sample>& samples,
                                 double down_to_db) {
  HONE_TRY(const Outputs outputs, run_samples(runtime_, model, samples, unoptimized));
  for (const auto& [name, unused] : expected_.front()) {
    const std::vector<double> seen = sqnr_by_sample(name, expected_, outputs);
    std::vector<double>& own = own_sqnr_db_.try_emplace(name, seen).first->second;
    for (std::size_t i = 0; i < own.size(); ++i)
      own[i] = std::min(own[i], std::max(seen[i], down_to_db));
  }
  return done();
}

// Steps loosen the bound, but do not say that a sample tells nothing: how many of them rounding
// moves is a guess, and last bits are not.
Status OutputJudge::measure_noise() {
  for (std::uint64_t seed = 0; seed < runs_with_noise; ++seed) {
    HONE_TRY(const Model flipped, with_last_bits_flipped(source_, seed));
    std::vector<Sample> samples;
    for (const Sample& sample : samples_) {
      HONE_TRY(Sample other, with_last_bits_flipped(sample, seed));
      samples.push_back(std::move(other));
    }
    HONE_TRY_DO(add_noise_of(flipped, samples, -most_db));
    const std::optional<Model> noisy = with_noise_before_steps(source_, seed);
    if (noisy) HONE_TRY_DO(add_noise_of(*noisy, samples_, least_own_db));
  }
  return done();
}

// By the sample that comes nearest to its bound, or goes farthest beyond.
Status OutputJudge::judge_by_noise(const Outputs& outputs, OutputDifference& difference,
                                   Verification& verification) {
  if (own_sqnr_db_.empty()) HONE_TRY_DO(measure_noise());
  verification.margin_db = margin_db;
  verification.least_own_db = least_own_db;
  const std::vector<double> seen = sqnr_by_sample(difference.output, expected_, outputs);
  const std::vector<double>& own = own_sqnr_db_.at(difference.output);
  difference.own_sqnr_db = std::ranges::max(own);
  difference.judged = 0;
  std::optional<double> least_room;  // to the bound
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (own[i] < least_own_db) continue;
    ++*difference.judged;
    const double room = seen[i] - (own[i] - margin_db);
    if (least_room && room >= *least_room) continue;
    least_room = room;
    difference.own_sqnr_db = own[i];
    difference.sqnr_db = seen[i];
  }
  verification.is_undecided = verification.is_undecided || !least_room;
  verification.holds = verification.holds && least_room && *least_room >= 0;
  return done();
}

Result<Verification> OutputJudge::judge(const Outputs& outputs, Numerics promise) {
  Verification verification;
  verification.promise = name_of(promise);
  verification.samples = samples_.size();
  verification.holds = true;
  if (expected_.empty()) return verification;
  verification.holds = expected_.front().size() == outputs.front().size();
  const bool is_bitwise = promise == Numerics::bitwise;
  const ElementType half = ElementType::float16;
  if (!is_bitwise) {
    verification.tolerance = tolerance_of(promise, has_half_ ? half : ElementType::float32);
  }
  for (OutputDifference& difference : compare_outputs(expected_, outputs)) {
    const Tensor& sample = *expected_.front().at(difference.output);
    const double tolerance = tolerance_of(promise, has_half_ ? half : sample.type);
    if (!holds(difference, tolerance)) {
      if (is_bitwise || !holds_numbers(sample.type)) {
        verification.holds = false;
      } else {
        HONE_TRY_DO(judge_by_noise(outputs, difference, verification));
      }
    }
    verification.outputs.push_back(std::move(difference));
  }
  return verification;
}

Result<Verification> verify(const std::shared_ptr<Runtime>& runtime, const Model& before,
                            const Model& after, const std::vector<Sample>& samples,
                            Numerics promise) {
  HONE_TRY(OutputJudge judge, OutputJudge::create(runtime, before, samples));
  HONE_TRY(const Outputs outputs, run_samples(runtime, after, samples, unoptimized));
  return judge.judge(outputs, promise);
}

Error why_not_taken(const Verification& verification) {
  if (verification.is_undecided) {
    return {Fault::runtime, "it cannot be told whether the optimized model computes the same", "",
            "--input-data FILE compares on real inputs"};
  }
  return {Fault::runtime, "the optimized model computes something else", "",
          "`hone optimize --bisect` finds the optimizer"};
}

}  // namespace hone
