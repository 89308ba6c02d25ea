#include "inspect/parts/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "model/npz/npz.h"

namespace hone {
namespace {

struct OtherName {
  std::string_view port;
  std::string_view reference;
};
// Decoders call their tokens input_ids, and the mask of what the encoder saw by another name; a
// reference does too, where the encoder has no tokens.
constexpr auto of_decoders = std::to_array<OtherName>(
    {{"input_ids", "decoder_input_ids"}, {"encoder_attention_mask", "attention_mask"}});

bool is_encoder(std::string_view part) { return part.starts_with("encoder"); }

std::string name_in(const NamedTensors& given, std::string_view part, const std::string& port) {
  if (!part.starts_with("decoder")) return port;
  const auto* other = std::ranges::find(of_decoders, port, &OtherName::port);
  if (other == of_decoders.end()) return port;
  const std::string name(other->reference);
  return given.contains(name) ? name : port;
}

std::string shape_text(const std::vector<std::int64_t>& dims) {
  std::vector<std::string> words;
  for (const std::int64_t dim : dims) words.push_back(std::to_string(dim));
  return "[" + join(words, ", ") + "]";
}

// What no reference has: where tokens stand, and caches in which nothing is yet. Null for others.
TensorPtr input_of_a_beginning(const Port& port, const NamedTensors& given) {
  const auto tokens = given.find("input_ids");
  if (tokens == given.end() || tokens->second->dims.size() != 2) return nullptr;
  const std::vector<std::int64_t>& dims = tokens->second->dims;
  if (port.name == "position_ids") {
    std::string bytes;
    for (std::int64_t row = 0; row < dims[0]; ++row) {
      for (std::int64_t i = 0; i < dims[1]; ++i)
        bytes.append(reinterpret_cast<const char*>(&i), sizeof i);
    }
    return make_tensor(port.name, ElementType::int64, dims, Blob::own(std::move(bytes)));
  }
  const bool is_cache =
      port.name.starts_with("past_key_values.") && port.type.shape && port.type.shape->size() == 4;
  if (!is_cache) return nullptr;
  std::vector<std::int64_t> empty;
  for (const Dim& dim : *port.type.shape) empty.push_back(dim.value.value_or(0));
  empty[0] = dims[0];
  return make_tensor(port.name, port.type.element, empty, {});
}

}  // namespace

Result<Reference> read_reference(const Path& file) {
  HONE_TRY(const std::vector<TensorPtr> arrays, read_npz(file));
  Reference reference;
  for (const TensorPtr& array : arrays) {
    if (array->name.starts_with("in_")) reference.inputs[array->name.substr(3)] = array;
    if (array->name.starts_with("out_")) reference.outputs[array->name.substr(4)] = array;
  }
  if (!reference.inputs.empty() && !reference.outputs.empty()) return reference;
  return fail(Fault::bad_input, "'" + file.string() + "' is no reference",
              "it has no arrays whose names begin with in_ and out_");
}

Result<ComparedOutput> compare_with_reference(const Tensor& ours, const Tensor& reference) {
  if (ours.dims != reference.dims) {
    return fail(Fault::not_held, "it is " + shape_text(ours.dims) + ", and the reference " +
                                     shape_text(reference.dims));
  }
  HONE_TRY(const std::vector<double> a, to_doubles(ours));
  HONE_TRY(const std::vector<double> b, to_doubles(reference));
  double largest = 0;
  ComparedOutput compared;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::isfinite(a[i]) && std::isfinite(b[i])
                             ? std::abs(a[i] - b[i])
                             : (a[i] == b[i] ? 0 : std::numeric_limits<double>::max());
    if (std::isfinite(b[i])) largest = std::max(largest, std::abs(b[i]));
    compared.largest_difference = std::max(compared.largest_difference, apart);
  }
  const double share = compared.largest_difference / (largest == 0 ? 1 : largest);
  compared.share = std::min(share, std::numeric_limits<double>::max());
  return compared;
}

Result<NamedTensors> ReferenceRun::inputs_of(const std::string& part,
                                             const Session& session) const {
  NamedTensors inputs;
  for (const Port& port : session.inputs()) {
    const auto at = reference_.inputs.find(name_in(reference_.inputs, part, port.name));
    const TensorPtr input =
        at != reference_.inputs.end() ? at->second : input_of_a_beginning(port, reference_.inputs);
    if (!input)
      return fail(Fault::not_found, "the reference has no input '" + printable(port.name) + "'");
    inputs[port.name] = input;
  }
  return inputs;
}

Result<std::vector<ComparedOutput>> ReferenceRun::compare(const std::string& part,
                                                          const NamedTensors& outputs) {
  std::vector<ComparedOutput> all;
  for (const auto& [output, tensor] : outputs) {
    reference_.inputs[is_encoder(part) ? "encoder_hidden_states" : output] = tensor;
    const auto at = reference_.outputs.find(is_encoder(part) ? "encoder_" + output : output);
    if (at == reference_.outputs.end()) continue;
    auto compared = compare_with_reference(*tensor, *at->second);
    if (!compared) {
      return fail(compared.error().fault,
                  "output '" + printable(output) + "' of " + part + ": " + compared.error().what,
                  compared.error().cause);
    }
    compared->part = part;
    compared->output = output;
    all.push_back(*std::move(compared));
  }
  return all;
}

}  // namespace hone
