#include "tokenize/other_files.h"

#include <array>
#include <set>
#include <string>

#include "base/text.h"
#include "tokenize/fields.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

Json object_of(std::string_view type) {
  Json made = Json::object();
  made.set("type", type);
  return made;
}

// A token of tokenizer_config.json: a string, or an object with its "content".
std::string token_or(const Json& config, std::string_view name, std::string_view other) {
  const Json* found = optional_member(config, name);
  if (found != nullptr && found->as_object() != nullptr) found = found->find("content");
  return found != nullptr && found->as_string() != nullptr ? *found->as_string()
                                                           : std::string(other);
}

Json added_token(std::string_view content) {
  Json token = Json::object();
  token.set("content", content).set("special", true).set("normalized", false);
  return token;
}

// Their ids, where the vocabulary has them.
const Json* id_in(const Json& vocab, std::string_view token) { return vocab.find(token); }

Json around(std::string_view cls, const Json& cls_id, std::string_view sep, const Json& sep_id) {
  Json made = object_of("BertProcessing");
  made.set("cls", Json(Json::Array{Json(cls), cls_id}));
  made.set("sep", Json(Json::Array{Json(sep), sep_id}));
  return made;
}

Result<Json> read_lines(std::string_view text) {
  Json::Object vocab;
  std::set<std::string_view> known;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) {
      line.remove_suffix(1);
    }
    if (valid_prefix(line) != line.size()) {
      return fail(Fault::bad_input, "cannot read the vocabulary",
                  "line " + std::to_string(number + 1) + " is no UTF-8");
    }
    // Where a line is there twice, the last one counts, as in the published library.
    vocab.emplace_back(std::string(line), Json(number++));
  }
  if (vocab.empty()) return fail(Fault::bad_input, "cannot read the vocabulary", "it is empty");
  return Json(std::move(vocab));
}

Failure refuse_class(const std::string& name, std::string cause) {
  return fail(Fault::unsupported, "cannot use the tokenizer's files",
              "they are of the class " + printable(name) + ", which " + std::move(cause),
              "the tokenizer.json that belongs to it");
}

Json one_of_template(std::string_view kind, std::string_view id, int type) {
  Json inner = Json::object();
  inner.set("id", id).set("type_id", type);
  Json made = Json::object();
  made.set(kind, std::move(inner));
  return made;
}

}  // namespace

Result<Json> word_piece_json(std::string_view vocab_txt, const Json& config) {
  HONE_TRY(Json vocab, read_lines(vocab_txt));
  Json normalizer = object_of("BertNormalizer");
  HONE_TRY(const bool lowercases, bool_or(config, "do_lower_case", true));
  HONE_TRY(const bool separates, bool_or(config, "tokenize_chinese_chars", true));
  normalizer.set("clean_text", true).set("handle_chinese_chars", separates);
  normalizer.set("lowercase", lowercases);
  if (optional_member(config, "strip_accents") != nullptr) {
    HONE_TRY(const bool strips, bool_field(config, "strip_accents"));
    normalizer.set("strip_accents", strips);
  }
  const std::string cls = token_or(config, "cls_token", "[CLS]");
  const std::string sep = token_or(config, "sep_token", "[SEP]");
  const std::string unknown = token_or(config, "unk_token", "[UNK]");
  Json added = Json::array();
  for (const std::string& token : {token_or(config, "pad_token", "[PAD]"), unknown, cls, sep,
                                   token_or(config, "mask_token", "[MASK]")}) {
    if (id_in(vocab, token) != nullptr) added.push(added_token(token));
  }
  Json json = Json::object();
  if (id_in(vocab, cls) != nullptr && id_in(vocab, sep) != nullptr) {
    json.set("post_processor", around(cls, *id_in(vocab, cls), sep, *id_in(vocab, sep)));
  }
  Json decoder = object_of("WordPiece");
  decoder.set("prefix", "##").set("cleanup", true);
  Json model = object_of("WordPiece");
  model.set("unk_token", unknown).set("continuing_subword_prefix", "##");
  model.set("max_input_chars_per_word", 100).set("vocab", std::move(vocab));
  json.set("added_tokens", std::move(added)).set("normalizer", std::move(normalizer));
  json.set("pre_tokenizer", object_of("BertPreTokenizer")).set("decoder", std::move(decoder));
  json.set("model", std::move(model));
  return json;
}

