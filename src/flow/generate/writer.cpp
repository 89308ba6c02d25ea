#include "flow/generate/writer.h"

#include <algorithm>

#include "flow/parts/folder.h"
#include "generate/loop.h"

namespace hone {
namespace {

constexpr auto output_name = "sequences";

Result<std::vector<std::int64_t>> write_tokens(Network& network, const ChoiceRules& rules,
                                               const std::vector<std::int64_t>& opening) {
  if (rules.settings.beams > 1) {
    HONE_TRY(GeneratedText text, search_text(network, opening, rules, {}));
    return std::move(text.tokens);
  }
  HONE_TRY(Generation made, write_texts(network, {opening}, rules, {}, now_ns()));
  return std::move(made.texts.front().tokens);
}

Result<NamedTensors> answer(OpenWriter& writer, const Sample& sample) {
  Network& network = *writer.open.network;
  HONE_TRY_DO(network.encode(sample));
  HONE_TRY(const std::vector<std::int64_t> opening,
           settle_opening(network, writer.rules.settings.opening));
  HONE_TRY(std::vector<std::int64_t> tokens, write_tokens(network, writer.rules, opening));
  std::erase_if(tokens, [&](std::int64_t token) { return is_end(writer.rules, token); });
  return NamedTensors{{output_name, make_int64_tensor(output_name, tokens)}};
}

}  // namespace

Result<bool> is_writer(const std::string& given, const Host& host) {
  HONE_TRY(const std::optional<FoundParts> parts, find_parts(given, host));
  if (!parts) return false;
  const auto has = [&](std::string_view start) {
    return std::ranges::any_of(parts->models,
                               [&](const PartModel& part) { return part.part.starts_with(start); });
  };
  return has("encoder_model") && has("decoder_model");
}

Result<std::shared_ptr<OpenWriter>> open_writer(const std::string& given, const Where& where) {
  auto writer = std::make_shared<OpenWriter>();
  HONE_TRY(writer->model, find_writing_model(given, where, {}));
  HONE_TRY(GenerationSettings settings, generation_settings_of(writer->model, nullptr));
  const std::size_t opening = settings.opening.size();
  if (opening == 0)
    return fail(Fault::not_found, "nothing says with which token the decoder begins", {},
                "copy the checkpoint's generation_config.json beside the model");
  HONE_TRY(writer->rules, settle_choice({}, std::move(settings), opening));
  HONE_TRY(writer->open, open_network(writer->model.parts, writer->rules.settings.beams > 1));
  return writer;
}

Answerer answerer_of(const std::shared_ptr<OpenWriter>& writer) {
  return {.outputs = {{output_name, Type::tensor(ElementType::int64)}},
          .answer = [writer](const Sample& sample) { return answer(*writer, sample); }};
}

}  // namespace hone
