#include "flow/generate/generate.h"

#include <algorithm>

#include "base/misuse.h"
#include "flow/generate/source.h"
#include "flow/generate/texts.h"
#include "flow/job.h"
#include "flow/where.h"

namespace hone {
namespace {

struct PreparedTexts {
  WritingModel model;
  SharedTokenizer tokenizer;
  GenerationSettings settings;
  OpenNetwork open;
  Prompts prompts;  // of a decoder alone
  Source source;    // of an encoder
};

// One pass of the loop: rows that are written side by side.
struct TextBatch {
  std::vector<NamedTensors> samples;  // of an encoder
  Prompts prompts;                    // of a decoder alone
  std::size_t rows = 0;
};

Status check(const GenerateOrder& order) {
  if (!order.prompts.empty() || !order.tokens.empty() || !order.inputs.empty()) return done();
  return misuse("there is nothing to go on from",
                "--prompt TEXT, --tokens IDS, or --input FILE for a picture or a sound");
}

// Caches are sorted on the host where there are beams.
bool searches_beams(const TokenChoice& choice, const GenerationSettings& settings) {
  const bool draws = choice.temperature || choice.top_k || choice.top_p;
  return !draws && choice.beams.value_or(settings.beams) > 1;
}

Result<PreparedTexts> prepare(const GenerateOrder& order, const Watch& watch) {
  PreparedTexts made;
  watch.step("opening the model");
  HONE_TRY(made.model, find_writing_model(order.model, order.where, watch));
  HONE_TRY(made.tokenizer, find_tokenizer_of(made.model, order.tokenizer));
  HONE_TRY(made.settings, generation_settings_of(made.model, made.tokenizer.get()));
  const SourceOrder words{order.prompts, order.tokens, order.inputs, order.sample_rate};
  HONE_TRY(made.prompts, read_prompts(words, made.tokenizer.get()));
  HONE_TRY(made.open, open_network(made.model.parts, searches_beams(order.choice, made.settings)));
  for (const Placement& placement : made.open.placements)
    HONE_TRY_DO(check_placement(order.where, placement));
  if (made.open.network->has_encoder()) {
    HONE_TRY(made.source,
             read_source(words, made.prompts, made.model, made.open.network->source_ports()));
  } else if (!order.inputs.empty()) {
    return misuse("the model reads no files: it goes on from a prompt",
                  "--prompt TEXT, or --tokens IDS");
  }
  return made;
}

// Rows side by side; one at a time where the model chooses how to begin, and for beams.
std::vector<TextBatch> batches_of(const PreparedTexts& prepared, bool one_by_one) {
  const bool has_encoder = prepared.open.network->has_encoder();
  const std::size_t rows = has_encoder ? prepared.source.samples.size() : prepared.prompts.size();
  std::vector<TextBatch> batches;
  for (std::size_t i = 0; i < rows; ++i) {
    if (batches.empty() || one_by_one) batches.emplace_back();
    TextBatch& batch = batches.back();
    ++batch.rows;
    if (has_encoder)
      batch.samples.push_back(prepared.source.samples[i]);
    else
      batch.prompts.push_back(prepared.prompts[i]);
  }
  return batches;
}

bool has_open_places(const GenerationSettings& settings) {
  return std::ranges::any_of(settings.opening, [](const OpeningToken& each) { return !each.id; });
}

class TextRun {
 public:
  TextRun(PreparedTexts& prepared, const ChoiceRules& rules, const GenerateWatch& watch,
          Texts& texts, std::size_t all_rows)
      : prepared_(prepared),
        network_(*prepared.open.network),
        rules_(rules),
        watch_(watch),
        texts_(texts),
        tells_(all_rows == 1 && rules.settings.beams == 1) {}

  Status write_batch(TextBatch batch, Generation& whole) {
    const std::int64_t started = now_ns();
    if (network_.has_encoder()) HONE_TRY_DO(encode(batch, whole));
    const std::size_t first = whole.texts.size();
    HONE_TRY(Generation made, write(batch.prompts, first, started));
    if (whole.times.first_token_ms == 0) whole.times.first_token_ms = made.times.first_token_ms;
    const auto& steps = made.times.step_ms;
    whole.times.step_ms.insert(whole.times.step_ms.end(), steps.begin(), steps.end());
    whole.times.total_ms += static_cast<double>(now_ns() - started) / 1e6;
    for (GeneratedText& text : made.texts) finish(std::move(text), whole);
    return done();
  }

