#include "generate/network.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "model/elements.h"

namespace hone {
namespace {

constexpr auto states_name = "last_hidden_state";
constexpr auto source_mask_name = "attention_mask";

// 1 for each row and column that is a token.
std::vector<std::int64_t> with_ones_behind(const std::vector<std::int64_t>& mask, std::size_t rows,
                                           std::size_t length) {
  std::vector<std::int64_t> longer;
  longer.reserve(rows * (length + 1));
  for (std::size_t row = 0; row < rows; ++row) {
    const auto begin = mask.begin() + static_cast<std::ptrdiff_t>(row * length);
    longer.insert(longer.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
    longer.push_back(1);
  }
  return longer;
}

// Places of tokens count from the first that is one. What is none has place 1 as in transformers:
// nothing looks at it, but its numbers are in the range by which a model quantized dynamically
// rounds the others.
std::vector<std::int64_t> places_of(const TokenRows& prompt, std::vector<std::int64_t>& next) {
  std::vector<std::int64_t> places;
  next.assign(prompt.rows, 0);
  for (std::size_t i = 0; i < prompt.ids.size(); ++i) {
    std::int64_t& place = next[i / prompt.length];
    places.push_back(prompt.mask[i] == 0 ? 1 : place);
    place += prompt.mask[i];
  }
  return places;
}

template <class Value>
void pick(std::vector<Value>& values, std::span<const std::size_t> rows, std::size_t before) {
  const std::size_t length = values.size() / before;
  std::vector<Value> picked;
  for (const std::size_t row : rows) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * length);
    picked.insert(picked.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
  }
  values = std::move(picked);
}

TensorPtr pick_tensor_rows(const TensorPtr& tensor, std::span<const std::size_t> rows) {
  const std::string_view bytes = tensor->dense.view();
  const std::size_t row_bytes = bytes.size() / static_cast<std::size_t>(tensor->dims[0]);
  std::vector<std::int64_t> dims = tensor->dims;
  dims[0] = static_cast<std::int64_t>(rows.size());
  std::string picked;
  for (const std::size_t row : rows) picked += bytes.substr(row * row_bytes, row_bytes);
  return make_tensor(tensor->name, tensor->type, std::move(dims), Blob::own(std::move(picked)));
}

}  // namespace

Result<std::unique_ptr<Network>> Network::open(std::shared_ptr<Runtime> runtime,
                                               std::vector<OpenPart> parts, bool picks_rows) {
  std::unique_ptr<Network> network(new Network(std::move(runtime), picks_rows));
  for (OpenPart& part : parts) {
    network->part_names_.push_back(part.part);
    HONE_TRY_DO(part.part.starts_with("encoder") ? network->open_encoder(std::move(part))
                                                 : network->add(std::move(part)));
  }
  HONE_TRY_DO(network->check_parts());
  return network;
}

Status Network::open_encoder(OpenPart part) {
  encoder_ = std::make_unique<Part>(std::move(part.session), DecoderPorts{});
  const auto& outputs = encoder_->session.outputs();
  if (std::ranges::find(outputs, states_name, &Port::name) == outputs.end())
    return fail(Fault::unsupported, "'" + part.part + "' has no output last_hidden_state");
  std::vector<std::string> on_host;
  if (picks_rows_) on_host.emplace_back(states_name);
  HONE_TRY(Stepping stepping, Stepping::open(encoder_->session, on_host));
  encoder_->stepping = std::make_unique<Stepping>(std::move(stepping));
  return done();
}

Status Network::add(OpenPart part) {
  HONE_TRY(DecoderPorts ports, read_decoder_ports(part.part, part.session));
  std::unique_ptr<Part>& place =
      part.part.find("with_past") == std::string::npos ? decoder_ : next_;
  if (place != nullptr)
    return fail(Fault::unsupported, "'" + part.part + "' is one decoder more than hone can run");
  place = std::make_unique<Part>(std::move(part.session), std::move(ports));
  std::vector<std::string> on_host = {"logits"};
  for (const Port& output : place->session.outputs())
    if (picks_rows_) on_host.push_back(output.name);
  HONE_TRY(Stepping stepping, Stepping::open(place->session, on_host));
  place->stepping = std::make_unique<Stepping>(std::move(stepping));
  return done();
}

Status Network::check_parts() const {
  if (decoder_ == nullptr)
    return fail(Fault::unsupported, "there is no decoder that begins a text", {},
                "decoder_model.onnx, decoder_model_merged.onnx or a model with past_key_values");
  return check_caches(*decoder_, next_ ? *next_ : *decoder_);
}

// Every cache that a step takes has to be made by one before.
Status Network::check_caches(const Part& first, const Part& next) const {
  bool has_caches = false;
  for (const DecoderInput& input : next.ports.inputs) {
    if (input.use != PortUse::cache) continue;
    has_caches = true;
    const auto makes = [&](const Part& part) {
      return std::ranges::find(part.ports.caches, input.cache) != part.ports.caches.end();
    };
    if (!makes(first))
      return fail(Fault::unsupported, "nothing makes '" + printable(input.port.name) + "'",
                  "the decoder has no output present." + printable(input.cache));
  }
  if (has_caches) return done();
  return fail(Fault::unsupported, "the decoder has no caches",
              "every token would read all of those before it again",
              "export it with caches: hone export CHECKPOINT --task text-generation-with-past");
}

Status Network::bind(Part& part, const DecoderInput& input, const TensorPtr& tensor) {
  HONE_TRY(OrtTensor value, view_as_ort(*runtime_, tensor));
  HONE_TRY_DO(part.stepping->take(input.port.name, *value.value));
  fed_.push_back(std::move(value));
  return done();
}

Status Network::encode(const NamedTensors& source) {
  fed_.clear();
  source_mask_ = nullptr;
  for (const auto& [name, tensor] : source) {
    HONE_TRY_DO(bind(*encoder_, {.port = {name, {}}, .use = PortUse::ids}, tensor));
    if (name == source_mask_name) source_mask_ = tensor;
  }
  HONE_TRY_DO(encoder_->stepping->run());
  const auto& outputs = encoder_->session.outputs();
  const auto at = std::ranges::find(outputs, states_name, &Port::name) - outputs.begin();
  states_.clear();
  states_.push_back(std::move(encoder_->stepping->made()[static_cast<std::size_t>(at)]));
  return done();
}

Result<TensorPtr> Network::input_of(const DecoderInput& input, const Step& step) const {
  const auto rows = static_cast<std::int64_t>(rows_);
  const auto length = static_cast<std::int64_t>(step.length);
  switch (input.use) {
    case PortUse::ids:
      return whole_numbers(input.port, {rows, length}, step.ids);
    case PortUse::positions:
      return whole_numbers(input.port, {rows, length}, step.positions);
    case PortUse::mask:
      return whole_numbers(input.port, {rows, static_cast<std::int64_t>(length_)}, mask_);
    case PortUse::cache_switch:
      return make_tensor(input.port.name, ElementType::boolean, {1},
                         Blob::own(std::string(1, step.is_first ? '\0' : '\1')));
    case PortUse::cache:
      return empty_cache(input.port, rows_);
    case PortUse::source_mask:
      if (source_mask_ != nullptr) return source_mask_;
      break;
    case PortUse::states:
      break;
  }
  return fail(Fault::unsupported, "the decoder takes '" + printable(input.port.name) +
                                      "', and the encoder was given no attention_mask");
}

Status Network::feed(Part& part, const Step& step) {
  fed_.clear();
  for (const DecoderInput& input : part.ports.inputs) {
    const auto cache = caches_.find(input.cache);
    if (input.use == PortUse::cache && cache != caches_.end()) {
      HONE_TRY_DO(part.stepping->take(input.port.name, *cache->second));
    } else if (input.use == PortUse::states && !states_.empty()) {
      HONE_TRY_DO(part.stepping->take(input.port.name, *states_.front()));
    } else {
      HONE_TRY(const TensorPtr tensor, input_of(input, step));
      HONE_TRY_DO(bind(part, input, tensor));
    }
  }
  return done();
}

Status Network::run(const Step& step) {
  Part& part = step.is_first || next_ == nullptr ? *decoder_ : *next_;
  HONE_TRY_DO(feed(part, step));
  HONE_TRY_DO(part.stepping->run());
  HONE_TRY_DO(read_scores(part, *part.stepping->made()[part.ports.logits]));
  return keep_caches(part, step.is_first);
}

// What a merged decoder says of the encoder's caches after the first step is nothing.
Status Network::keep_caches(Part& part, bool is_first) {
  for (std::size_t i = 0; i < part.ports.caches.size(); ++i) {
    const std::string& cache = part.ports.caches[i];
    if (cache.empty() || (!is_first && is_of_encoder(cache))) continue;
    caches_.insert_or_assign(cache, std::move(part.stepping->made()[i]));
  }
  return done();
}

Status Network::read_scores(const Part& part, const ort::OrtValue& logits) {
  HONE_TRY(const Tensor all, borrow_from_ort(*runtime_, "logits", &logits));
  HONE_TRY(const std::string_view bytes, all.bytes());
  const bool fits = all.dims.size() == 3 && all.dims[0] == static_cast<std::int64_t>(rows_) &&
                    all.dims[1] > 0 && all.dims[2] > 0 && is_float(all.type) &&
                    holds_numbers(all.type);
  if (!fits)
    return fail(Fault::unsupported, "the logits are not of the kind [batch, tokens, vocabulary]",
                to_string(part.session.outputs()[part.ports.logits].type));
  scores_.vocabulary = static_cast<std::size_t>(all.dims[2]);
  scores_.values.resize(rows_ * scores_.vocabulary);
  const std::size_t row_bytes = bytes.size() / rows_;
  const std::size_t last_bytes = row_bytes / static_cast<std::size_t>(all.dims[1]);
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::string_view last = bytes.substr((row + 1) * row_bytes - last_bytes, last_bytes);
    const std::span<float> target = scores_.row(row);
    if (all.type == ElementType::float32) {
      std::memcpy(target.data(), last.data(), last.size());
    } else {
      std::vector<double> numbers(target.size());
      decode_elements(all.type, last, numbers);
      std::ranges::transform(numbers, target.begin(),
                             [](double x) { return static_cast<float>(x); });
    }
    if (std::ranges::any_of(target, [](float score) { return std::isnan(score); }))
      return fail(Fault::runtime, "the model's scores are no numbers (NaN)");
  }
  return done();
}

