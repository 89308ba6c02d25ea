#include "generate/ports.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "model/elements.h"

namespace hone {
namespace {

constexpr std::string_view past = "past_key_values.";
constexpr std::string_view present = "present.";

struct KnownName {
  std::string_view name;
  PortUse use;
};
constexpr auto known_names =
    std::to_array<KnownName>({{"input_ids", PortUse::ids},
                              {"decoder_input_ids", PortUse::ids},
                              {"attention_mask", PortUse::mask},
                              {"decoder_attention_mask", PortUse::mask},
                              {"encoder_attention_mask", PortUse::source_mask},
                              {"position_ids", PortUse::positions},
                              {"encoder_hidden_states", PortUse::states},
                              {"use_cache_branch", PortUse::cache_switch}});

Result<DecoderInput> read_input(const std::string& part, const Port& port) {
  if (port.name.starts_with(past))
    return DecoderInput{port, PortUse::cache, port.name.substr(past.size())};
  const auto known = std::ranges::find(known_names, port.name, &KnownName::name);
  if (known != known_names.end()) return DecoderInput{port, known->use};
  return fail(Fault::unsupported,
              "'" + part + "' has an input that hone cannot fill: " + printable(port.name), {},
              "decoders take input_ids, attention_mask, position_ids, encoder_hidden_states, "
              "past_key_values.* and their like");
}

Failure lacks(const std::string& part, const std::string& what, std::string hint) {
  return fail(Fault::unsupported, "'" + part + "' " + what, {}, std::move(hint));
}

}  // namespace

bool DecoderPorts::has(PortUse use) const {
  return std::ranges::find(inputs, use, &DecoderInput::use) != inputs.end();
}

Result<DecoderPorts> read_decoder_ports(const std::string& part, const Session& session) {
  DecoderPorts ports;
  for (const Port& port : session.inputs()) {
    HONE_TRY(DecoderInput input, read_input(part, port));
    ports.inputs.push_back(std::move(input));
  }
  bool has_logits = false;
  for (const Port& port : session.outputs()) {
    const bool is_cache = port.name.starts_with(present);
    if (port.name == "logits") {
      ports.logits = ports.caches.size();
      has_logits = true;
    }
    ports.caches.push_back(is_cache ? port.name.substr(present.size()) : "");
  }
  if (!has_logits || !ports.has(PortUse::ids))
    return lacks(part, "does not write: it has no input_ids or no logits",
                 "a checkpoint that generates text is exported with --task "
                 "text-generation-with-past, text2text-generation, image-to-text or "
                 "automatic-speech-recognition");
  return ports;
}

bool is_of_encoder(const std::string& cache) {
  return cache.find(".encoder.") != std::string::npos;
}

Result<TensorPtr> empty_cache(const Port& port, std::size_t rows) {
  // [rows, heads, length, size]: an open size beside rows and length would have to be guessed.
  const bool is_known = port.type.is_tensor() && port.type.shape && port.type.shape->size() == 4 &&
                        (*port.type.shape)[1].value && (*port.type.shape)[3].value;
  if (!is_known) {
    return fail(Fault::unsupported, "the cache '" + printable(port.name) + "' has no known size",
                to_string(port.type), "it is [batch, heads, length, size], of which two are fixed");
  }
  const Shape& shape = *port.type.shape;
  return make_tensor(port.name, port.type.element,
                     {static_cast<std::int64_t>(rows), *shape[1].value, 0, *shape[3].value}, {});
}

Result<TensorPtr> whole_numbers(const Port& port, std::vector<std::int64_t> dims,
                                const std::vector<std::int64_t>& numbers) {
  if (!port.type.is_tensor() || !holds_numbers(port.type.element)) {
    return fail(Fault::unsupported, "the input '" + printable(port.name) + "' takes no numbers",
                to_string(port.type));
  }
  if (port.type.element == ElementType::int64) {
    const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()),
                                 numbers.size() * sizeof(std::int64_t));
    return make_tensor(port.name, ElementType::int64, std::move(dims),
                       Blob::own(std::string(bytes)));
  }
  const std::vector<double> reals(numbers.begin(), numbers.end());
  std::string bytes(*bytes_of(port.type.element, reals.size()), '\0');
  encode_elements(port.type.element, reals, bytes.data());
  return make_tensor(port.name, port.type.element, std::move(dims), Blob::own(std::move(bytes)));
}

}  // namespace hone
