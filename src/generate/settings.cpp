#include "generate/settings.h"

#include <algorithm>

#include "base/text.h"

namespace hone {
namespace {

// The largest of published ones has some 200 KB, of labels.
constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;

// Looks a key up where transformers would.
class Sources {
 public:
  explicit Sources(std::vector<const Json*> documents) : documents_(std::move(documents)) {}

  // Null where nothing or null is said.
  const Json* find(std::string_view key) const {
    for (const Json* document : documents_) {
      const Json* found = document->find(key);
      if (found != nullptr && !found->is_null()) return found;
    }
    return nullptr;
  }

  Status whole(std::string_view key, std::int64_t& target) const {
    return read(key, [&](const Json& said) -> Status {
      HONE_TRY(target, said.to_int());
      return done();
    });
  }

  Status real(std::string_view key, double& target) const {
    return read(key, [&](const Json& said) -> Status {
      HONE_TRY(target, said.to_double());
      return done();
    });
  }

  // One token, or a list of them.
  Status tokens(std::string_view key, std::vector<std::int64_t>& target) const {
    return read(key, [&](const Json& said) -> Status {
      if (said.as_array() == nullptr) return add_token(said, target);
      for (const Json& each : *said.as_array()) HONE_TRY_DO(add_token(each, target));
      return done();
    });
  }

  // The first of a list, as configurations have it that may force different ones.
  Status token(std::string_view key, std::optional<std::int64_t>& target) const {
    std::vector<std::int64_t> found;
    HONE_TRY_DO(tokens(key, found));
    if (!found.empty()) target = found.front();
    return done();
  }

 private:
  template <class Take>
  Status read(std::string_view key, const Take& take) const {
    const Json* said = find(key);
    if (said == nullptr) return done();
    Status taken = take(*said);
    if (taken) return taken;
    Error error = std::move(taken).error();
    error.fault = Fault::bad_input;
    error.what = "the generation configuration says no " + std::string(key) + ": " + error.what;
    return fail(std::move(error));
  }

  static Status add_token(const Json& said, std::vector<std::int64_t>& target) {
    HONE_TRY(const std::int64_t token, said.to_int());
    target.push_back(token);
    return done();
  }

