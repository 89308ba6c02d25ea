#include "inspect/eval/sound_inputs.h"

#include <cmath>

#include "base/text.h"
#include "inspect/eval/token_inputs.h"
#include "inspect/eval/wav.h"
#include "inspect/run/sound_input.h"
#include "model/elements.h"

namespace hone {
namespace {

// Of every published model of speech that takes samples.
constexpr double rate = 16000;

// As wav2vec2's feature extractor has it: mean 0, variance 1.
std::vector<double> normalized(std::vector<double> samples) {
  const auto count = static_cast<double>(samples.size());
  double mean = 0;
  for (const double sample : samples) mean += sample / count;
  double variance = 0;
  for (const double sample : samples) variance += (sample - mean) * (sample - mean) / count;
  const double deviation = std::sqrt(variance + 1e-7);
  for (double& sample : samples) sample = (sample - mean) / deviation;
  return samples;
}

TensorPtr row_tensor(const Port& port, const std::vector<double>& numbers) {
  std::string bytes(*bytes_of(port.type.element, numbers.size()), '\0');
  encode_elements(port.type.element, numbers, bytes.data());
  return make_tensor(port.name, port.type.element, {1, static_cast<std::int64_t>(numbers.size())},
                     Blob::own(std::move(bytes)));
}

bool is_row(const Port& port) {
  return port.type.is_tensor() && port.type.shape && port.type.shape->size() == 2;
}

Failure takes_no_sound(const Port& port) {
  return fail(
      Fault::unsupported,
      "the input '" + printable(port.name) + "' takes no samples of sound: " + to_string(port.type),
      {},
      "[1, samples] of floats is filled, and an attention_mask; "
      "or what preprocessor_config.json beside the model says");
}

}  // namespace

Result<SoundInputs> SoundInputs::open(const EncoderSettings& settings) {
  SoundInputs made;
  made.folder_ = settings.folder;
  bool has_input = false;
  made.processor_ = settings.processor;
  for (const Port& port : settings.inputs) {
    const bool is_made = made.processor_ && takes_processed_sound(port.type, *made.processor_);
    if (!is_made && !is_row(port)) return takes_no_sound(port);
    if (has_input && port.name != sound_mask_name) return takes_no_sound(port);
    if (port.name == sound_mask_name) {
      made.mask_ = port;
      continue;
    }
    made.input_ = port;
    has_input = true;
    const Dim& length = (*port.type.shape)[1];
    if (is_row(port) && length.value) made.length_ = static_cast<std::size_t>(*length.value);
  }
  return made;
}

Result<Sample> SoundInputs::encode(const Json& row, std::string_view column) const {
  HONE_TRY(const std::string name, text_in(row, column));
  Sample made;
  if (processor_) {
    HONE_TRY(ProcessedSound sound,
             process_sound(folder_ / name, input_, *processor_, processor_->sound()->rate));
    made[input_.name] = std::move(sound.sound);
    if (mask_ && sound.mask == nullptr)
      return fail(Fault::unsupported,
                  "the processor makes no attention_mask, and the model asks for one");
    if (mask_) made[mask_->name] = std::move(sound.mask);
    return made;
  }
  HONE_TRY(const std::string bytes, read_file(folder_ / name, std::uint64_t{1} << 30));
  HONE_TRY(const Sound sound, read_wav(bytes));
  if (sound.samples.empty())
    return fail(Fault::bad_input, "'" + printable(name) +
                                      "' is silent: "
                                      "it has no samples");
  std::vector<double> samples = normalized(resample(sound, rate).samples);
  std::vector<double> mask(samples.size(), 1);
  if (length_) {
    samples.resize(*length_, 0);
    mask.resize(*length_, 0);
  }
  made[input_.name] = row_tensor(input_, samples);
  if (mask_) made[mask_->name] = row_tensor(*mask_, mask);
  return made;
}

std::map<std::string, std::string> SoundInputs::described() const {
  if (processor_) return {{"sound", processor_->describe()}};
  return {{"sound", "one channel at 16000 Hz, mean 0, variance 1"}};
}

}  // namespace hone