Result<std::uint64_t> Network::vocabulary() const {
  const Type& type = decoder_->session.outputs()[decoder_->ports.logits].type;
  const bool is_known = type.shape && !type.shape->empty() && type.shape->back().value;
  if (is_known && *type.shape->back().value > 0)
    return static_cast<std::uint64_t>(*type.shape->back().value);
  return fail(Fault::unsupported, "the model does not say how many tokens it knows",
              to_string(type));
}

Result<std::uint64_t> Network::cache_bytes_per_token() const {
  std::uint64_t bytes = 0;
  for (const auto& [name, value] : caches_) {
    HONE_TRY(const Tensor cache, borrow_from_ort(*runtime_, name, value.get()));
    if (!is_of_encoder(name)) bytes += cache.byte_size();
  }
  return bytes / (rows_ * length_);
}

Result<Scores*> Network::start(const TokenRows& prompt) {
  rows_ = prompt.rows;
  length_ = prompt.length;
  mask_ = prompt.mask;
  caches_.clear();
  Step step{.length = prompt.length, .ids = prompt.ids, .positions = {}, .is_first = true};
  step.positions = places_of(prompt, next_places_);
  HONE_TRY_DO(run(step));
  return &scores_;
}

Result<Scores*> Network::go_on(std::span<const std::int64_t> tokens) {
  mask_ = with_ones_behind(mask_, rows_, length_);
  ++length_;
  Step step{.length = 1, .ids = {tokens.begin(), tokens.end()}, .positions = next_places_};
  step.is_first = false;
  HONE_TRY_DO(run(step));
  for (std::int64_t& place : next_places_) ++place;
  return &scores_;
}

Status Network::take_rows(std::span<const std::size_t> rows) {
  const bool is_wider = rows.size() != rows_;
  pick(mask_, rows, rows_);
  pick(next_places_, rows, rows_);
  for (auto& [name, value] : caches_) {
    if (!is_wider && is_of_encoder(name)) continue;  // all of one text
    HONE_TRY(value, pick_rows(*runtime_, *value, rows));
  }
  if (is_wider && source_mask_ != nullptr) source_mask_ = pick_tensor_rows(source_mask_, rows);
  for (Owned<ort::OrtValue>& states : states_) {
    if (is_wider) {
      HONE_TRY(states, pick_rows(*runtime_, *states, rows));
    }
  }
  rows_ = rows.size();
  return done();
}

}  // namespace hone
