// Which files of a folder a tokenizer is made of.

#include <optional>

#include "base/hash.h"
#include "base/text.h"
#include "tokenize/fields.h"
#include "tokenize/other_files.h"
#include "tokenize/parts.h"

namespace hone::tokenize {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 30U;

bool is_file(const Path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// What is read, and what a result names it by.
class Files {
 public:
  Result<std::string> read(const Path& path) {
    HONE_TRY(std::string bytes, read_file(path, largest_file));
    names_.add_field(path.filename().string()).add_field(bytes);
    return bytes;
  }
  std::string identity() { return names_.finish().hex(); }

 private:
  Sha256 names_{};
};

Result<Json> read_json(Files& files, const Path& path) {
  HONE_TRY(const std::string text, files.read(path));
  auto json = Json::parse(text);
  if (!json) {
    return fail(Fault::bad_input, "cannot read '" + printable(path.string()) + "'",
                json.error().what + (json.error().cause.empty() ? "" : ": " + json.error().cause));
  }
  return json;
}

Result<Json> read_config(Files& files, const Path& folder) {
  const Path path = folder / "tokenizer_config.json";
  if (!is_file(path)) return Json::object();
  HONE_TRY(Json config, read_json(files, path));
  if (config.as_object() == nullptr)
    return bad_field("tokenizer_config.json", &config, "an object");
  return config;
}

// Tokens by their role, as the files beside it name them.
void add_roles(const Json& config, const Tokenizer& tokenizer, Parts& parts) {
  for (const std::string_view role : {"mask_token", "pad_token", "unk_token", "cls_token",
                                      "sep_token", "bos_token", "eos_token"}) {
    const Json* found = optional_member(config, role);
    if (found != nullptr && found->as_object() != nullptr) found = found->find("content");
    if (found == nullptr || found->as_string() == nullptr) continue;
    if (const auto id = tokenizer.id(*found->as_string())) parts.roles[std::string(role)] = *id;
  }
}

Failure no_files(const Path& where) {
  return fail(Fault::not_found, "there is no tokenizer at '" + printable(where.string()) + "'",
              "none of tokenizer.json, vocab.txt, vocab.json with merges.txt, spiece.model, "
              "tokenizer.model is there",
              "the folder that has them, or one of the files");
}

enum class Kind { json, word_piece, byte_level, sentence_piece };

struct Found {
  Kind kind = Kind::json;
  Path file{};
};

std::optional<Kind> kind_of(const Path& file) {
  const std::string name = file.filename().string();
  if (name == "vocab.txt") return Kind::word_piece;
  if (name == "vocab.json" || name == "merges.txt") return Kind::byte_level;
  if (name.ends_with(".model")) return Kind::sentence_piece;
  if (name.ends_with(".json")) return Kind::json;
  return std::nullopt;
}

std::optional<Found> find_in(const Path& folder) {
  for (const char* name : {"tokenizer.json", "vocab.txt", "vocab.json", "spiece.model",
                           "tokenizer.model", "sentencepiece.bpe.model"}) {
    const Path file = folder / name;
    if (!is_file(file)) continue;
    if (kind_of(file) == Kind::byte_level && !is_file(folder / "merges.txt")) continue;
    return Found{*kind_of(file), file};
  }
  return std::nullopt;
}

// A folder, one of the files, or a model file: then beside it, or above it (onnx/model.onnx).
Result<Found> find(const Path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    if (auto found = find_in(path)) return *found;
    return no_files(path);
  }
  if (!is_file(path)) return no_files(path);
  if (const auto kind = kind_of(path)) return Found{*kind, path};
  const Path folder = std::filesystem::absolute(path).parent_path();
  if (auto found = find_in(folder)) return *found;
  if (auto found = find_in(folder.parent_path())) return *found;
  return no_files(path);
}

// The ids of a template that only named its tokens.
Status resolve_template(Json& json) {
  const Json* names = json.find("template_tokens");
  if (names == nullptr) return done();
  Json specials = Json::object();
  const Json* vocab = json.find("model")->find("vocab");
  for (const Json& name : *names->as_array()) {
    const std::string& token = *name.as_string();
    std::optional<Json> id;
    if (vocab->as_object() != nullptr && vocab->find(token) != nullptr) id = *vocab->find(token);
    if (const auto* list = vocab->as_array()) {
      for (std::size_t i = 0; i < list->size() && !id; ++i) {
        if (*(*(*list)[i].as_array())[0].as_string() == token) id = Json(i);
      }
    }
    if (!id) {
      return fail(Fault::bad_input, "cannot use the tokenizer's files",
                  "'" + printable(token) + "' is to be added to texts, and is no token");
    }
    Json special = Json::object();
    special.set("ids", Json(Json::Array{*id}));
    specials.set(token, std::move(special));
  }
  Json::Object members;
  for (const auto& [name, value] : *json.find("post_processor")->as_object()) {
    members.emplace_back(name, name == "special_tokens" ? specials : value);
  }
  Json::Object all;
  for (const auto& [name, value] : *json.as_object()) {
    all.emplace_back(name, name == "post_processor" ? Json(members) : value);
  }
  json = Json(std::move(all));
  return done();
}

Result<Json> json_of(const Found& found, Files& files, const Json& config) {
  const Path folder = found.file.parent_path();
  switch (found.kind) {
    case Kind::json:
      return read_json(files, found.file);
    case Kind::word_piece: {
      HONE_TRY(const std::string text, files.read(found.file));
      return word_piece_json(text, config);
    }
    case Kind::byte_level: {
      HONE_TRY(const Json vocab, read_json(files, folder / "vocab.json"));
      HONE_TRY(const std::string merges, files.read(folder / "merges.txt"));
      return byte_level_json(vocab, merges, config);
    }
    case Kind::sentence_piece:
      break;
  }
  HONE_TRY(const std::string bytes, files.read(found.file));
  HONE_TRY(Json json, sentence_piece_json(bytes));
  HONE_TRY_DO(add_template(json, config));
  HONE_TRY_DO(resolve_template(json));
  return json;
}

}  // namespace

Result<Tokenizer> load_tokenizer(const Path& path) {
  HONE_TRY(const Found found, find(path));
  Files files;
  const Path folder = found.file.parent_path();
  HONE_TRY(const Json config, read_config(files, folder));
  HONE_TRY(const Json json, json_of(found, files, config));
  auto read = read_parts(json);
  if (!read) {
    Error error = read.error();
    error.what += " '" + printable(found.file.string()) + "'";
    return fail(std::move(error));
  }
  std::shared_ptr<Parts> parts = *read;
  const Tokenizer tokenizer(parts);
  const Path map = folder / "special_tokens_map.json";
  if (is_file(map)) {
    HONE_TRY(const Json roles, read_json(files, map));
    if (roles.as_object() != nullptr) add_roles(roles, tokenizer, *parts);
  }
  add_roles(config, tokenizer, *parts);
  parts->identity = files.identity();
  return tokenizer;
}

}  // namespace hone::tokenize
