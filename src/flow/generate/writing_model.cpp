#include "flow/generate/writing_model.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "flow/given_model.h"
#include "flow/parts/folder.h"

namespace hone {
namespace {

constexpr auto writing_parts = std::to_array<std::string_view>(
    {"encoder_model", "decoder_model", "decoder_with_past_model", "decoder_model_merged"});

bool writes(const CompositePart& part) {
  return std::ranges::find(writing_parts, part.part) != writing_parts.end();
}

// The folder of a composite that is given as a whole.
Result<std::optional<ModelFolder>> composite_at(const std::string& given, const Host& host,
                                                const Watch& watch) {
  const NamedPart named = taken_apart(given);
  std::error_code unknown;
  if (!named.part.empty() || !std::filesystem::is_directory(given, unknown))
    return std::optional<ModelFolder>();
  HONE_TRY(ModelFolder folder, open_model_folder(given, host, watch));
  if (!folder.composite) return std::optional<ModelFolder>();
  return std::optional(std::move(folder));
}

Status check_parts(const std::string& given, const Composite& composite) {
  std::vector<std::string> names;
  for (const CompositePart& part : composite.parts) names.push_back(part.part);
  if (std::ranges::all_of(composite.parts, writes)) return done();
  return fail(Fault::bad_input, "'" + printable(given) + "' is no model that writes",
              "its parts are " + join(names, ", "),
              "an encoder with decoders writes, or a decoder alone");
}

Status add_part(const std::string& name, const std::string& given, const Where& said,
                WritingModel& model) {
  HONE_TRY(const GivenModel found, find_model(given, said));
  HONE_TRY_DO(load_whole_model(found.file));
  HONE_TRY(RunPlan plan, plan_of(found));
  model.parts.push_back({name, std::move(plan)});
  model.where = found.where;
  if (found.exported) model.exported = found.exported;
  if (found.exported) model.places.emplace_back(found.exported->source);
  const Path folder = std::filesystem::absolute(found.file).parent_path();
  model.places.push_back(folder);
  if (folder.filename() == "onnx") model.places.push_back(folder.parent_path());
  for (const std::string& note : found.notes)
    if (std::ranges::find(model.notes, note) == model.notes.end()) model.notes.push_back(note);
  return done();
}

// An export is kept by configuration and weights: it may be of another folder with the same, which
// has another tokenizer beside them.
void look_in_checkpoint(const std::string& given, WritingModel& model) {
  if (!names_checkpoint(given)) return;
  model.places = {Path(taken_apart(given).folder)};
  if (model.exported) model.exported->source = model.places.front().string();
}

}  // namespace

Result<WritingModel> find_writing_model(const std::string& given, const Where& said,
                                        const Watch& watch) {
  WritingModel model;
  HONE_TRY(const std::optional<ModelFolder> folder, composite_at(given, said.host, watch));
  if (!folder) {
    HONE_TRY_DO(add_part("model", given, said, model));
    look_in_checkpoint(given, model);
    return model;
  }
  HONE_TRY_DO(check_parts(given, *folder->composite));
  model.exported = folder->exported;
  if (folder->exported) model.places.emplace_back(folder->exported->source);
  model.places.push_back(folder->path);
  model.notes = folder->notes;
  for (const CompositePart& part : folder->composite->parts)
    HONE_TRY_DO(add_part(part.part, given + "#" + part.part, said, model));
  look_in_checkpoint(given, model);
  return model;
}

Path place_with(const WritingModel& model, const std::string& file) {
  const auto has_it = [&](const Path& place) {
    std::error_code unknown;
    return std::filesystem::exists(place / file, unknown);
  };
  const auto found = std::ranges::find_if(model.places, has_it);
  return found != model.places.end() ? *found : model.places.front();
}

Result<SharedTokenizer> find_tokenizer_of(const WritingModel& model, const std::string& said) {
  constexpr auto files = std::to_array<const char*>(
      {"tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "tokenizer.model"});
  Path place = said;
  for (const char* file : files) {
    const Path folder = place_with(model, file);
    std::error_code unknown;
    if (place.empty() && std::filesystem::exists(folder / file, unknown)) place = folder;
  }
  if (place.empty()) return SharedTokenizer();
  HONE_TRY(tokenize::Tokenizer tokenizer, tokenize::load_tokenizer(place));
  // A prompt is read as it is: neither cut off nor filled up behind the user's back.
  HONE_TRY(tokenize::Tokenizer whole, tokenizer.with_truncation(std::nullopt));
  return std::make_shared<const tokenize::Tokenizer>(whole.with_padding(std::nullopt));
}

Result<GenerationSettings> generation_settings_of(const WritingModel& model,
                                                  const tokenize::Tokenizer* tokenizer) {
  constexpr auto own = "generation_config.json";
  const Path place = place_with(model, own);
  std::error_code unknown;
  const bool has_own = std::filesystem::exists(place / own, unknown);
  HONE_TRY(GenerationSettings settings,
           load_generation_settings(has_own ? place : place_with(model, "config.json")));
  if (!settings.padding && tokenizer != nullptr) settings.padding = tokenizer->role("pad_token");
  return settings;
}

}  // namespace hone