  std::vector<const Json*> documents_;
};

// Lists of tokens that may not come: hone forbids single ones.
Status add_bad_words(const Sources& sources, GenerationSettings& settings) {
  const Json* words = sources.find("bad_words_ids");
  if (words == nullptr || words->as_array() == nullptr) return done();
  for (const Json& word : *words->as_array()) {
    const Json::Array* tokens = word.as_array();
    if (tokens != nullptr && tokens->size() == 1) {
      HONE_TRY(const std::int64_t token, tokens->front().to_int());
      settings.never.push_back(token);
    } else {
      settings.notes.emplace_back("bad_words_ids of several tokens are not forbidden");
    }
  }
  return done();
}

// --- what a decoder begins with

std::vector<std::int64_t> values_of(const Json* object) {
  std::vector<std::int64_t> values;
  if (object == nullptr || object->as_object() == nullptr) return values;
  for (const auto& [name, value] : *object->as_object())
    if (const auto token = value.to_int()) values.push_back(*token);
  std::ranges::sort(values);
  return values;
}

// [[1, 50259], [2, null]]: places after the first token, in their order.
Status add_forced_places(const Json& places, const Sources& sources, GenerationSettings& settings) {
  const auto refuse = [] {
    return fail(Fault::bad_input, "forced_decoder_ids are no places and tokens",
                "they are [[1, TOKEN], [2, TOKEN], ...], one behind the other");
  };
  if (places.as_array() == nullptr) return refuse();
  for (const Json& each : *places.as_array()) {
    const Json::Array* pair = each.as_array();
    if (pair == nullptr || pair->size() != 2) return refuse();
    const auto place = pair->front().to_uint();
    if (!place || *place != settings.opening.size()) return refuse();
    OpeningToken token;
    if (const auto id = pair->back().to_int()) {
      token.id = *id;
    } else if (*place == 1) {
      token.among = values_of(sources.find("lang_to_id"));
    }
    settings.opening.push_back(std::move(token));
  }
  return done();
}

// Whisper's: which language, what to do with it, and that no times are wanted.
void add_whisper_places(const Sources& sources, GenerationSettings& settings) {
  std::vector<std::int64_t> languages = values_of(sources.find("lang_to_id"));
  const Json* tasks = sources.find("task_to_id");
  const Json* transcribe = tasks == nullptr ? nullptr : tasks->find("transcribe");
  const Json* says = sources.find("is_multilingual");
  if (languages.empty() || transcribe == nullptr || !transcribe->to_int()) return;
  if (says != nullptr && says->as_bool() != nullptr && !*says->as_bool()) return;
  settings.opening.push_back({.id = {}, .among = std::move(languages)});
  settings.opening.push_back({.id = *transcribe->to_int(), .among = {}});
}

Status add_no_times(const Sources& sources, GenerationSettings& settings) {
  std::optional<std::int64_t> no_times;
  HONE_TRY_DO(sources.token("no_timestamps_token_id", no_times));
  const bool is_there = settings.opening.empty() || settings.opening.back().id == no_times;
  if (no_times && !is_there) settings.opening.push_back({.id = no_times, .among = {}});
  return done();
}

Status read_opening(const Sources& sources, GenerationSettings& settings) {
  std::optional<std::int64_t> start;
  HONE_TRY_DO(sources.token("decoder_start_token_id", start));
  if (!start) HONE_TRY_DO(sources.token("bos_token_id", start));
  if (!start) return done();
  settings.opening.push_back({.id = start, .among = {}});
  if (const Json* places = sources.find("forced_decoder_ids")) {
    HONE_TRY_DO(add_forced_places(*places, sources, settings));
  } else {
    add_whisper_places(sources, settings);
  }
  return add_no_times(sources, settings);
}

// --- all of it

Status read_lengths(const Sources& sources, GenerationSettings& settings) {
  HONE_TRY_DO(sources.whole("min_new_tokens", settings.least_tokens));
  HONE_TRY_DO(sources.whole("max_new_tokens", settings.most_tokens));
  HONE_TRY_DO(sources.whole("min_length", settings.least_length));
  return sources.whole("max_length", settings.most_length);
}

Status read_search(const Sources& sources, GenerationSettings& settings) {
  HONE_TRY_DO(sources.whole("num_beams", settings.beams));
  HONE_TRY_DO(sources.real("length_penalty", settings.length_penalty));
  HONE_TRY_DO(sources.real("repetition_penalty", settings.repetition_penalty));
  HONE_TRY_DO(sources.whole("no_repeat_ngram_size", settings.ngram));
  const Json* early = sources.find("early_stopping");
  settings.stops_early = early != nullptr && early->as_bool() != nullptr && *early->as_bool();
  const Json* draws = sources.find("do_sample");
  if (draws != nullptr && draws->as_bool() != nullptr && *draws->as_bool())
    settings.notes.emplace_back(
        "generation_config.json says do_sample; the likeliest tokens are taken, unless "
        "--temperature, --top-k or --top-p is given");
  return done();
}

// How many tokens a decoder has places for. T5's are relative: its n_positions limits nothing.
std::int64_t context_of(const Json& config) {
  const Json* type = config.find("model_type");
  if (type != nullptr && type->as_string() != nullptr && type->as_string()->ends_with("t5"))
    return 0;
  std::vector<const Json*> places;
  for (const char* part : {"decoder", "text_config"})
    if (const Json* found = config.find(part)) places.push_back(found);
  places.push_back(&config);
  for (const Json* place : places) {
    for (const char* key : {"max_target_positions", "max_position_embeddings", "n_positions"}) {
      const Json* said = place->find(key);
      const auto positions = said == nullptr ? Result<std::int64_t>(0) : said->to_int();
      if (positions && *positions > 0) return *positions;
    }
  }
  return 0;
}

// transformers ends captions of BLIP with the separator of its words, whatever is said elsewhere.
void end_as_blip_does(const Json& config, GenerationSettings& settings) {
  const Json* type = config.find("model_type");
  if (type == nullptr || type->as_string() == nullptr || *type->as_string() != "blip") return;
  const Json* text = config.find("text_config");
  const Json* separator = text == nullptr ? nullptr : text->find("sep_token_id");
  if (separator == nullptr || !separator->to_int()) return;
  settings.ends = {*separator->to_int()};
}

Status check(const GenerationSettings& settings) {
  const bool holds = settings.beams >= 1 && settings.beams <= 1024 && settings.ngram >= 0 &&
                     settings.repetition_penalty > 0;
  if (holds) return done();
  return fail(
      Fault::bad_input, "the generation configuration cannot be meant",
      "num_beams is 1 to 1024, no_repeat_ngram_size at least 0, repetition_penalty above 0");
}

Result<Json> read_object(const Path& file) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return Json();
  HONE_TRY(const std::string text, read_file(file, most_bytes));
  auto document = Json::parse(text);
  if (document && document->as_object()) return std::move(*document);
  return fail(Fault::bad_input, "'" + file.string() + "' is no configuration",
              document ? "it is " + document->described_kind() : document.error().what);
}

}  // namespace

Result<GenerationSettings> read_generation_settings(const Json& config, const Json& generation) {
  std::vector<const Json*> documents = {&generation};
  if (generation.is_null()) {
    documents = {&config};
    for (const char* part : {"decoder", "text_config"})
      if (const Json* found = config.find(part)) documents.push_back(found);
  }
  const Sources sources(std::move(documents));
  GenerationSettings settings;
  HONE_TRY_DO(sources.tokens("eos_token_id", settings.ends));
  HONE_TRY_DO(sources.token("pad_token_id", settings.padding));
  HONE_TRY_DO(sources.token("forced_bos_token_id", settings.forced_first));
  HONE_TRY_DO(sources.token("forced_eos_token_id", settings.forced_last));
  HONE_TRY_DO(sources.tokens("suppress_tokens", settings.never));
  HONE_TRY_DO(sources.tokens("begin_suppress_tokens", settings.never_first));
  HONE_TRY_DO(add_bad_words(sources, settings));
  HONE_TRY_DO(read_lengths(sources, settings));
  HONE_TRY_DO(read_search(sources, settings));
  HONE_TRY_DO(read_opening(sources, settings));
  end_as_blip_does(config, settings);
  settings.context = context_of(config);
  HONE_TRY_DO(check(settings));
  return settings;
}

Result<GenerationSettings> load_generation_settings(const Path& folder) {
  HONE_TRY(const Json config, read_object(folder / "config.json"));
  HONE_TRY(const Json generation, read_object(folder / "generation_config.json"));
  return read_generation_settings(config, generation);
}

}  // namespace hone
