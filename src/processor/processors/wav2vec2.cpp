// Wav2Vec2, HuBERT and their kin: the samples themselves, with a mean of 0 and a variance of 1.

#include <cmath>
#include <numeric>

#include "processor/processor.h"

namespace hone::processors {
namespace {

struct Wave {
  bool is_normalized = true;
  bool has_mask = false;
  float padding = 0;
};

void level(std::span<float> samples) {
  const auto count = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  double variance = 0;
  for (const float sample : samples) variance += (sample - mean) * (sample - mean);
  const double deviation = std::sqrt(variance / count + 1e-7);
  for (float& sample : samples) sample = static_cast<float>((sample - mean) / deviation);
}

// Where the kind has a mask, what fills up does not count; where it has none, it does.
Result<PreparedSound> prepare_wav2vec2(const Wave& wave, std::span<const double> samples,
                                       std::optional<std::size_t> length) {
  const std::size_t count = length.value_or(samples.size());
  if (samples.size() > count) {
    return fail(Fault::bad_input,
                "the sound has " + std::to_string(samples.size()) +
                    " samples, and the model takes " + std::to_string(count),
                "cutting it would change what its mean is", "give a shorter one");
  }
  PreparedSound made;
  made.dims = {static_cast<std::int64_t>(count)};
  made.values.assign(samples.begin(), samples.end());
  if (wave.has_mask) made.mask.assign(samples.size(), 1);
  if (wave.has_mask && wave.is_normalized) level(made.values);
  made.values.resize(count, wave.padding);
  if (wave.has_mask) made.mask.resize(count, 0);
  if (!wave.has_mask && wave.is_normalized) level(made.values);
  return made;
}

Result<SoundPlan> read_wav2vec2(Settings& settings) {
  SoundPlan plan;
  HONE_TRY_DO(read_sound(settings, plan));
  Wave wave;
  HONE_TRY_DO(settings.whole("feature_size", 1, 1));
  HONE_TRY(wave.is_normalized, settings.flag("do_normalize"));
  HONE_TRY(wave.has_mask, settings.flag("return_attention_mask"));
  HONE_TRY(const double padding, settings.number("padding_value", -1e6, 1e6));
  wave.padding = static_cast<float>(padding);
  plan.is_waveform = true;
  plan.words = wave.is_normalized ? "samples of mean 0 and variance 1" : "samples as they are";
  plan.prepare = [wave](std::span<const double> samples, std::optional<std::size_t> length) {
    return prepare_wav2vec2(wave, samples, length);
  };
  return plan;
}

}  // namespace

ProcessorKind wav2vec2() {
  return {.name = "Wav2Vec2FeatureExtractor",
          .summary = "samples of mean 0 and variance 1; a mask",
          .models = {"wav2vec2", "hubert", "data2vec-audio", "moonshine", "sew", "sew-d",
                     "unispeech", "unispeech-sat", "wav2vec2-conformer", "wavlm"},
          .defaults = R"({"feature_size": 1, "sampling_rate": 16000, "padding_value": 0.0,
            "padding_side": "right", "return_attention_mask": false, "do_normalize": true})",
          .sound = read_wav2vec2};
}

}  // namespace hone::processors