 private:
  Status encode(TextBatch& batch, Generation& whole) {
    const std::int64_t started = now_ns();
    HONE_TRY(const NamedTensors source, join_samples(batch.samples));
    HONE_TRY_DO(network_.encode(source));
    whole.times.encode_ms =
        whole.times.encode_ms.value_or(0) + static_cast<double>(now_ns() - started) / 1e6;
    HONE_TRY(const std::vector<std::int64_t> opening,
             settle_opening(network_, prepared_.settings.opening));
    batch.prompts.assign(batch.rows, opening);
    return done();
  }

  Result<Generation> write(const Prompts& prompts, std::size_t first, std::int64_t started) {
    GenerateHooks hooks;
    hooks.stop = watch_.watch.stop;
    if (rules_.settings.beams > 1) {
      Generation made;
      HONE_TRY(made.texts.emplace_back(), search_text(network_, prompts.front(), rules_, hooks));
      return made;
    }
    hooks.chosen = [&, first](std::size_t row, std::int64_t token) {
      tell(texts_.add(first + row, token));
      return !texts_.is_stopped(first + row);
    };
    return write_texts(network_, prompts, rules_, hooks, started);
  }

  void tell(const std::string& piece) {
    if (tells_ && watch_.said && !piece.empty()) watch_.said(piece);
  }

  void finish(GeneratedText text, Generation& whole) {
    const std::size_t row = whole.texts.size();
    const bool is_whole = rules_.settings.beams > 1;
    for (const std::int64_t token : is_whole ? text.tokens : std::vector<std::int64_t>())
      texts_.add(row, token);
    tell(texts_.finish(row, text));
    if (is_whole && texts_.is_stopped(row)) text.stopped_by = StopReason::stop_text;
    // What a decoder begins with is no prompt of anybody's.
    if (network_.has_encoder()) text.prompt_tokens = 0;
    whole.texts.push_back(std::move(text));
  }

  PreparedTexts& prepared_;
  Network& network_;
  const ChoiceRules& rules_;
  const GenerateWatch& watch_;
  Texts& texts_;
  bool tells_;
};

Status check_opening(const PreparedTexts& prepared) {
  if (!prepared.open.network->has_encoder() || !prepared.settings.opening.empty()) return done();
  return fail(Fault::not_found, "nothing says with which token the decoder begins",
              "neither generation_config.json nor config.json beside the model has a "
              "decoder_start_token_id or bos_token_id",
              "copy the checkpoint's generation_config.json beside the model");
}

GenerateReport report_of(const GenerateOrder& order, const PreparedTexts& prepared,
                         const ChoiceRules& rules) {
  GenerateReport report;
  report.model = order.model;
  report.parts = prepared.open.network->part_names();
  report.target = prepared.model.parts.front().plan.target;
  report.runtime_version = prepared.open.runtime->version();
  report.decoding = describe(rules);
  report.max_tokens = rules.max_tokens;
  report.notes = prepared.model.notes;
  for (const auto* notes : {&prepared.settings.notes, &prepared.source.notes})
    report.notes.insert(report.notes.end(), notes->begin(), notes->end());
  if (rules.settings.ends.empty())
    report.notes.emplace_back(
        "nothing beside the model says which token ends a text: --max-tokens or --stop does");
  return report;
}

}  // namespace

Result<GenerateReport> generate_texts(const GenerateOrder& order, const GenerateWatch& watch) {
  HONE_TRY_DO(check(order));
  HONE_TRY(PreparedTexts prepared, prepare(order, watch.watch));
  HONE_TRY_DO(check_opening(prepared));
  const bool has_encoder = prepared.open.network->has_encoder();
  const std::size_t opening =
      has_encoder ? prepared.settings.opening.size()
                  : std::ranges::max(prepared.prompts, {}, &std::vector<std::int64_t>::size).size();
  HONE_TRY(const ChoiceRules rules, settle_choice(order.choice, prepared.settings, opening));
  const bool one_by_one =
      rules.settings.beams > 1 || (has_encoder && has_open_places(rules.settings));
  const std::size_t rows = has_encoder ? prepared.source.samples.size() : prepared.prompts.size();
  HONE_TRY(Texts texts, Texts::open(prepared.tokenizer, rules, order.choice.stop, rows));
  GenerateReport report = report_of(order, prepared, rules);
  TextRun run(prepared, rules, watch, texts, rows);
  watch.watch.step("writing");
  for (TextBatch& batch : batches_of(prepared, one_by_one)) {
    const bool is_stopped = watch.watch.stop != nullptr && *watch.watch.stop;
    if (is_stopped && !report.generation.texts.empty()) break;
    HONE_TRY_DO(run.write_batch(std::move(batch), report.generation));
  }
  return report;
}

namespace {

Result<GenerateReport> generate_apart(const GenerateOrder& order, const Watch& watch) {
  return generate_texts(order, {.watch = watch});
}

}  // namespace

Job jobs::generate() { return job_of(generate_apart); }

}  // namespace hone
