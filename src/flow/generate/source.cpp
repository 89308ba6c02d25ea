#include "flow/generate/source.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"
#include "flow/processor.h"
#include "flow/token_ids.h"
#include "inspect/eval/image_file.h"
#include "inspect/run/sound_input.h"
#include "model/npz/npz.h"

namespace hone {
namespace {

constexpr auto ids_name = "input_ids";
constexpr auto mask_name = "attention_mask";

const Port* port_named(const std::vector<Port>& ports, std::string_view name) {
  const auto found = std::ranges::find(ports, name, &Port::name);
  return found != ports.end() ? &*found : nullptr;
}

bool reads_texts(const std::vector<Port>& ports) { return port_named(ports, ids_name) != nullptr; }

// --- texts

Result<NamedTensors> sample_of(const std::vector<std::int64_t>& ids,
                               const std::vector<Port>& ports) {
  NamedTensors sample;
  const std::vector<std::int64_t> ones(ids.size(), 1);
  for (const Port& port : ports) {
    const bool is_mask = port.name == mask_name;
    if (!is_mask && port.name != ids_name)
      return fail(Fault::unsupported,
                  "the encoder has an input that hone cannot fill: " + printable(port.name));
    HONE_TRY(sample[port.name],
             whole_numbers(port, {1, static_cast<std::int64_t>(ids.size())}, is_mask ? ones : ids));
  }
  return sample;
}

// --- files

bool is_called(const std::string& file, std::string_view ending) {
  return lowercase(Path(file).extension().string()) == ending;
}

Result<NamedTensors> arrays_in(const std::string& file, const std::vector<Port>& ports) {
  HONE_TRY(const std::vector<TensorPtr> arrays, read_npz(file));
  NamedTensors sample;
  for (const Port& port : ports) {
    const auto found =
        std::ranges::find(arrays, port.name, [](const auto& each) { return each->name; });
    if (found == arrays.end())
      return fail(Fault::bad_input, "'" + file + "' has no array '" + printable(port.name) + "'",
                  {}, "it holds the encoder's inputs by their names");
    sample[port.name] = *found;
  }
  return sample;
}

Result<Processor> processor_for(const WritingModel& model, Medium medium) {
  for (const char* file : processor_files) {
    HONE_TRY(const std::optional<Processor> found,
             find_processor(place_with(model, file), medium, {}));
    if (found) return *found;
  }
  return fail(Fault::not_found,
              std::string("nothing says how a ") +
                  (medium == Medium::picture ? "picture" : "sound") +
                  " becomes what the model takes",
              "there is no preprocessor_config.json beside it",
              "give arrays instead: --input FILE.npz with the encoder's inputs by their names");
}

void take_mask(const TensorPtr& mask, const std::vector<Port>& ports, NamedTensors& sample) {
  if (mask != nullptr && port_named(ports, mask->name) != nullptr) sample[mask->name] = mask;
}

Result<NamedTensors> picture_in(const std::string& file, const WritingModel& model,
                                const std::vector<Port>& ports, Source& source) {
  HONE_TRY(const Processor processor, processor_for(model, Medium::picture));
  HONE_TRY(const ProcessedImage made, process_image(file, ports.front(), processor));
  source.notes.push_back(processor.describe());
  NamedTensors sample = {{ports.front().name, made.picture}};
  take_mask(made.mask, ports, sample);
  return sample;
}

Result<NamedTensors> sound_in(const std::string& file, const WritingModel& model,
                              std::optional<std::int64_t> sample_rate,
                              const std::vector<Port>& ports, Source& source) {
  HONE_TRY(const Processor processor, processor_for(model, Medium::sound));
  std::optional<double> rate;
  if (sample_rate) rate = static_cast<double>(*sample_rate);
  HONE_TRY(const ProcessedSound made, process_sound(file, ports.front(), processor, rate));
  source.notes.insert(source.notes.end(), made.notes.begin(), made.notes.end());
  NamedTensors sample = {{ports.front().name, made.sound}};
  take_mask(made.mask, ports, sample);
  return sample;
}

Result<NamedTensors> sample_in(const std::string& file, const SourceOrder& order,
                               const WritingModel& model, const std::vector<Port>& ports,
                               Source& source) {
  if (is_called(file, ".npz")) return arrays_in(file, ports);
  if (is_called(file, ".wav")) return sound_in(file, model, order.sample_rate, ports, source);
  if (is_image_file(file)) return picture_in(file, model, ports, source);
  return misuse("'" + printable(file) + "' is no picture, sound or arrays",
                "--input takes .png, .jpg, .bmp, .wav and .npz");
}

// --- side by side

std::int64_t longest_row(const std::vector<NamedTensors>& samples, const std::string& name) {
  std::int64_t longest = 0;
  for (const NamedTensors& sample : samples)
    longest = std::max(longest, sample.at(name)->dims.back());
  return longest;
}

bool are_alike(const std::vector<NamedTensors>& samples, const std::string& name) {
  return std::ranges::all_of(samples, [&](const NamedTensors& sample) {
    return sample.at(name)->dims == samples.front().at(name)->dims;
  });
}

// Rows of numbers; zeros behind the shorter ones, which their mask says are no tokens.
Result<TensorPtr> join_rows(const std::vector<NamedTensors>& samples, const std::string& name) {
  const TensorPtr& first = samples.front().at(name);
  const bool may_fill = first->dims.size() == 2 && samples.front().contains(mask_name);
  if (!may_fill && !are_alike(samples, name))
    return misuse("the inputs are of different sizes", "they are written one at a time then");
  const auto width = static_cast<std::size_t>(bits_of(first->type) / 8);
  const auto longest = static_cast<std::size_t>(longest_row(samples, name));
  std::string bytes;
  std::vector<std::int64_t> dims = first->dims;
  dims[0] = 0;
  for (const NamedTensors& sample : samples) {
    const TensorPtr& row = sample.at(name);
    HONE_TRY(const std::string_view own, row->bytes());
    bytes += own;
    if (may_fill)
      bytes.append((longest - static_cast<std::size_t>(row->dims.back())) * width, '\0');
    dims[0] += row->dims[0];
  }
  if (may_fill) dims.back() = static_cast<std::int64_t>(longest);
  return make_tensor(name, first->type, std::move(dims), Blob::own(std::move(bytes)));
}

}  // namespace

Result<Prompts> read_prompts(const SourceOrder& order, const tokenize::Tokenizer* tokenizer) {
  Prompts prompts;
  for (const std::string& text : order.prompts) {
    if (tokenizer == nullptr)
      return fail(
          Fault::not_found, "the prompt is a text, and there is no tokenizer",
          "no tokenizer.json, vocab.json, vocab.txt or SentencePiece model beside the model",
          "--tokenizer FOLDER, or its ids: --tokens 1,2,3");
    HONE_TRY(const tokenize::Encoding encoding,
             tokenizer->encode(text, {.offsets = tokenize::Offsets::none}));
    prompts.emplace_back(encoding.ids.begin(), encoding.ids.end());
  }
  for (const std::string& ids : order.tokens) {
    HONE_TRY(const std::vector<std::uint32_t> read, read_token_ids(ids, "--tokens"));
    prompts.emplace_back(read.begin(), read.end());
  }
  return prompts;
}

Result<Source> read_source(const SourceOrder& order, const Prompts& prompts,
                           const WritingModel& model, const std::vector<Port>& ports) {
  Source source;
  if (reads_texts(ports) && !order.inputs.empty())
    return misuse("the model reads texts, and no files", "--prompt TEXT, or --tokens IDS");
  if (!reads_texts(ports) && !prompts.empty())
    return misuse("the model reads '" + printable(ports.front().name) + "', and no prompt",
                  "--input FILE: a picture, a sound, or arrays as .npz");
  for (const std::vector<std::int64_t>& prompt : prompts) {
    HONE_TRY(source.samples.emplace_back(), sample_of(prompt, ports));
  }
  for (const std::string& file : order.inputs) {
    HONE_TRY(source.samples.emplace_back(), sample_in(file, order, model, ports, source));
  }
  return source;
}

Result<NamedTensors> join_samples(const std::vector<NamedTensors>& samples) {
  NamedTensors joined;
  for (const auto& [name, tensor] : samples.front()) {
    HONE_TRY(joined[name], join_rows(samples, name));
  }
  return joined;
}

}  // namespace hone
