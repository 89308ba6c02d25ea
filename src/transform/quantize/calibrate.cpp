#include "transform/quantize/calibrate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/hash.h"
#include "model/fingerprint.h"
#include "transform/quantize/taps.h"
#include "transform/quantize/tensors.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

SessionSettings float_settings() {
  SessionSettings settings;
  // What is measured are the tensors of the model as it is written, and each session runs only a
  // few samples: neither fusing nor repacking weights would pay.
  settings.options = {{"graph_optimization_level", "disable"}, {"session.disable_prepacking", "1"}};
  return settings;
}

SeenHalf& half_of(SeenTensor& tensor, std::size_t sample) {
  return sample % 2 == 0 ? tensor.first : tensor.second;
}

// All that was seen, in both halves.
SeenHalf united(const SeenTensor& tensor) {
  if (tensor.first.samples == 0) return tensor.second;
  if (tensor.second.samples == 0) return tensor.first;
  SeenHalf all = tensor.first;
  all.samples += tensor.second.samples;
  all.low = std::min(all.low, tensor.second.low);
  all.high = std::max(all.high, tensor.second.high);
  all.least_magnitude = std::min(all.least_magnitude, tensor.second.least_magnitude);
  for (std::size_t i = 0; i < std::min(all.counts.size(), tensor.second.counts.size()); ++i)
    all.counts[i] += tensor.second.counts[i];
  return all;
}

// The bounds a tensor's histogram has, from its extremes; nothing where all numbers are one.
std::optional<RealRange> histogram_bounds(const SeenTensor& tensor, Counting counts) {
  const SeenHalf all = united(tensor);
  const float most = std::max(std::abs(all.low), std::abs(all.high));
  const RealRange bounds{counts == Counting::magnitudes ? all.least_magnitude : -most, most};
  return bounds.low < bounds.high ? std::optional(bounds) : std::nullopt;
}

// The one number of a tap's output, which leaves the outputs; nothing when the tensor was empty.
Result<std::optional<double>> take_number(NamedTensors& outputs, const std::string& name) {
  const auto node = outputs.extract(name);
  HONE_CHECK(!node.empty());
  const Tensor& output = *node.mapped();
  if (output.element_count() == 0) return std::optional<double>();
  if (output.type == ElementType::int64) {
    HONE_TRY(const std::vector<std::int64_t> whole, to_ints(output));
    return std::optional(static_cast<double>(whole.front()));
  }
  HONE_TRY(const std::vector<double> numbers, to_doubles(output));
  return std::optional(numbers.front());
}

void see(SeenHalf& half, RealRange range, float least_magnitude) {
  const bool is_first = half.samples++ == 0;
  half.low = is_first ? range.low : std::min(half.low, range.low);
  half.high = is_first ? range.high : std::max(half.high, range.high);
  half.least_magnitude =
      is_first ? least_magnitude : std::min(half.least_magnitude, least_magnitude);
}

Failure not_finite(const std::string& tensor, std::size_t sample) {
  return fail(Fault::bad_input,
              "the tensor '" + tensor + "' holds NaN or infinity for sample " +
                  std::to_string(sample) + ", which no scale represents",
              {}, "leave the nodes around it in float: --exclude NODE");
}

// A file may hold anything: what is taken from it has to fit the work at hand.
bool is_sound(const CalibrationState& state, const CalibrationPlan& plan) {
  const auto fits = [&](const SeenHalf& half) {
    return std::isfinite(half.low) && std::isfinite(half.high) && half.low <= half.high &&
           std::isfinite(half.least_magnitude) &&
           (half.counts.empty() || half.counts.size() == plan.bins);
  };
  return (state.pass == 0 || state.total > 0) &&
         std::ranges::all_of(state.tensors, [&](const auto& entry) {
           return fits(entry.second.first) && fits(entry.second.second);
         });
}

// As many tensors together as the budget holds. REQUIRES: their extremes are known, and with them
// their sizes.
std::vector<std::vector<std::string>> chunks_of(const std::map<std::string, SeenTensor>& tensors,
                                                const CalibrationPlan& plan) {
  std::vector<std::vector<std::string>> chunks;
  if (plan.method.counts == Counting::nothing) return chunks;
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::uint64_t own = tensor.most_elements * sizeof(float);
    if (!histogram_bounds(tensor, plan.method.counts)) continue;
    if (chunks.empty() || bytes + own > plan.tap_bytes) {
      chunks.emplace_back();
      bytes = 0;
    }
    chunks.back().push_back(name);
    bytes += own;
  }
  return chunks;
}

// One for the extremes, and one for each chunk of histograms.
std::uint64_t passes_for(const std::map<std::string, SeenTensor>& tensors,
                         const CalibrationPlan& plan) {
  return 1 + chunks_of(tensors, plan).size();
}

bool is_complete(const CalibrationState& state, const CalibrationPlan& plan) {
  return state.pass > 0 && state.pass >= passes_for(state.tensors, plan);
}

