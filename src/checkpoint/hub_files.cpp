#include "checkpoint/hub_files.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/join_some.h"
#include "base/json.h"
#include "base/text.h"

namespace hone::hub {
namespace {

constexpr std::size_t most_shards = 2'000;
constexpr std::size_t longest_name = 1'024;
constexpr std::size_t longest_part = 255;

// Beside the weights, in the repository's own folder.
constexpr std::array<std::string_view, 25> companions = {
    "config.json",
    "generation_config.json",
    "preprocessor_config.json",
    "processor_config.json",
    "image_processor_config.json",
    "video_preprocessor_config.json",
    "feature_extractor_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "tokenizer.model",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "bpe.codes",
    "dict.txt",
    "spiece.model",
    "spm.model",
    "sentencepiece.bpe.model",
    "sentencepiece.model",
    "source.spm",
    "target.spm",
    "chat_template.json",
    "chat_template.jinja",
};

bool has(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view folder_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

std::vector<std::string> ending_with(std::span<const std::string> names,
                                     std::span<const std::string_view> ends) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const bool fits =
        std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
    if (fits) found.push_back(name);
  }
  return found;
}

// "model_quantized.onnx", "decoder_model_q4f16.onnx": the same model again, in other numbers.
bool is_variant(std::string_view onnx) {
  constexpr std::array<std::string_view, 14> ends = {
      "_quantized", "_int8", "_uint8", "_fp16", "_q4", "_q4f16", "_q8",
      "_q8f16",     "_bnb4", "_O1",    "_O2",   "_O3", "_O4",    "_optimized"};
  const std::string_view stem = onnx.substr(0, onnx.rfind('.'));
  const bool is_named =
      std::ranges::any_of(ends, [&](std::string_view end) { return stem.ends_with(end); });
  return is_named || stem.find("_qint8") != std::string_view::npos ||
         stem.find("_quint8") != std::string_view::npos;
}

// "model.onnx_data", "model.onnx_data_1", "model.onnx.data", "model.data".
bool is_data_of(std::string_view name, std::string_view onnx) {
  const std::string_view stem = onnx.substr(0, onnx.rfind('.'));
  if (name == std::string(stem) + ".data") return true;
  if (!name.starts_with(onnx)) return false;
  const std::string_view rest = name.substr(onnx.size());
  return rest == ".data" || rest == "_data" || rest.starts_with("_data_");
}

// The models to take of several: model.onnx, else what is alone, else all parts of the folder that
// has them, in the numbers they were exported with.
std::vector<std::string> choose_onnx(std::span<const std::string> models) {
  for (const char* usual : {"model.onnx", "onnx/model.onnx"})
    if (has(models, usual)) return {usual};
  if (models.size() == 1) return {models.front()};
  for (const std::string_view folder : {"", "onnx"}) {
    std::vector<std::string> parts;
    for (const std::string& model : models)
      if (folder_of(model) == folder && !is_variant(model)) parts.push_back(model);
    if (!parts.empty()) return parts;
  }
  return {};
}

Failure no_weights(const std::string& repository, std::span<const std::string> names) {
  constexpr std::array<std::string_view, 8> pickles = {".bin", ".pt",  ".pth",     ".ckpt",
                                                       ".h5",  ".pkl", ".msgpack", ".pickle"};
  constexpr std::array<std::string_view, 2> others = {".safetensors", ".onnx"};
  constexpr std::array<std::string_view, 1> ggufs = {".gguf"};
  const std::string what = "'" + repository + "' has no weights that can be read";
  if (has(names, "adapter_model.safetensors"))
    return fail(Fault::unsupported, what, "it is an adapter, 'adapter_model.safetensors'",
                "merge it into its base model, and save that as safetensors");
  if (const auto there = ending_with(names, others); !there.empty())
    return fail(Fault::unsupported, what,
                "no model.safetensors and no onnx/model.onnx, but " + join_some(there, 5),
                "fetch one of these by hand, and give its path");
  if (const auto there = ending_with(names, pickles); !there.empty())
    return fail(Fault::unsupported, what,
                "they are pickles or formats of other frameworks (" + join_some(there, 5) +
                    "), and reading a pickle runs what is written in it",
                "look for a revision with model.safetensors, often '" + repository +
                    "@refs/pr/1'; or save it with transformers: save_pretrained(FOLDER)");
  if (const auto there = ending_with(names, ggufs); !there.empty())
    return fail(Fault::unsupported, what, "it has GGUF files (" + join_some(there, 5) + ")",
                "take the repository they were made of");
  return fail(Fault::unsupported, what,
              names.empty() ? "it is empty" : "it has " + join_some(names, 8),
              "a checkpoint has config.json and model.safetensors");
}

Failure broken_index(std::string why) {
  return fail(Fault::bad_input, "'" + std::string(weights_index) + "' of the hub cannot be used",
              std::move(why));
}

}  // namespace

bool is_file_name(std::string_view name) {
  if (name.empty() || name.size() > longest_name || name != to_utf8(name)) return false;
  const bool has_odd = std::ranges::any_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F || c == '\\';
  });
  if (has_odd) return false;
  return std::ranges::all_of(split(name, '/'), [](const std::string& part) {
    return !part.empty() && part != "." && part != ".." && part.size() <= longest_part;
  });
}

Result<WantedFiles> choose_files(const std::string& repository,
                                 std::span<const std::string> names) {
  WantedFiles wanted;
  for (const std::string_view name : companions)
    if (has(names, name)) wanted.files.emplace_back(name);
  wanted.has_index = !has(names, "model.safetensors") && has(names, weights_index);
  const bool has_tensors = wanted.has_index || has(names, "model.safetensors");
  if (has_tensors) {
    wanted.files.emplace_back(wanted.has_index ? weights_index : "model.safetensors");
    if (has(names, "config.json")) return wanted;
    return fail(Fault::unsupported, "'" + repository + "' is no checkpoint",
                "it has weights, and no config.json that says what they are of");
  }
  constexpr std::array<std::string_view, 1> onnx = {".onnx"};
  const std::vector<std::string> models = choose_onnx(ending_with(names, onnx));
  if (models.empty()) return no_weights(repository, names);
  for (const std::string& model : models) {
    wanted.files.push_back(model);
    for (const std::string& name : names)
      if (is_data_of(name, model) && !has(wanted.files, name)) wanted.files.push_back(name);
  }
  return wanted;
}

Result<std::vector<std::string>> shards_of_index(std::string_view index,
                                                 std::span<const std::string> names) {
  const auto json = Json::parse(index);
  if (!json) return broken_index("it is no JSON: " + json.error().what);
  const Json* map = json->find("weight_map");
  if (map == nullptr || map->as_object() == nullptr) return broken_index("it has no 'weight_map'");
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : *map->as_object()) {
    const std::string* name = shard.as_string();
    if (name == nullptr) return broken_index("a tensor's file is " + shard.described_kind());
    if (!is_file_name(*name) || !name->ends_with(".safetensors"))
      return broken_index("it names '" + printable(name->substr(0, 200)) + "'");
    shards.insert(*name);
    if (shards.size() > most_shards) return broken_index("it names too many files");
  }
  const std::set<std::string_view> there(names.begin(), names.end());
  for (const std::string& shard : shards)
    if (!there.contains(shard)) return broken_index("it names '" + shard + "', which is not there");
  if (shards.empty()) return broken_index("it names no file");
  return std::vector<std::string>(shards.begin(), shards.end());
}

}  // namespace hone::hub
