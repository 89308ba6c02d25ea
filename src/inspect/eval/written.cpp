#include "inspect/eval/written.h"

#include "base/text.h"
#include "inspect/eval/metrics/ngrams.h"

namespace hone {
namespace {

constexpr std::size_t orders = chrf_characters + chrf_words;

class SourceEncoder : public TextEncoder {
 public:
  using TextEncoder::TextEncoder;

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(std::string target, text_in(row, "target"));
    HONE_TRY(const tokenize::Encoding encoding, tokens_in(row, "source"));
    return std::vector<LabelledSample>{{inputs().sample(encoding), Json(std::move(target))}};
  }
};

class TextJudge : public Judge {
 public:
  TextJudge(const TaskSettings& settings, ScoreText score) : settings_(settings), score_(score) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    const std::string* expected = judged.label.as_string();
    if (expected == nullptr) {
      return fail(Fault::bad_input,
                  "the label is the text that is right, not " + judged.label.described_kind());
    }
    HONE_TRY(const std::string got, read_written(judged.outputs, settings_));
    Unit unit = score_(*expected, got);
    unit.expected = *expected;
    unit.got = got;
    return std::optional(std::move(unit));
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", "the ids that the model gives"}};
  }

 private:
  TaskSettings settings_;
  ScoreText score_;
};

double chrf_of_sums(std::span<const std::vector<double>> facts,
                    std::span<const std::uint32_t> times, std::size_t taken) {
  std::vector<NgramCounts> sums(orders);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    for (std::size_t order = 0; order < orders; ++order) {
      sums[order].got += times[i] * facts[i][3 * order];
      sums[order].expected += times[i] * facts[i][3 * order + 1];
      sums[order].both += times[i] * facts[i][3 * order + 2];
    }
  }
  return chrf_of(std::span(sums).first(taken));
}

}  // namespace

bool holds_ids(const NamedTensors& outputs, const std::string& output) {
  const auto found = outputs.find(output);
  return found != outputs.end() && !is_float(found->second->type) && to_ints(*found->second);
}

Result<std::string> read_written(const NamedTensors& outputs, const TaskSettings& settings) {
  if (!holds_ids(outputs, settings.output)) {
    return fail(Fault::unsupported,
                "the output '" + printable(settings.output) + "' holds no ids of an answer", {},
                "name the folder of the encoder and its decoders, or a model with its search in "
                "the graph");
  }
  HONE_TRY(const std::vector<std::int64_t> ids, to_ints(*outputs.at(settings.output)));
  std::vector<std::uint32_t> tokens;
  for (const std::int64_t id : ids)
    if (id >= 0) tokens.push_back(static_cast<std::uint32_t>(id));
  return std::string(trimmed(settings.tokenizer->decode(tokens)));
}

Result<std::unique_ptr<Encoder>> open_source_encoder(const EncoderSettings& settings) {
  return open_text_encoder<SourceEncoder>(settings);
}

Result<std::unique_ptr<Judge>> open_text_judge(const TaskSettings& settings, ScoreText score) {
  if (settings.tokenizer == nullptr) {
    return fail(Fault::not_found,
                "ids become text through the model's tokenizer, and there is none", {},
                "--tokenizer FOLDER, with tokenizer.json in it");
  }
  return std::unique_ptr<Judge>(std::make_unique<TextJudge>(settings, score));
}

std::vector<double> chrf_facts(const std::string& expected, const std::string& got) {
  std::vector<double> facts;
  for (const NgramCounts& counts : chrf_counts(expected, got))
    for (const double count : {counts.got, counts.expected, counts.both}) facts.push_back(count);
  return facts;
}

WholeFigure chrf_of_all(std::span<const std::vector<double>> facts) {
  return [facts](std::span<const std::uint32_t> times) {
    return chrf_of_sums(facts, times, chrf_characters);
  };
}

WholeFigure chrf_plus_of_all(std::span<const std::vector<double>> facts) {
  return
      [facts](std::span<const std::uint32_t> times) { return chrf_of_sums(facts, times, orders); };
}

}  // namespace hone