// Whether the state is one of these tensors, somewhere in the middle.
bool is_midway(const CalibrationState& state, const std::vector<std::string>& tensors) {
  return state.tensors.size() == tensors.size() &&
         std::ranges::all_of(
             tensors, [&](const std::string& tensor) { return state.tensors.contains(tensor); });
}

class Calibrator {
 public:
  Calibrator(std::shared_ptr<Runtime> runtime, const Model& model, SampleStream& samples,
             const CalibrationPlan& plan, CalibrationFile& file,
             const CalibrationProgress& progress)
      : runtime_(std::move(runtime)),
        model_(model),
        samples_(samples),
        plan_(plan),
        file_(file),
        progress_(progress) {
    state_.key = calibration_key(model, samples, plan);
    CalibrationState kept = file.load(state_.key);
    if (!is_sound(kept, plan)) return;
    if (is_complete(kept, plan)) {
      state_.total = kept.total;
      known_ = std::move(kept.tensors);
    } else if (is_midway(kept, plan.tensors)) {
      state_ = std::move(kept);
    }
  }

  // What the file knows already is not measured again, and what it did not know is added to it.
  Result<Calibration> run() {
    std::ranges::copy_if(plan_.tensors, std::back_inserter(missing_),
                         [&](const std::string& tensor) { return !known_.contains(tensor); });
    if (!missing_.empty()) {
      if (state_.pass == 0) HONE_TRY_DO(find_extremes());
      HONE_TRY_DO(fill_histograms());
      state_.tensors.merge(known_);
      state_.pass = passes_for(state_.tensors, plan_);
      HONE_TRY_DO(file_.save(state_));
    } else {
      state_.tensors = std::move(known_);
    }
    return conclude();
  }

 private:
  using Look = std::function<Status(std::size_t sample, const Binding& binding)>;

  Status run_pass(const Model& tapped, const Look& look);
  Status find_extremes();
  Status see_extremes(const ExtremeTap& tap, std::size_t sample, NamedTensors& outputs);
  void keep_outputs(std::size_t sample, NamedTensors outputs);
  Status fill_histograms();
  Status fill_chunk(const std::vector<std::string>& tensors);
  Status count(SeenTensor& tensor, std::size_t sample, const Tensor& output) const;
  Result<Calibration> conclude();
  RealRange range_of(const SeenHalf& seen, const SeenTensor& tensor) const;

  std::shared_ptr<Runtime> runtime_;
  const Model& model_;
  SampleStream& samples_;
  const CalibrationPlan& plan_;
  CalibrationFile& file_;
  const CalibrationProgress& progress_;
  std::map<std::string, SeenTensor> known_;  // of all samples
  std::vector<std::string> missing_;
  CalibrationState state_;  // of those
  std::uint64_t passes_ = 1;
  std::uint64_t kept_bytes_ = 0;
  Calibration result_;
};

// Runs the samples this pass has not seen yet.
Status Calibrator::run_pass(const Model& tapped, const Look& look) {
  HONE_TRY(const Session session, Session::open_model(runtime_, tapped, float_settings()));
  samples_.rewind();
  for (std::size_t index = 0;; ++index) {
    HONE_TRY(const std::optional<Sample> sample, samples_.next());
    if (!sample) break;
    if (index < state_.samples) continue;
    HONE_TRY(const Binding binding, session.bind(*sample));
    const auto start = Clock::now();
    HONE_TRY_DO(binding.run());
    result_.in_run += Clock::now() - start;
    HONE_TRY_DO(look(index, binding));
    state_.samples = index + 1;
    // A state in the middle would take the place of what is known.
    if (known_.empty()) HONE_TRY_DO(file_.save_every(plan_.between_saves, state_));
    if (progress_) progress_(state_.pass * state_.total + state_.samples, passes_ * state_.total);
  }
  if (state_.samples == 0) return fail(Fault::bad_input, "there is no sample to calibrate with");
  state_.total = state_.samples;
  state_.samples = 0;
  ++state_.pass;
  return done();
}

Status Calibrator::find_extremes() {
  HONE_TRY(const ExtremeTaps tapped,
           tap_extremes(model_, missing_, plan_.method.counts == Counting::magnitudes));
  return run_pass(tapped.model, [&](std::size_t sample, const Binding& binding) -> Status {
    HONE_TRY(NamedTensors outputs, binding.outputs());
    for (const ExtremeTap& tap : tapped.taps) HONE_TRY_DO(see_extremes(tap, sample, outputs));
    keep_outputs(sample, std::move(outputs));
    return done();
  });
}

