// Whisper: the logarithm of the power of mel frequencies, of 30 seconds.

#include <algorithm>
#include <cmath>

#include "processor/processor.h"
#include "processor/spectrum.h"

namespace hone::processors {
namespace {

constexpr double highest_hertz = 8000;

struct Frames {
  std::size_t filters = 80;
  std::size_t length = 400;  // of a transform
  std::size_t hop = 160;
  std::size_t samples = 480'000;  // that are looked at
  float padding = 0;
  double rate = 16'000;

  std::size_t count() const { return samples / hop; }
};

// Half a frame before the first and behind the last sample is what stands on the other side of it.
std::vector<double> reflected(std::span<const double> samples, const Frames& frames) {
  const std::size_t half = frames.length / 2;
  std::vector<double> padded(frames.samples + 2 * half, static_cast<double>(frames.padding));
  const std::size_t count = std::min(samples.size(), frames.samples);
  for (std::size_t i = 0; i < count; ++i) padded[half + i] = static_cast<float>(samples[i]);
  for (std::size_t i = 1; i <= half; ++i) {
    padded[half - i] = padded[half + i];
    padded[half + frames.samples - 1 + i] = padded[half + frames.samples - 1 - i];
  }
  return padded;
}

// Frame by frame, all filters of it.
std::vector<double> powers(const std::vector<double>& padded, const Frames& frames) {
  const MelFilters filters =
      slaney_filters(frames.filters, frames.length / 2 + 1, frames.rate, highest_hertz);
  const std::vector<double> window = hann_window(frames.length, true);
  constexpr double least = 1e-10;
  std::vector<double> made(frames.count() * frames.filters, least);
  std::vector<double> windowed(frames.length);
  std::vector<double> power;
  Fourier fourier(frames.length);
  for (std::size_t frame = 0; frame < frames.count(); ++frame) {
    const double* from = padded.data() + frame * frames.hop;
    // Most of a short sound's 30 seconds is silence that was added.
    if (std::all_of(from, from + frames.length, [](double sample) { return sample == 0; }))
      continue;
    for (std::size_t i = 0; i < frames.length; ++i) windowed[i] = from[i] * window[i];
    fourier.power(windowed, power);
    apply(filters, power, least, made.data() + frame * frames.filters);
  }
  return made;
}

PreparedSound prepare_whisper(const Frames& frames, std::span<const double> samples) {
  const std::vector<double> made = powers(reflected(samples, frames), frames);
  PreparedSound sound;
  sound.dims = {static_cast<std::int64_t>(frames.filters),
                static_cast<std::int64_t>(frames.count())};
  sound.values.resize(made.size());
  for (std::size_t frame = 0; frame < frames.count(); ++frame) {
    for (std::size_t filter = 0; filter < frames.filters; ++filter) {
      sound.values[filter * frames.count() + frame] =
          static_cast<float>(std::log10(made[frame * frames.filters + filter]));
    }
  }
  const float floor = *std::ranges::max_element(sound.values) - 8.0F;
  for (float& value : sound.values) value = (std::max(value, floor) + 4.0F) / 4.0F;
  if (samples.size() > frames.samples)
    sound.note = "the first " + std::to_string(frames.samples) +
                 " samples, what is behind them is "
                 "left out";
  return sound;
}

Status check_frames(const Frames& frames, const Settings& settings) {
  // A transform of a prime length is slow, and a hop of 1 makes as many of them as there are
  // samples.
  constexpr std::size_t most_steps = std::size_t{1} << 31;
  if (frames.samples / frames.hop == 0 || frames.samples <= frames.length)
    return settings.refuse("chunk_length", "it is shorter than a frame");
  const std::size_t steps = frames.count() * frames.length * largest_factor(frames.length);
  if (frames.count() * frames.filters > most_sound_values || steps > most_steps)
    return settings.refuse("hop_length", "there would be too many frames");
  return done();
}

Result<SoundPlan> read_whisper(Settings& settings) {
  SoundPlan plan;
  HONE_TRY_DO(read_sound(settings, plan));
  Frames frames{.rate = plan.rate};
  constexpr std::size_t most_seconds = 3600;
  HONE_TRY(frames.filters, settings.whole("feature_size", 1, 1024));
  HONE_TRY(frames.length, settings.whole("n_fft", 2, 8192));
  HONE_TRY(frames.hop, settings.whole("hop_length", 1, 1 << 20));
  HONE_TRY(const std::size_t seconds, settings.whole("chunk_length", 1, most_seconds));
  HONE_TRY_DO(settings.whole("sampling_rate", 1, static_cast<std::size_t>(most_rate)));
  HONE_TRY_DO(settings.number("dither", 0, 0));
  HONE_TRY(const double padding, settings.number("padding_value", -1, 1));
  HONE_TRY_DO(settings.flag("return_attention_mask"));
  // These follow from the others, and transformers does not read them either.
  for (const auto key : {"mel_filters", "n_samples", "nb_max_frames"}) settings.pass(key);
  frames.padding = static_cast<float>(padding);
  frames.samples = seconds * static_cast<std::size_t>(plan.rate);
  HONE_TRY_DO(check_frames(frames, settings));
  plan.words = "log-mel of " + std::to_string(frames.filters) + " bins, " +
               std::to_string(seconds) + " s, " + std::to_string(frames.count()) + " frames";
  plan.prepare = [frames](std::span<const double> samples,
                          std::optional<std::size_t>) -> Result<PreparedSound> {
    return prepare_whisper(frames, samples);
  };
  return plan;
}

}  // namespace

ProcessorKind whisper() {
  return {.name = "WhisperFeatureExtractor",
          .summary = "log-mel of 30 seconds",
          .models = {"whisper"},
          .defaults = R"({"feature_size": 80, "sampling_rate": 16000, "hop_length": 160,
            "chunk_length": 30, "n_fft": 400, "padding_value": 0.0, "padding_side": "right",
            "dither": 0.0, "return_attention_mask": false})",
          .sound = read_whisper};
}

}  // namespace hone::processors