Result<Json> byte_level_json(const Json& vocab, std::string_view merges_txt, const Json& config) {
  HONE_TRY(const std::string name, string_or(config, "tokenizer_class", ""));
  if (name.starts_with("CLIP")) return refuse_class(name, "cleans texts in a way of its own");
  if (vocab.as_object() == nullptr) return bad_field("vocab.json", &vocab, "an object");
  Json::Array merges;
  for (const std::string& line : split(merges_txt, '\n')) {
    std::string_view text = line;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty() || text.starts_with("#version")) continue;
    if (text.ends_with("</w>")) return refuse_class(name, "marks the ends of words with </w>");
    merges.emplace_back(text);
  }
  HONE_TRY(const bool adds_space, bool_or(config, "add_prefix_space", false));
  Json bytes = object_of("ByteLevel");
  bytes.set("add_prefix_space", adds_space).set("trim_offsets", true).set("use_regex", true);
  Json json = Json::object();
  Json added = Json::array();
  std::set<std::string> known;
  for (const std::string_view role : {"bos_token", "eos_token", "unk_token", "sep_token",
                                      "cls_token", "pad_token", "mask_token"}) {
    const std::string token = token_or(config, role, "");
    if (token.empty() || id_in(vocab, token) == nullptr || !known.insert(token).second) continue;
    added.push(added_token(token));
  }
  Json model = object_of("BPE");
  model.set("merges", Json(std::move(merges))).set("vocab", vocab);
  json.set("added_tokens", std::move(added)).set("pre_tokenizer", bytes).set("decoder", bytes);
  const Json* cls = id_in(vocab, "<s>");
  const Json* sep = id_in(vocab, "</s>");
  if (name.starts_with("Roberta") && cls != nullptr && sep != nullptr) {
    Json made = object_of("RobertaProcessing");
    made.set("cls", Json(Json::Array{Json("<s>"), *cls}));
    made.set("sep", Json(Json::Array{Json("</s>"), *sep}));
    made.set("trim_offsets", true).set("add_prefix_space", adds_space);
    json.set("post_processor", std::move(made));
  } else {
    json.set("post_processor", bytes);
  }
  json.set("model", std::move(model));
  return json;
}

Status add_template(Json& json, const Json& config) {
  HONE_TRY(const std::string name, string_or(config, "tokenizer_class", ""));
  for (const std::string_view shifted : {"XLMRoberta", "Camembert", "MBart", "Barthez", "M2M100",
                                         "Nllb", "Pegasus", "Deberta", "XLNet", "Marian"}) {
    if (name.starts_with(shifted)) {
      return refuse_class(name, "gives pieces other ids than the SentencePiece model does");
    }
  }
  HONE_TRY(const bool adds_first, bool_or(config, "add_bos_token", name.starts_with("Llama")));
  HONE_TRY(const bool adds_last, bool_or(config, "add_eos_token", name.starts_with("T5")));
  if (!adds_first && !adds_last) return done();
  const std::string first = token_or(config, "bos_token", "<s>");
  const std::string last = token_or(config, "eos_token", "</s>");
  Json single = Json::array();
  Json pair = Json::array();
  for (const std::string_view text : {"A", "B"}) {
    for (Json* pieces : {&single, &pair}) {
      if (pieces == &single && text == "B") continue;
      if (adds_first) pieces->push(one_of_template("SpecialToken", first, 0));
      pieces->push(one_of_template("Sequence", text, 0));
      if (adds_last) pieces->push(one_of_template("SpecialToken", last, 0));
    }
  }
  Json made = object_of("TemplateProcessing");
  made.set("single", std::move(single)).set("pair", std::move(pair));
  made.set("special_tokens", Json::object());
  Json names = Json::array();
  if (adds_first) names.push(first);
  if (adds_last) names.push(last);
  json.set("post_processor", std::move(made)).set("template_tokens", std::move(names));
  return done();
}

}  // namespace hone::tokenize
