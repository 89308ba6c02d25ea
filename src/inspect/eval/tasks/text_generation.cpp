// Text, and what comes next: how likely a model finds each token after those before it.

#include "base/text.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/token_inputs.h"
#include "inspect/eval/token_scores.h"

namespace hone::tasks {
namespace {

// --- Rows

// A text longer than the model takes goes through it in windows; what a window shares with the one
// before is what its other tokens are judged after.
class StreamEncoder : public Encoder {
 public:
  StreamEncoder(TokenInputs inputs, tokenize::Tokenizer whole)
      : inputs_(std::move(inputs)), whole_(std::move(whole)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::string text, text_in(row, "text"));
    const tokenize::EncodeOptions options{.offsets = tokenize::Offsets::none};
    HONE_TRY(const tokenize::Encoding whole, whole_.encode(text, options));
    HONE_TRY(const std::vector<tokenize::Encoding> windows, inputs_.windows_of(whole));
    if (whole.size() < 2) return fail(Fault::bad_input, "its text has fewer than two tokens");
    std::vector<LabelledSample> samples;
    for (const tokenize::Encoding& window : windows) {
      Json label = label_of(window, &window == &windows.front() ? 0 : inputs_.shared());
      label.set("ends", &window == &windows.back());
      samples.push_back({inputs_.sample(window), std::move(label)});
    }
    return samples;
  }

  std::map<std::string, std::string> described() const override {
    auto described = inputs_.described();
    described["windows"] = "stride " + std::to_string(inputs_.shared());
    return described;
  }

 private:
  // What a template adds before the text is what its first token is judged after; what it adds
  // behind is not judged.
  static Json label_of(const tokenize::Encoding& window, std::size_t shared) {
    std::size_t before = 0;
    while (before < window.size() && window.sequences[before] != 0) ++before;
    std::size_t end = window.size();
    while (end > before && window.sequences[end - 1] != 0) --end;
    Json ids = Json::array();
    for (std::size_t i = 0; i < end; ++i) ids.push(window.ids[i]);
    Json label = Json::object();
    label.set("ids", std::move(ids));
    label.set("from", std::max<std::size_t>(before + shared, 1));
    return label;
  }

  TokenInputs inputs_;
  tokenize::Tokenizer whole_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  HONE_TRY(TokenInputs inputs, TokenInputs::open(settings));
  HONE_TRY(tokenize::Tokenizer whole, inputs.unlimited());
  return std::unique_ptr<Encoder>(
      std::make_unique<StreamEncoder>(std::move(inputs), std::move(whole)));
}

// --- The judge

class NextTokenJudge : public Judge {
 public:
  explicit NextTokenJudge(const TaskSettings& settings) : settings_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    const Json* ids = judged.label.find("ids");
    const Json* from = judged.label.find("from");
    const Json* ends = judged.label.find("ends");
    if (ids == nullptr || ids->as_array() == nullptr || from == nullptr || ends == nullptr)
      return fail(Fault::bad_input, "the label does not hold the tokens of a text");
    HONE_TRY(const std::uint64_t first, from->to_uint());
    HONE_TRY(const VocabularyScores scores,
             VocabularyScores::read(judged.outputs, settings_.output));
    const Json::Array& tokens = *ids->as_array();
    if (tokens.size() > scores.tokens())
      return fail(Fault::bad_input, "the output has fewer tokens than the input");
    for (std::size_t i = static_cast<std::size_t>(std::max<std::uint64_t>(first, 1));
         i < tokens.size(); ++i) {
      HONE_TRY(const std::uint64_t token, tokens[i].to_uint());
      HONE_TRY(const TokenScore score, scores.of(i - 1, token));
      right_ += score.rank == 0 ? 1 : 0;
      loss_ += score.loss;
      ++count_;
    }
    if (ends->as_bool() == nullptr || !*ends->as_bool()) return std::optional<Unit>();
    Unit unit{.scores = {count_ > 0 ? right_ / count_ : 0, 0},
              .expected = {},
              .got = {},
              .facts = {loss_, count_}};
    right_ = loss_ = count_ = 0;
    return std::optional(std::move(unit));
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", "none: the text is given, and each next token is scored"}};
  }

 private:
  TaskSettings settings_;
  double right_ = 0;
  double loss_ = 0;
  double count_ = 0;
};

Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  return std::unique_ptr<Judge>(std::make_unique<NextTokenJudge>(settings));
}

}  // namespace

Task text_generation() {
  return {.name = "text-generation",
          .summary = "Text, and what comes next: the next token and perplexity",
          .feed = Feed::tokens,
          .metrics = {{.name = "next_token"},
                      {.name = "perplexity", .unit = "perplexity", .of_all = perplexity_of, .adds_up = true}},
          .label = "{\"ids\": TOKENS, \"from\": PLACE, \"ends\": true or false}",
          .open = open,
          .columns = {{.name = "text", .holds = "a text, as long as it likes"}},
          .encode = encode};
}

}  // namespace hone::tasks