Status Calibrator::see_extremes(const ExtremeTap& tap, std::size_t sample, NamedTensors& outputs) {
  HONE_TRY(const std::optional<double> low, take_number(outputs, tap.low));
  HONE_TRY(const std::optional<double> high, take_number(outputs, tap.high));
  HONE_TRY(const std::optional<double> elements, take_number(outputs, tap.elements));
  std::optional<double> magnitude;
  if (!tap.least_magnitude.empty()) {
    HONE_TRY(magnitude, take_number(outputs, tap.least_magnitude));
  }
  SeenTensor& tensor = state_.tensors[tap.tensor];
  if (elements.value_or(0) == 0 || !low || !high) return done();
  if (!std::isfinite(*low) || !std::isfinite(*high)) return not_finite(tap.tensor, sample);
  tensor.most_elements = std::max(tensor.most_elements, static_cast<std::uint64_t>(*elements));
  see(half_of(tensor, sample), {static_cast<float>(*low), static_cast<float>(*high)},
      static_cast<float>(magnitude.value_or(0)));
  return done();
}

void Calibrator::keep_outputs(std::size_t sample, NamedTensors outputs) {
  for (const auto& [name, tensor] : outputs) kept_bytes_ += tensor->byte_size();
  if (kept_bytes_ <= plan_.output_bytes) result_.outputs.emplace(sample, std::move(outputs));
}

Status Calibrator::fill_histograms() {
  const std::vector<std::vector<std::string>> all = chunks_of(state_.tensors, plan_);
  passes_ = 1 + all.size();
  while (state_.pass < passes_) HONE_TRY_DO(fill_chunk(all[state_.pass - 1]));
  return done();
}

Status Calibrator::fill_chunk(const std::vector<std::string>& tensors) {
  HONE_TRY(const ValueTaps tapped, tap_values(model_, tensors));
  std::map<std::string, std::string> tensor_of;  // by output
  for (const ValueTap& tap : tapped.taps) tensor_of.emplace(tap.output, tap.tensor);
  return run_pass(tapped.model, [&](std::size_t sample, const Binding& binding) {
    return binding.visit_outputs([&](const Tensor& output) {
      const auto found = tensor_of.find(output.name);
      return found != tensor_of.end() ? count(state_.tensors.at(found->second), sample, output)
                                      : done();
    });
  });
}

Status Calibrator::count(SeenTensor& tensor, std::size_t sample, const Tensor& output) const {
  Histogram histogram(*histogram_bounds(tensor, plan_.method.counts), plan_.bins);
  SeenHalf& half = half_of(tensor, sample);
  if (!half.counts.empty()) histogram.set_counts(std::move(half.counts));
  HONE_TRY_DO(for_each_float(output, [&](std::span<const float> numbers) {
    if (plan_.method.counts == Counting::magnitudes) {
      histogram.add_magnitudes(numbers);
    } else {
      histogram.add(numbers);
    }
  }));
  half.counts = histogram.counts();
  return done();
}

// What the method makes of what was seen, with the histogram that belongs to the tensor.
RealRange Calibrator::range_of(const SeenHalf& seen, const SeenTensor& tensor) const {
  const RealRange extremes{seen.low, seen.high};
  const auto bounds = histogram_bounds(tensor, plan_.method.counts);
  if (plan_.method.range == nullptr || !bounds || seen.counts.empty()) return extremes;
  Histogram histogram(*bounds, plan_.bins);
  histogram.set_counts(seen.counts);
  return plan_.method.range(histogram, extremes, plan_.settings);
}

// Zero belongs to every quantized range.
double width_of(RealRange range) {
  return std::max(static_cast<double>(range.high), 0.0) -
         std::min(static_cast<double>(range.low), 0.0);
}

Result<Calibration> Calibrator::conclude() {
  result_.samples = state_.total;
  for (const std::string& name : plan_.tensors) {
    const SeenTensor& tensor = state_.tensors.at(name);
    MeasuredTensor measured;
    measured.range = range_of(united(tensor), tensor);
    if (tensor.first.samples > 0 && tensor.second.samples > 0) {
      const double all = width_of(measured.range);
      const double least = std::min(width_of(range_of(tensor.first, tensor)),
                                    width_of(range_of(tensor.second, tensor)));
      measured.movement = all > 0 ? std::max(0.0, 1 - least / all) : 0.0;
    }
    result_.tensors.emplace(name, measured);
  }
  return std::move(result_);
}

}  // namespace

std::string calibration_key(const Model& model, const SampleStream& samples,
                            const CalibrationPlan& plan) {
  Sha256 hash;
  hash.add_field(structure_fingerprint(model).view());
  // Weights are told by their files: hashing them would take longer than a sample.
  std::set<std::string> files = {model.source.string()};
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    if (tensor->external)
      files.insert((model.source.parent_path() / tensor->external->location).string());
  });
  for (const std::string& file : files) hash.add_field(stamp_of_file(file));
  hash.add_field(samples.identity());
  hash.add_field(plan.method.name);
  hash.add_number(plan.method.counts == Counting::nothing ? 0 : plan.bins);
  return hash.finish().hex();
}

Result<Calibration> calibrate(const std::shared_ptr<Runtime>& runtime, const Model& model,
                              SampleStream& samples, const CalibrationPlan& plan,
                              CalibrationFile& file, const CalibrationProgress& progress) {
  return Calibrator(runtime, model, samples, plan, file, progress).run();
}

}  // namespace hone
