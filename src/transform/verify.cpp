#include "transform/verify.h"

#include <algorithm>
#include <cmath>

#include "model/elements.h"
#include "runtime/session.h"

namespace hone {
namespace {

const OptionMap unoptimized = {{"graph_optimization_level", "disable"}};

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
  static std::vector<double> numbers_of(const Tensor& tensor) {
    std::vector<double> numbers(tensor.element_count());
    if (const auto bytes = tensor.bytes()) decode_elements(tensor.type, *bytes, numbers);
    return numbers;
  }

  // Not a number on both sides is agreement; on one side it is as far apart as can be.
  static double distance(double a, double b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    const double difference = std::abs(a - b);
    return std::isfinite(difference) ? difference : std::numeric_limits<double>::max();
  }

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

// How often its own noise a model may differ, and the most that passes for noise at all.
constexpr double noises_allowed = 4;
constexpr double most_noise = 1e-2;

using Outputs = std::vector<NamedTensors>;

bool holds(const OutputDifference& difference, Numerics promise, double tolerance) {
  if (difference.is_equal) return true;
  return promise != Numerics::bitwise && difference.relative && *difference.relative <= tolerance;
}

bool all_hold(const Verification& verification, const Outputs& expected, Numerics promise) {
  const double noise = std::min(noises_allowed * verification.noise.value_or(0), most_noise);
  return std::ranges::all_of(verification.outputs, [&](const OutputDifference& difference) {
    const ElementType type = expected.front().at(difference.output)->type;
    return holds(difference, promise, std::max(tolerance_of(promise, type), noise));
  });
}

// The largest difference that ONNX Runtime's own optimizers make.
Result<double> noise_of(const std::shared_ptr<Runtime>& runtime, const Model& model,
                        const std::vector<Sample>& samples, const Outputs& unoptimized_outputs) {
  HONE_TRY(const Outputs optimized, run_samples(runtime, model, samples, {}));
  double largest = 0;
  for (const OutputDifference& difference : compare_outputs(unoptimized_outputs, optimized))
    largest = std::max(largest, difference.relative.value_or(0));
  return largest;
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
  return promise == Numerics::close ? close : 100 * close;
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
  if (!source.data.empty()) return load_samples(source.data, inputs);
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

Result<Verification> verify(const std::shared_ptr<Runtime>& runtime, const Model& before,
                            const Model& after, const std::vector<Sample>& samples,
                            Numerics promise) {
  HONE_TRY(const auto expected, run_samples(runtime, before, samples, unoptimized));
  HONE_TRY(const auto actual, run_samples(runtime, after, samples, unoptimized));
  Verification verification;
  verification.promise = name_of(promise);
  verification.samples = samples.size();
  verification.outputs = compare_outputs(expected, actual);
  if (promise != Numerics::bitwise) {
    verification.tolerance = tolerance_of(promise, ElementType::float32);
  }
  verification.holds = expected.empty() || expected.front().size() == actual.front().size();
  if (!verification.holds || all_hold(verification, expected, promise)) return verification;
  if (promise != Numerics::bitwise) {
    HONE_TRY(verification.noise, noise_of(runtime, before, samples, expected));
  }
  verification.holds = all_hold(verification, expected, promise);
  return verification;
}

}  // namespace hone
