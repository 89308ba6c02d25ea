// The audio spectrogram transformer: Kaldi's filter banks, shifted and scaled.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "processor/processor.h"
#include "processor/spectrum.h"

namespace hone::processors {
namespace {

// Kaldi's, in samples: 25 ms every 10 ms at 16 kHz.
constexpr std::size_t frame_length = 400;
constexpr std::size_t step = 160;
constexpr std::size_t transform_length = 512;
constexpr double lowest_hertz = 20;
constexpr double emphasis = 0.97;
// The least difference between floats, of which there is a logarithm.
constexpr double smallest = 1.192092955078125e-07;

struct Banks {
  std::size_t filters = 128;
  std::size_t frames = 1024;
  bool is_normalized = true;
  double mean = 0;
  double deviation = 1;
  double rate = 16'000;
};

// Without its mean, each sample less 0.97 of the one before it, in Hann's window.
void shape_frame(const double* from, const std::vector<double>& window,
                 std::vector<double>& frame) {
  const double mean = std::accumulate(from, from + frame_length, 0.0) / frame_length;
  double before = from[0] - mean;
  for (std::size_t i = 0; i < frame_length; ++i) {
    const double sample = from[i] - mean;
    frame[i] = (sample - emphasis * before) * window[i];
    before = sample;
  }
}

Result<PreparedSound> prepare_ast(const Banks& banks, std::span<const double> samples) {
  if (samples.size() < frame_length) {
    return fail(Fault::bad_input,
                "the sound has " + std::to_string(samples.size()) + " samples, and a frame has " +
                    std::to_string(frame_length),
                {}, "give a longer one");
  }
  const std::size_t there = 1 + (samples.size() - frame_length) / step;
  const MelFilters filters = kaldi_filters(banks.filters, transform_length / 2 + 1, banks.rate,
                                           lowest_hertz, std::floor(banks.rate / 2));
  const std::vector<double> window = hann_window(frame_length, false);
  std::vector<double> all(samples.size());
  std::ranges::transform(samples, all.begin(), [](double sample) {
    return static_cast<double>(static_cast<float>(sample));
  });
  std::vector<double> frame(transform_length);
  std::vector<double> power;
  std::vector<double> bins(banks.filters);
  Fourier fourier(transform_length);
  PreparedSound made;
  made.dims = {static_cast<std::int64_t>(banks.frames), static_cast<std::int64_t>(banks.filters)};
  made.values.resize(banks.frames * banks.filters);
  for (std::size_t i = 0; i < std::min(there, banks.frames); ++i) {
    shape_frame(all.data() + i * step, window, frame);
    fourier.power(frame, power);
    apply(filters, power, smallest, bins.data());
    std::ranges::transform(bins,
                           made.values.begin() + static_cast<std::ptrdiff_t>(i * banks.filters),
                           [](double bin) { return static_cast<float>(std::log(bin)); });
  }
  if (banks.is_normalized) {
    const auto mean = static_cast<float>(banks.mean);
    const auto twice = static_cast<float>(banks.deviation * 2);
    for (float& value : made.values) value = (value - mean) / twice;
  }
  if (there > banks.frames)
    made.note = "the first " + std::to_string(banks.frames) + " of " + std::to_string(there) +
                " frames, the others are left out";
  return made;
}

Result<SoundPlan> read_ast(Settings& settings) {
  SoundPlan plan;
  HONE_TRY_DO(read_sound(settings, plan));
  Banks banks{.rate = plan.rate};
  constexpr double most = 1e6;
  HONE_TRY_DO(settings.whole("feature_size", 1, 1));
  HONE_TRY(banks.filters, settings.whole("num_mel_bins", 1, 1024));
  HONE_TRY(banks.frames, settings.whole("max_length", 1, most_sound_values / 1024));
  HONE_TRY(banks.is_normalized, settings.flag("do_normalize"));
  HONE_TRY(banks.mean, settings.number("mean", -most, most));
  HONE_TRY(banks.deviation, settings.number("std", -most, most));
  if (static_cast<float>(banks.deviation * 2) == 0.0F)
    return settings.refuse("std", "values are divided by it");
  HONE_TRY_DO(settings.flag("return_attention_mask"));
  settings.pass("padding_value");
  // Frames are counted in samples, and Kaldi's in milliseconds: at another rate versions differ.
  if (plan.rate != 16'000)
    return settings.refuse("sampling_rate", "frames of 25 ms are known for 16000 alone");
  plan.words = "filter banks of " + std::to_string(banks.filters) + " bins, " +
               std::to_string(banks.frames) + " frames" +
               (banks.is_normalized ? ", mean and std" : "");
  plan.prepare = [banks](std::span<const double> samples, std::optional<std::size_t>) {
    return prepare_ast(banks, samples);
  };
  return plan;
}

}  // namespace

ProcessorKind ast() {
  return {.name = "ASTFeatureExtractor",
          .summary = "Kaldi's filter banks",
          .models = {"audio-spectrogram-transformer"},
          .defaults = R"({"feature_size": 1, "sampling_rate": 16000, "num_mel_bins": 128,
            "max_length": 1024, "padding_value": 0.0, "padding_side": "right",
            "do_normalize": true, "mean": -4.2677393, "std": 4.5689974,
            "return_attention_mask": false})",
          .sound = read_ast};
}

}  // namespace hone::processors
