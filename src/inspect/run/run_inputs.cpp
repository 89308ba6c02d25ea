#include "inspect/run/run_inputs.h"

#include <algorithm>
#include <limits>

#include "base/counted.h"
#include "base/text.h"
#include "inspect/run/assign_inputs.h"
#include "inspect/run/fit_array.h"
#include "inspect/run/literal.h"
#include "inspect/run/sound_input.h"
#include "model/npz/npz.h"

namespace hone {
namespace {

using Kind = GivenInput::Kind;

Failure idle(const std::string& option, const std::string& needs) {
  return fail(Fault::bad_input, option + " does nothing here", {}, "it needs " + needs);
}

// The only array of an archive, or the one of the input's name.
Result<TensorPtr> read_archive(const Path& file, const Port& port) {
  HONE_TRY(const std::vector<TensorPtr> arrays, read_npz(file));
  if (arrays.size() == 1) return arrays.front();
  std::vector<std::string> names;
  for (const TensorPtr& array : arrays) {
    if (array->name == port.name) return array;
    names.push_back("'" + printable(array->name) + "'");
  }
  return fail(Fault::bad_input,
              "'" + file.string() + "' holds no array '" + printable(port.name) + "'",
              names.empty() ? "it is empty" : "it holds " + join(names, ", "),
              "an .npz with one array is taken whatever its name");
}

Sample tensors_of(const FedSample& sample) {
  Sample tensors;
  for (const auto& [name, input] : sample) tensors[name] = input.tensor;
  return tensors;
}

// Differs where something else may follow from what was given.
std::string shapes_text(const FedSample& sample) {
  std::string text;
  for (const auto& [name, input] : sample)
    text += name + to_string(Type::tensor(input.tensor->type, shape_of(input.tensor->dims))) + "\n";
  return text;
}

std::string describe_picture(const Port& port, const ImageLayout& layout, bool says_scaling) {
  const std::string made = to_string(Type::tensor(layout.element, shape_of(layout.dims)));
  const std::string text = printable(port.name) + ": pictures are scaled as a whole to " +
                           std::to_string(layout.height) + "x" + std::to_string(layout.width) +
                           " and become " + made + " of " +
                           (layout.channels == 1 ? "grey" : "red, green and blue");
  if (!is_float(layout.element)) return text + ", 0 to 255 as they are";
  return text + ", (byte / 255 - mean) / std" +
         (says_scaling ? "" : " with ImageNet's; --mean and --std take others");
}

}  // namespace

Result<RunInputs> RunInputs::open(RunInputsRequest request, const Model& model) {
  RunInputs inputs;
  inputs.shapes_ = {.plan = request.plan,
                    .program = request.program,
                    .ports = input_ports(model),
                    .facts = read_input_facts(model),
                    .said = {},
                    .pictures = {},
                    .image_size = request.image_size};
  HONE_TRY(inputs.shapes_.said, parse_shape_rules(request.plan.shape_config));
  inputs.request_ = std::move(request);
  const RunInputsRequest& asked = inputs.request_;
  if (!asked.plan.input_data.empty()) {
    if (!asked.words.empty()) {
      return fail(Fault::bad_input, "--input and --input-data are two ways to say the same", {},
                  "give one of them");
    }
    HONE_TRY(inputs.files_, list_sample_files(asked.plan.input_data));
  }
  HONE_TRY_DO(inputs.take_words());
  HONE_TRY_DO(check_shape_rules(inputs.shapes_.said, {inputs.ports()}));
  HONE_TRY_DO(inputs.refuse_idle());
  HONE_TRY_DO(inputs.check_complete());
  HONE_TRY_DO(inputs.count_samples());
  return inputs;
}

Status RunInputs::take_words() {
  HONE_TRY(const std::vector<GivenInput> given, parse_inputs(request_.words, ports()));
  HONE_TRY_DO(find_processors(given));
  // A mask that comes with a picture has its shape, and is not meant by it.
  std::vector<Port> open = ports();
  std::erase_if(open, [&](const Port& port) { return follows(port); });
  HONE_TRY(const auto assigned, assign_inputs(given, open, of_sounds_ ? &*of_sounds_ : nullptr));
  for (const Port& port : ports()) {
    const auto found = assigned.find(port.name);
    if (found == assigned.end()) continue;
    for (const GivenInput& input : found->second) HONE_TRY_DO(add_piece(input, port));
  }
  return done();
}

// Those of what is given: a file that nothing goes through is not looked at.
Status RunInputs::find_processors(const std::vector<GivenInput>& given) {
  const auto has = [&](Kind kind) {
    return std::ranges::find(given, kind, &GivenInput::kind) != given.end();
  };
  const bool is_wanted = has(Kind::picture) || has(Kind::sound);
  if (request_.processor.empty() || !is_wanted) {
    return request_.says_processor ? Status(idle("--processor", "a picture or a sound")) : done();
  }
  if (has(Kind::picture)) {
    HONE_TRY(of_pictures_, find_processor(request_.processor, Medium::picture, request_.wishes));
  }
  if (has(Kind::sound)) {
    HONE_TRY(of_sounds_, find_processor(request_.processor, Medium::sound, request_.wishes));
  }
  if (!request_.says_processor || of_pictures_ || of_sounds_) return done();
  return fail(Fault::not_found,
              "'" + request_.processor.string() + "' has no processor for what is given", {},
              "a preprocessor_config.json or processor_config.json has one");
}

// Whether a processor brings it along with what it makes.
bool RunInputs::follows(const Port& port) const {
  const PicturePlan* picture = of_pictures_ ? of_pictures_->picture() : nullptr;
  return picture != nullptr && picture->has_mask && port.name == pixel_mask_name;
}

Status RunInputs::add_sound(const GivenInput& given, const Port& port) {
  const Port closed = close_port(port, shapes_.said);
  if (!of_sounds_) {
    HONE_TRY(SoundPieces sound, load_sound(given.words, closed, request_.sample_rate));
    for (const std::string& text : sound.notes) note(text);
    for (TensorPtr& piece : sound.pieces) pieces_[port.name].push_back({given, std::move(piece)});
    return done();
  }
  HONE_TRY(ProcessedSound sound,
           process_sound(given.words, closed, *of_sounds_, request_.sample_rate));
  for (const std::string& text : sound.notes) note(text);
  pieces_[port.name].push_back({given, std::move(sound.sound)});
  const auto mask = std::ranges::find(ports(), sound_mask_name, &Port::name);
  if (sound.mask == nullptr || mask == ports().end()) return done();
  if (shapes_.said.values.contains(mask->name)) return done();
  HONE_TRY(FittedArray fitted, fit_array(sound.mask, *mask, given.words, false));
  pieces_[mask->name].push_back({given, std::move(fitted.tensor)});
  return done();
}

Status RunInputs::add_piece(const GivenInput& given, const Port& port) {
  std::vector<Piece>& pieces = pieces_[port.name];
  switch (given.kind) {
    case Kind::value: {
      HONE_TRY(shapes_.said.values[port.name], parse_value(given.words, port));
      pieces.push_back({given, nullptr});
      return done();
    }
    case Kind::numbers: {
      HONE_TRY(TensorPtr tensor, parse_numbers(given.words, port));
      pieces.push_back({given, std::move(tensor)});
      return done();
    }
    case Kind::text: {
      HONE_TRY(TensorPtr tensor, make_text(given.words, port));
      pieces.push_back({given, std::move(tensor)});
      return done();
    }
    case Kind::sound:
      return add_sound(given, port);
    case Kind::picture:
      if (!of_pictures_) shapes_.pictures.insert(port.name);
      [[fallthrough]];
    case Kind::array:
    case Kind::archive:
      pieces.push_back({given, nullptr});
  }
  return done();
}

Status RunInputs::refuse_idle() const {
  const auto has = [&](Kind kind) {
    return std::ranges::any_of(pieces_, [&](const auto& entry) {
      return std::ranges::any_of(entry.second,
                                 [&](const Piece& piece) { return piece.given.kind == kind; });
    });
  };
  if (request_.image_size && !has(Kind::picture)) return idle("--image-size", "a picture");
  if (request_.says_scaling && !has(Kind::picture)) return idle("--mean or --std", "a picture");
  if (request_.sample_rate && !has(Kind::sound)) return idle("--sample-rate", "a .wav file");
  if (request_.plan.samples > 0 && !request_.makes_up_rest && files_.empty())
    return idle("--samples", "--random or --input-data");
  const auto takes_bytes = [&](const Port& port) {
    return shapes_.pictures.contains(port.name) && !is_float(port.type.element);
  };
  if (request_.says_scaling && std::ranges::any_of(ports(), takes_bytes))
    return idle("--mean or --std", "a picture for an input of floats");
  return done();
}

Status RunInputs::refuse_missing(const Port& port) const {
  return fail(Fault::bad_input, "nothing is given for the input '" + printable(port.name) + "'",
              list_ports(ports()),
              "--input " + printable(port.name) + "=FILE, or --random for what is not given");
}

Status RunInputs::check_complete() const {
  if (request_.makes_up_rest || !files_.empty()) return done();
  if (request_.words.empty() && !ports().empty()) {
    return fail(Fault::bad_input, "there is nothing to run the model on", list_ports(ports()),
                "--input FILE, --input-data FILE.npz, or --random");
  }
  for (const Port& port : ports()) {
    if (!pieces_.contains(port.name) && !shapes_.said.values.contains(port.name) && !follows(port))
      return refuse_missing(port);
  }
  return done();
}

Status RunInputs::count_samples() {
  if (!files_.empty()) {
    count_ = request_.plan.samples > 0 ? static_cast<std::size_t>(request_.plan.samples)
                                       : std::numeric_limits<std::size_t>::max();
    return done();
  }
  const std::string* first = nullptr;
  for (const auto& [name, pieces] : pieces_) {
    if (pieces.size() == 1) continue;
    if (first != nullptr && pieces.size() != count_) {
      return fail(Fault::bad_input,
                  "'" + printable(*first) + "' is given for " + counted(count_, "sample") +
                      ", and '" + printable(name) + "' for " + std::to_string(pieces.size()),
                  {}, "give as many of each, or one that goes with all");
    }
    first = &name;
    count_ = pieces.size();
  }
  if (request_.plan.samples == 0) return done();
  const auto asked = static_cast<std::size_t>(request_.plan.samples);
  count_ = first == nullptr ? asked : std::min(count_, asked);
  return done();
}

Result<std::optional<FedSample>> RunInputs::next() {
  HONE_TRY(std::optional<FedSample> sample, next_given());
  if (!sample) return sample;
  HONE_TRY_DO(complete(*sample));
  ++given_;
  return sample;
}

Result<std::optional<FedSample>> RunInputs::next_given() {
  if (given_ >= count_) return std::optional<FedSample>();
  if (files_.empty()) {
    HONE_TRY(FedSample sample, read_pieces());
    return std::optional(std::move(sample));
  }
  while (loaded_.empty() && next_file_ < files_.size()) HONE_TRY_DO(load_file());
  if (loaded_.empty() && given_ == 0) {
    return fail(Fault::bad_input, "there is no sample in '" + request_.plan.input_data + "'", {},
                "give an .npz with one array per input, or a folder of such files");
  }
  if (loaded_.empty()) return std::optional<FedSample>();
  std::optional<FedSample> sample = std::move(loaded_.front());
  loaded_.pop_front();
  return sample;
}

Status RunInputs::load_file() {
  const Path& file = files_[next_file_++];
  HONE_TRY(const auto samples, read_samples(file, ports()));
  for (const auto& [index, arrays] : samples) {
    FedSample& sample = loaded_.emplace_back();
    for (const Port& port : ports()) {
      const auto array = arrays.find(port.name);
      if (array == arrays.end()) continue;
      const std::string from = file.string();
      HONE_TRY(FittedArray fitted, fit_array(array->second, port, from, request_.may_lose));
      note(fitted.note);
      sample[port.name] = {std::move(fitted.tensor), from};
    }
  }
  return done();
}

const RunInputs::Piece& RunInputs::piece_for(const std::string& input) const {
  const std::vector<Piece>& pieces = pieces_.at(input);
  return pieces.size() == 1 ? pieces.front() : pieces[given_];
}

// Those that bring their shape; the others follow from them.
Result<FedSample> RunInputs::read_pieces() {
  FedSample sample;
  for (const Port& port : ports()) {
    if (!pieces_.contains(port.name)) continue;
    const Piece& piece = piece_for(port.name);
    if (piece.given.kind == Kind::value) continue;
    if (piece.given.kind == Kind::picture) {
      if (of_pictures_) HONE_TRY_DO(process_picture(piece, port, sample));
      continue;
    }
    HONE_TRY(sample[port.name], read_piece(piece, port));
  }
  return sample;
}

Result<FedInput> RunInputs::read_piece(const Piece& piece, const Port& port) {
  const std::string from = piece.given.describe();
  if (piece.tensor != nullptr) return FedInput{piece.tensor, from};
  HONE_TRY(const TensorPtr array, piece.given.kind == Kind::array
                                      ? read_npy(piece.given.words)
                                      : read_archive(piece.given.words, port));
  HONE_TRY(FittedArray fitted, fit_array(array, port, from, request_.may_lose));
  note(fitted.note);
  return FedInput{std::move(fitted.tensor), from};
}

Status RunInputs::complete(FedSample& sample) {
  std::vector<Port> made_up;
  std::vector<Port> pictures;
  for (const Port& port : ports()) {
    if (sample.contains(port.name)) continue;
    const bool is_picture =
        pieces_.contains(port.name) && piece_for(port.name).given.kind == Kind::picture;
    const bool is_value = shapes_.said.values.contains(port.name);
    if (!is_picture && !is_value && !request_.makes_up_rest) return refuse_missing(port);
    (is_picture ? pictures : made_up).push_back(port);
  }
  if (made_up.empty() && pictures.empty()) return done();
  HONE_TRY_DO(settle(sample));
  for (const Port& port : pictures) {
    HONE_TRY(sample[port.name], read_picture(piece_for(port.name), port));
  }
  return make_up(made_up, sample);
}

// Sizes are tried once for samples of the same shapes.
Status RunInputs::settle(const FedSample& sample) {
  std::string text = shapes_text(sample);
  if (settled_for_ == text) return done();
  HONE_TRY(settled_, settle_shapes(shapes_, tensors_of(sample)));
  settled_for_ = std::move(text);
  for (const std::string& line : settled_.notes) note(line);
  return done();
}

Result<FedInput> RunInputs::read_picture(const Piece& piece, const Port& port) {
  const ImageLayout& layout = settled_.layouts.at(port.name);
  HONE_TRY(const Image picture, read_image(piece.given.words, layout.channels));
  note(describe_picture(port, layout, request_.says_scaling));
  const Image scaled = resize(picture, layout.width, layout.height);
  return FedInput{image_tensor(scaled, port.name, layout, request_.images), piece.given.words};
}

Status RunInputs::process_picture(const Piece& piece, const Port& port, FedSample& sample) {
  const std::string from = piece.given.words;
  const Port closed = close_port(port, shapes_.said);
  HONE_TRY(ProcessedImage made, process_image(from, closed, *of_pictures_));
  note(printable(port.name) + ": " + of_pictures_->describe());
  sample[port.name] = {std::move(made.picture), from};
  const auto mask = std::ranges::find(ports(), pixel_mask_name, &Port::name);
  const bool is_taken = mask != ports().end() && !pieces_.contains(pixel_mask_name) &&
                        !shapes_.said.values.contains(pixel_mask_name);
  if (made.mask == nullptr || !is_taken) return done();
  HONE_TRY(FittedArray fitted, fit_array(made.mask, *mask, from, false));
  sample[mask->name] = {std::move(fitted.tensor), from};
  return done();
}

Status RunInputs::make_up(const std::vector<Port>& made_up, FedSample& sample) {
  const std::uint64_t seed = request_.plan.seed + given_;
  HONE_TRY(GeneratedSamples made,
           generate_samples(made_up, settled_.rules, shapes_.facts, seed, 1));
  for (const Port& port : made_up) {
    const bool is_value = pieces_.contains(port.name);
    sample[port.name] = {made.samples.front().at(port.name), is_value
                                                                 ? piece_for(port.name).given.words
                                                                 : "seed " + std::to_string(seed)};
  }
  return done();
}

void RunInputs::note(const std::string& text) {
  if (!text.empty() && std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(text);
}

}  // namespace hone
