#include "transform/quantize/verify.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "model/elements.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

// Signal and noise of one output, over all samples.
struct Power {
  double signal = 0;
  double noise = 0;
  double largest_signal = 0;
  double largest_error = 0;
  std::size_t compared = 0;        // numbers
  std::size_t other_integers = 0;  // of an output that is no signal

  // Random inputs turn a close choice over; where most are turned, nothing is left of them.
  bool most_are_others() const { return 2 * other_integers > compared; }
};

// Ops whose results lie in a range by definition, by its width.
struct Bounded {
  std::string_view op;
  double width;
};
constexpr auto bounded_ops =
    std::to_array<Bounded>({{"Sigmoid", 1}, {"HardSigmoid", 1}, {"Softmax", 1}, {"Tanh", 2}});
constexpr auto moving_ops = std::to_array<std::string_view>(
    {"Identity", "Cast", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice",
     "Gather", "Resize", "Clip"});

// The width of the range a value has by definition; nothing where it has none.
std::optional<double> width_of(const Value* value) {
  while (value != nullptr && value->producer() != nullptr) {
    const Node& node = *value->producer();
    const auto bounded = std::ranges::find(bounded_ops, node.op_type, &Bounded::op);
    if (bounded != bounded_ops.end()) return bounded->width;
    if (std::ranges::count(moving_ops, node.op_type) == 0) return std::nullopt;
    value = node.input(0);
  }
  return std::nullopt;
}

std::string type_of(const Tensor& tensor) {
  Shape shape(tensor.dims.size());
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i].value = tensor.dims[i];
  return to_string(Type::tensor(tensor.type, std::move(shape)));
}

// Whether numbers are a signal, and not names of things: pictures and sound are of 8 or 16 bits,
// classes and places are of 32 and more.
bool is_signal(ElementType type) {
  constexpr auto narrow = std::to_array(
      {ElementType::uint8, ElementType::int8, ElementType::uint16, ElementType::int16});
  return is_float(type) || std::ranges::count(narrow, type) > 0;
}

std::optional<std::vector<double>> numbers_of(const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  if (!bytes) return std::nullopt;
  std::vector<double> numbers(tensor.element_count());
  decode_elements(tensor.type, *bytes, numbers);
  return numbers;
}

// What the quantized model makes that is not numbers of the same shape: " is ..."; else empty.
std::string compare(const Tensor& expected, const Tensor& actual, Power& power) {
  if (actual.dims != expected.dims || actual.type != expected.type)
    return " is " + type_of(actual) + " instead of " + type_of(expected);
  if (!is_signal(expected.type)) {
    const auto wanted = to_ints(expected);
    const auto seen = to_ints(actual);
    if (!wanted || !seen) return {};
    power.compared += wanted->size();
    for (std::size_t i = 0; i < wanted->size(); ++i)
      power.other_integers += (*wanted)[i] != (*seen)[i] ? 1 : 0;
    return {};
  }
  const auto wanted = numbers_of(expected);
  const auto seen = numbers_of(actual);
  if (!wanted || !seen) return " cannot be read";
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    const double signal = (*wanted)[i];
    if (!std::isfinite(signal)) continue;
    const double error = (*seen)[i] - signal;
    if (!std::isfinite(error)) return " is not finite where the original is";
    ++power.compared;
    power.signal += signal * signal;
    power.noise += error * error;
    power.largest_signal = std::max(power.largest_signal, std::abs(signal));
    power.largest_error = std::max(power.largest_error, std::abs(error));
  }
  return {};
}

// Why what was seen says nothing about what is kept of an output; empty where it does. An output
// that a definition keeps in a range is seen from an 8-bit step of that range on.
std::string why_not_judged(const Power& power, std::optional<double> width) {
  constexpr double steps = 255;
  if (power.compared == 0) return "the samples leave no numbers in it to compare";
  if (power.most_are_others()) return {};
  if (power.other_integers > 0)
    return "it is of integers, of which " + format_count(power.other_integers) + " of " +
           format_count(power.compared) + " differ";
  const bool is_exact = power.noise == 0 && (power.signal > 0 || !width);
  if (is_exact) return {};
  if (width && std::max(power.largest_signal, power.largest_error) < *width / steps)
    return "the samples keep it below an 8-bit step of its range";
  return power.signal == 0 ? "the samples leave it at zero" : "";
}

