#include "inspect/run/sound_input.h"

#include <algorithm>
#include <span>

#include "base/counted.h"
#include "base/text.h"
#include "inspect/eval/wav.h"
#include "inspect/run/fit_array.h"
#include "model/elements.h"
#include "runtime/samples.h"

namespace hone {
namespace {

// Some two hours at 16 kHz: more is a rate that a file only claims.
constexpr std::size_t most_samples = std::size_t{1} << 27;
// As many runs as an .npz has room for.
constexpr std::size_t most_pieces = 65'535;

std::string hertz(double rate) { return std::to_string(static_cast<std::int64_t>(rate)) + " Hz"; }

Result<Sound> read_sound(const Path& file, std::optional<double> rate) {
  HONE_TRY(const std::string bytes, read_file(file));
  auto sound = read_wav(bytes);
  if (!sound) {
    return fail(Fault::bad_input, "'" + file.string() + "' is no sound that can be read",
                sound.error().cause, "WAV files of PCM or floats are");
  }
  if (sound->samples.empty())
    return fail(Fault::bad_input, "'" + file.string() + "' holds no sound");
  if (!rate || *rate == sound->rate) return sound;
  if (static_cast<double>(sound->samples.size()) / sound->rate * *rate >
      static_cast<double>(most_samples)) {
    return fail(Fault::bad_input, "'" + file.string() + "' would be too long at " + hertz(*rate),
                counted(sound->samples.size(), "sample") + " at " + hertz(sound->rate));
  }
  return resample(*sound, *rate);
}

TensorPtr make_piece(std::span<const double> samples, std::size_t length, const Port& input) {
  std::vector<double> numbers(samples.begin(), samples.end());
  numbers.resize(length, 0.0);
  if (input.type.element == ElementType::int16)
    for (double& number : numbers) number *= 0x1p15;
  std::vector<std::int64_t> dims(input.type.shape->size(), 1);
  dims.back() = static_cast<std::int64_t>(length);
  std::string bytes(*bytes_of(input.type.element, length), '\0');
  encode_elements(input.type.element, numbers, bytes.data());
  return make_tensor(input.name, input.type.element, std::move(dims), Blob::own(std::move(bytes)));
}

std::string describe_rate(const Sound& sound, std::optional<double> rate) {
  const std::string mixed =
      sound.channels > 1 ? ", the mean of " + counted(sound.channels, "channel") : "";
  if (rate) return hertz(sound.rate) + mixed;
  return hertz(sound.rate) + " as in the file" + mixed + "; --sample-rate takes another";
}

}  // namespace

bool takes_sound(const Type& type) {
  const bool is_taken =
      type.element == ElementType::int16 || (is_float(type.element) && holds_numbers(type.element));
  if (!type.is_tensor() || !is_taken || !type.shape || type.shape->empty()) return false;
  const auto is_one = [](const Dim& dim) { return dim.value.value_or(1) == 1; };
  return std::all_of(type.shape->begin(), type.shape->end() - 1, is_one) &&
         type.shape->back().value.value_or(1) > 0;
}

Result<SoundPieces> load_sound(const Path& file, const Port& input, std::optional<double> rate) {
  if (!takes_sound(input.type)) {
    return fail(Fault::unsupported, does_not_take(input, file.string()),
                "it takes " + to_string(input.type) + ", and a sound is float[1,N]",
                "features of a sound (a spectrogram) are given as an .npy");
  }
  HONE_TRY(const Sound sound, read_sound(file, rate));
  SoundPieces made;
  const std::string name = printable(input.name) + ": ";
  made.notes.push_back(name + describe_rate(sound, rate));
  if (sound.is_cut) made.notes.push_back(name + "'" + file.string() + "' is cut short");
  const std::span<const double> all = sound.samples;
  const auto& fixed = input.type.shape->back().value;
  const std::size_t length = fixed ? static_cast<std::size_t>(*fixed) : all.size();
  if (length > most_samples || all.size() / length >= most_pieces) {
    return fail(Fault::bad_input, does_not_take(input, file.string()),
                "it takes " + to_string(input.type) + ", and the sound has " +
                    counted(all.size(), "sample"));
  }
  for (std::size_t at = 0; at < all.size(); at += length) {
    const std::size_t count = std::min(length, all.size() - at);
    made.pieces.push_back(make_piece(all.subspan(at, count), length, input));
  }
  if (fixed && all.size() != length) {
    made.notes.push_back(name + counted(made.pieces.size(), "piece") + " of " +
                         format_count(length) + " samples" +
                         (all.size() % length != 0 ? ", the last one filled up with zeros" : ""));
  }
  return made;
}

bool takes_processed_sound(const Type& type, const Processor& processor) {
  if (processor.sound()->is_waveform) return takes_sound(type);
  constexpr std::size_t batch_bins_and_frames = 3;
  return type.is_tensor() && is_float(type.element) && holds_numbers(type.element) &&
         (!type.shape || type.shape->size() == batch_bins_and_frames);
}

namespace {

Result<Sound> read_sound_for(const Path& file, const Processor& processor,
                             std::optional<double> rate) {
  HONE_TRY(Sound sound, read_sound(file, rate));
  const double wanted = processor.sound()->rate;
  if (rate || sound.rate == wanted) return sound;
  return fail(Fault::bad_input,
              "'" + file.string() + "' is of " + hertz(sound.rate) + ", and " +
                  printable(processor.file) + " asks for " + hertz(wanted),
              {},
              "--sample-rate " + std::to_string(static_cast<std::int64_t>(wanted)) +
                  " draws straight lines between its samples; better is a file of that rate");
}

template <class Values>
TensorPtr encoded(const std::string& name, ElementType element, std::vector<std::int64_t> dims,
                  const Values& values) {
  const std::vector<double> numbers(values.begin(), values.end());
  std::string bytes(*bytes_of(element, numbers.size()), '\0');
  encode_elements(element, numbers, bytes.data());
  return make_tensor(name, element, std::move(dims), Blob::own(std::move(bytes)));
}

std::vector<std::int64_t> dims_for(const Type& type, const PreparedSound& made) {
  std::vector<std::int64_t> dims = made.dims;
  const std::size_t rank = type.shape ? type.shape->size() : made.dims.size() + 1;
  if (rank > dims.size()) dims.insert(dims.begin(), rank - dims.size(), 1);
  return dims;
}

}  // namespace

Result<ProcessedSound> process_sound(const Path& file, const Port& input,
                                     const Processor& processor, std::optional<double> rate) {
  const SoundPlan& plan = *processor.sound();
  HONE_TRY(const Sound sound, read_sound_for(file, processor, rate));
  std::optional<std::size_t> length;
  if (plan.is_waveform && takes_sound(input.type) && input.type.shape->back().value)
    length = static_cast<std::size_t>(*input.type.shape->back().value);
  if (length.value_or(0) > most_samples) length.reset();
  HONE_TRY(const PreparedSound made, plan.prepare(sound.samples, length));
  const std::vector<std::int64_t> dims = dims_for(input.type, made);
  const bool is_taken = takes_processed_sound(input.type, processor) &&
                        is_float(input.type.element) && takes_shape(input.type, dims);
  if (!is_taken) {
    return fail(Fault::bad_input, does_not_take(input, file.string()),
                "it takes " + to_string(input.type) + ", and " + printable(processor.file) +
                    " makes " + to_string(Type::tensor(ElementType::float32, shape_of(dims))),
                "--processor none goes without that file");
  }
  ProcessedSound processed;
  processed.sound = encoded(input.name, input.type.element, dims, made.values);
  if (!made.mask.empty()) {
    processed.mask = encoded(sound_mask_name, ElementType::int64,
                             {1, static_cast<std::int64_t>(made.mask.size())}, made.mask);
  }
  const std::string name = printable(input.name) + ": ";
  processed.notes.push_back(name + processor.describe());
  if (!made.note.empty()) processed.notes.push_back(name + made.note);
  if (rate && *rate != plan.rate)
    processed.notes.push_back(name + hertz(*rate) + " as given, where it says " + hertz(plan.rate));
  if (sound.channels > 1)
    processed.notes.push_back(name + "the mean of " + counted(sound.channels, "channel"));
  if (sound.is_cut) processed.notes.push_back(name + "'" + file.string() + "' is cut short");
  return processed;
}

}  // namespace hone
