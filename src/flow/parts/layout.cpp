#include "flow/parts/layout.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"

namespace hone {
namespace {

// In the order in which they run.
constexpr auto part_names = std::to_array<std::string_view>(
    {"text_model", "text_encoder", "text_encoder_2", "embed_tokens", "vision_model",
     "vision_encoder", "audio_model", "audio_encoder", "vae_encoder", "encoder_model",
     "decoder_model", "decoder_with_past_model", "decoder_model_merged",
     "prompt_encoder_mask_decoder", "unet", "transformer", "vae_decoder"});

constexpr auto variant_endings = std::to_array<std::string_view>(
    {"_quantized", "_fp32", "_fp16", "_bf16", "_int8", "_uint8", "_int4", "_uint4", "_q4", "_q4f16",
     "_q8", "_bnb4", "_optimized", "_O1", "_O2", "_O3", "_O4"});

constexpr std::string_view past = "past_key_values";
constexpr std::string_view present = "present";

std::string stem_of(const std::string& file) { return Path(file).stem().string(); }

// The part of which a model is another form; empty: of none.
std::string_view part_of_variant(const std::string& stem) {
  for (const std::string_view part : part_names) {
    if (!stem.starts_with(part)) continue;
    const std::string ending = stem.substr(part.size());
    if (std::ranges::find(variant_endings, ending) != variant_endings.end()) return part;
  }
  return {};
}

// Names of inputs and outputs, as far as they are handed on.
std::vector<std::string> names_of(const std::vector<Value*>& values) {
  std::vector<std::string> names;
  for (const Value* value : values) names.emplace_back(value->name());
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void add_feeds(const PartPorts& from, const PartPorts& to, std::vector<CompositeFeed>& feeds) {
  bool has_caches = false;
  for (const std::string& input : to.inputs) {
    const bool is_cache = input.starts_with(past);
    if (is_cache && contains(from.outputs, std::string(present) + input.substr(past.size())))
      has_caches = true;
    if (from.part == to.part || is_cache) continue;
    const bool is_encoded = input == "encoder_hidden_states" && from.part.starts_with("encoder");
    const std::string output = is_encoded ? "last_hidden_state" : input;
    if (contains(from.outputs, output)) feeds.push_back({from.part, output, to.part, input});
  }
  if (has_caches)
    feeds.push_back({from.part, std::string(present) + ".*", to.part, std::string(past) + ".*"});
}

Status check(const Composite& composite) {
  std::set<std::string> names;
  for (const CompositePart& part : composite.parts) {
    HONE_TRY_DO(check_stays_inside(part.file));
    const bool is_plain =
        !part.part.empty() && part.part.find_first_of("/\\#") == std::string::npos;
    if (!is_plain || part.part.starts_with('.') || !names.insert(part.part).second)
      return fail(Fault::bad_input, "'" + printable(part.part) + "' can be no part",
                  "a part has a name of its own, without '/' and '#'");
  }
  if (!composite.parts.empty()) return done();
  return fail(Fault::bad_input, "it has no parts");
}

}  // namespace

std::optional<Composite> composite_of_names(const std::vector<std::string>& files) {
  Composite composite;
  for (const std::string_view name : part_names) {
    const auto is_it = [&](const std::string& file) { return stem_of(file) == name; };
    const auto is_variant = [&](const std::string& file) {
      return part_of_variant(stem_of(file)) == name;
    };
    const auto found = std::ranges::find_if(files, is_it);
    const auto variants = std::ranges::count_if(files, is_variant);
    if (found != files.end())
      composite.parts.push_back({std::string(name), *found});
    else if (variants == 1)
      composite.parts.push_back({std::string(name), *std::ranges::find_if(files, is_variant)});
  }
  const auto has = [&](std::string_view name) {
    return std::ranges::find(composite.parts, name, &CompositePart::part) != composite.parts.end();
  };
  if (has("decoder_model"))
    std::erase_if(composite.parts,
                  [](const auto& one) { return one.part == "decoder_model_merged"; });
  if (composite.parts.size() < 2) return std::nullopt;
  for (const std::string& file : files)
    if (std::ranges::find(composite.parts, file, &CompositePart::file) == composite.parts.end())
      composite.variants.push_back(file);
  return composite;
}

PartPorts ports_of(const std::string& part, const Model& model) {
  return {.part = part,
          .inputs = names_of(model.graph->inputs()),
          .outputs = names_of(model.graph->outputs())};
}

std::vector<CompositeFeed> feeds_between(const std::vector<PartPorts>& parts) {
  std::vector<CompositeFeed> feeds;
  for (const PartPorts& from : parts)
    for (const PartPorts& to : parts) add_feeds(from, to, feeds);
  return feeds;
}

Result<std::optional<Composite>> read_composite(const Path& folder) {
  const Path file = folder / composite_name;
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return std::optional<Composite>();
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  HONE_TRY(const std::string text, read_file(file, most_bytes));
  const auto read = [&]() -> Result<Composite> {
    HONE_TRY(const Json document, Json::parse(text));
    HONE_TRY(Composite composite, from_document<Composite>(document, composite_schema_version));
    HONE_TRY_DO(check(composite));
    return composite;
  };
  Result<Composite> composite = read();
  if (composite) return std::optional(*std::move(composite));
  Error error = std::move(composite).error();
  error.fault = Fault::bad_input;
  error.what = "'" + file.string() + "' does not say what belongs together: " + error.what;
  return fail(std::move(error));
}

Status write_composite(const Path& folder, const Composite& composite) {
  return write_file(folder / composite_name,
                    to_document(composite, composite_schema_version).dump() + "\n");
}

}  // namespace hone