OutputError error_of(const std::string& name, const Power& power, std::optional<double> width) {
  OutputError error;
  error.output = name;
  error.max_abs_error = power.largest_error;
  const std::string reason = why_not_judged(power, width);
  error.judged = reason.empty();
  if (!error.judged) error.not_judged_because = reason;
  // Answers that are others are noise, and all of them are the signal.
  if (power.most_are_others())
    error.sqnr_db = 10 * std::log10(static_cast<double>(power.compared) /
                                    static_cast<double>(power.other_integers));
  // No noise or no signal: there is no ratio of the two.
  if (power.noise > 0 && power.signal > 0)
    error.sqnr_db = 10 * std::log10(power.signal / power.noise);
  return error;
}

class Verifier {
 public:
  Verifier(std::shared_ptr<Runtime> runtime, const Path& original)
      : runtime_(std::move(runtime)), original_(original) {}

  // The float model's outputs; a session is opened for the first sample that is not known.
  Result<NamedTensors> expected(const Sample& sample) {
    if (!session_) {
      SessionSettings settings;
      settings.options = {{"graph_optimization_level", "disable"},
                          {"session.disable_prepacking", "1"}};
      HONE_TRY(const Model model, load_model(original_));
      HONE_TRY(Session session, Session::open_model(runtime_, model, settings));
      session_ = std::make_unique<Session>(std::move(session));
    }
    auto outputs = session_->run(sample);
    if (outputs) return outputs;
    return fail(Fault::bad_input, "the model itself does not run on the samples",
                outputs.error().cause,
                "--calibration-data with samples it takes, or --shape-config for open dimensions");
  }

  bool compare_all(const NamedTensors& wanted, const NamedTensors& seen, std::string& reason) {
    for (const auto& [name, tensor] : wanted) {
      const auto found = seen.find(name);
      const std::string wrong =
          found == seen.end() ? " is missing" : compare(*tensor, *found->second, powers_[name]);
      if (wrong.empty()) continue;
      reason = "the output '" + name + "'" + wrong;
      return false;
    }
    return true;
  }

  Result<std::vector<OutputError>> errors() const {
    HONE_TRY(const Model model, load_model(original_));
    std::vector<OutputError> errors;
    for (const auto& [name, power] : powers_) {
      errors.push_back(error_of(name, power, width_of(model.graph->find(name))));
    }
    return errors;
  }

 private:
  std::shared_ptr<Runtime> runtime_;
  const Path& original_;
  std::unique_ptr<Session> session_;
  std::map<std::string, Power> powers_;
};

}  // namespace

Result<QuantizedCheck> check_quantized(const std::shared_ptr<Runtime>& runtime,
                                       const Path& quantized, const Path& original,
                                       SampleStream& samples,
                                       const std::map<std::size_t, NamedTensors>& known,
                                       std::size_t most) {
  QuantizedCheck verification;
  const auto session = Session::open(runtime, quantized, {});
  if (!session) {
    verification.reason = "it does not load: " + session.error().cause;
    return verification;
  }
  Verifier verifier(runtime, original);
  samples.rewind();
  for (std::size_t index = 0; index < most; ++index) {
    HONE_TRY(const std::optional<Sample> sample, samples.next());
    if (!sample) break;
    // The float model first: what it does not run on says nothing about the quantized one.
    const auto before = known.find(index);
    NamedTensors wanted;
    if (before != known.end()) {
      wanted = before->second;
    } else {
      HONE_TRY(wanted, verifier.expected(*sample));
    }
    const auto start = Clock::now();
    const auto seen = session->run(*sample);
    verification.in_run += Clock::now() - start;
    if (!seen) {
      verification.reason = "it does not run: " + seen.error().cause;
      return verification;
    }
    if (!verifier.compare_all(wanted, *seen, verification.reason)) return verification;
    ++verification.samples;
  }
  HONE_TRY(verification.outputs, verifier.errors());
  verification.holds = true;
  return verification;
}

}  // namespace hone
