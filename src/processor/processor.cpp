#include "processor/processor.h"

#include <algorithm>
#include <array>

#include "base/no_such.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;
constexpr const char* nested_name = processor_files[0];
constexpr const char* own_name = processor_files[1];

// What pictures' classes were called before.
constexpr std::string_view old_ending = "FeatureExtractor";
constexpr std::string_view new_ending = "ImageProcessor";

bool is_of(const ProcessorKind& kind, std::string_view name) {
  return kind.name == name || std::ranges::find(kind.also, name) != kind.also.end();
}

const ProcessorKind* kind_of_class(std::string name) {
  // Classes that end so differ in the library that does it.
  for (const std::string_view ending : {std::string_view("Fast"), std::string_view("Pil")})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  const std::span<const ProcessorKind> all = all_processors();
  const auto find = [&] {
    const auto found =
        std::ranges::find_if(all, [&](const auto& kind) { return is_of(kind, name); });
    return found == all.end() ? nullptr : &*found;
  };
  if (const ProcessorKind* kind = find()) return kind;
  if (!name.ends_with(old_ending)) return nullptr;
  name.replace(name.size() - old_ending.size(), old_ending.size(), new_ending);
  // "ConvNext" and "ViT" are spelt as they are now in old files too.
  return find();
}

const ProcessorKind* kind_of_model(const std::string& model_type) {
  for (const ProcessorKind& kind : all_processors()) {
    if (std::ranges::find(kind.models, model_type) != kind.models.end()) return &kind;
  }
  return nullptr;
}

struct Named {
  const ProcessorKind* kind;
  std::string name;
};

Failure no_kind(const ProcessorOrder& order, const std::string& what) {
  std::vector<std::string> known;
  for (const ProcessorKind& kind : all_processors()) known.emplace_back(kind.name);
  return fail(Fault::unsupported, "'" + order.file + "' " + what, "known are " + join(known, ", "),
              without_processor);
}

Result<Named> find_kind(const Json& document, const ProcessorOrder& order) {
  for (const auto key : {"image_processor_type", "feature_extractor_type"}) {
    const Json* value = document.find(key);
    const std::string* name = value != nullptr ? value->as_string() : nullptr;
    if (name == nullptr) continue;
    if (const ProcessorKind* kind = kind_of_class(*name)) return Named{kind, *name};
    return no_kind(order, "is for " + printable(*name) + ", which is not known");
  }
  if (order.model_type.empty())
    return no_kind(order, "does not say its class, and there is no config.json with a model_type");
  const ProcessorKind* kind = kind_of_model(order.model_type);
  if (kind == nullptr) {
    return no_kind(order, "does not say its class, and what '" + printable(order.model_type) +
                              "' has is not known");
  }
  return Named{kind, std::string(kind->name)};
}

Result<Json> read_json(const Path& file) {
  HONE_TRY(const std::string text, read_file(file, most_bytes));
  Result<Json> json = Json::parse(text);
  if (json && json->as_object() != nullptr) return json;
  const std::string cause = json ? "it is " + json->described_kind() : json.error().what;
  return fail(Fault::bad_input, "'" + file.string() + "' is no configuration of a processor", cause,
              without_processor);
}

// Nobody asked for it: what cannot be read says nothing.
std::string model_type_in(const Path& folder) {
  const auto text = read_file(folder / "config.json", most_bytes);
  const auto json = text ? Json::parse(*text) : Result<Json>(fail(text.error()));
  const Json* type = json ? json->find("model_type") : nullptr;
  const std::string* name = type != nullptr ? type->as_string() : nullptr;
  return name != nullptr ? *name : "";
}

struct Found {
  Json document;
  Path file;
};

// The configuration for the medium: newer files hold several.
Result<std::optional<Found>> find_document(const Path& place, Medium medium) {
  std::error_code unknown;
  const bool is_folder = std::filesystem::is_directory(place, unknown);
  const Path nested = is_folder ? place / nested_name : place;
  if (std::filesystem::exists(nested, unknown)) {
    HONE_TRY(Json document, read_json(nested));
    const Json* part =
        document.find(medium == Medium::picture ? "image_processor" : "feature_extractor");
    if (part != nullptr && part->as_object() != nullptr)
      return std::optional(Found{Json(*part), nested});
    if (!is_folder) return std::optional(Found{std::move(document), nested});
  }
  const Path own = place / own_name;
  if (!is_folder || !std::filesystem::exists(own, unknown)) return std::optional<Found>();
  HONE_TRY(Json document, read_json(own));
  return std::optional(Found{std::move(document), own});
}

}  // namespace

std::string Processor::describe() const {
  const std::string& words = picture() != nullptr ? picture()->words : sound()->words;
  return "as " + printable(file) + " says (" + printable(name) + "): " + words;
}

Result<Processor> read_processor(const Json& document, const ProcessorOrder& order) {
  HONE_TRY(const Named named, find_kind(document, order));
  Result<Json> defaults = Json::parse(named.kind->defaults);
  HONE_CHECK(defaults.has_value());
  Settings settings(document, *std::move(defaults), order.file, named.name);
  Processor processor{named.name, order.file, PicturePlan{}};
  if (named.kind->picture) {
    HONE_TRY(processor.plan, read_picture_plan(settings, *named.kind->picture, order.pictures));
  } else {
    HONE_TRY(processor.plan, named.kind->sound(settings));
  }
  for (const auto key : {"apply_ocr", "ocr_lang", "tesseract_config"})
    if (settings.knows(key)) settings.pass(key);
  HONE_TRY_DO(settings.refuse_unknown());
  return processor;
}

Result<std::optional<Processor>> find_processor(const Path& place, Medium medium,
                                                const PictureWishes& wishes) {
  HONE_TRY(const std::optional<Found> found, find_document(place, medium));
  if (!found) return std::optional<Processor>();
  const ProcessorOrder order{found->file.filename().string(),
                             model_type_in(found->file.parent_path()), wishes};
  HONE_TRY(Processor processor, read_processor(found->document, order));
  const bool is_for_pictures = processor.picture() != nullptr;
  if (is_for_pictures != (medium == Medium::picture)) return std::optional<Processor>();
  return std::optional(std::move(processor));
}

}  // namespace hone
