// Text, and what comes next: how likely a model finds each token after those before it.

#include <utility>

#include "base/text.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/text_encoder.h"
#include "inspect/eval/token_scores.h"

namespace hone::tasks {
namespace {

// --- Rows

// A text longer than the model takes goes through it in windows; what a window shares with the one
// before is what its other tokens are judged after.
class StreamEncoder : public TextEncoder {
 public:
  StreamEncoder(TokenInputs inputs, tokenize::Tokenizer whole)
      : TextEncoder(std::move(inputs)), whole_(std::move(whole)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::string text, text_in(row, "text"));
    const tokenize::EncodeOptions options{.offsets = tokenize::Offsets::none};
    HONE_TRY(const tokenize::Encoding whole, whole_.encode(text, options));
    HONE_TRY(const std::vector<tokenize::Encoding> windows, inputs().windows_of(whole));
    if (whole.size() < 2) return fail(Fault::bad_input, "its text has fewer than two tokens");
    std::vector<LabelledSample> samples;
    for (const tokenize::Encoding& window : windows) {
      Json label = label_of(window, &window == &windows.front() ? 0 : inputs().shared());
      label.set("ends", &window == &windows.back());
      samples.push_back({inputs().sample(window), std::move(label)});
    }
    return samples;
  }

  std::map<std::string, std::string> described() const override {
    auto described = TextEncoder::described();
    described["windows"] = "stride " + std::to_string(inputs().shared());
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
      text_.add(score);
    }
    if (ends->as_bool() == nullptr || !*ends->as_bool()) return std::optional<Unit>();
    const TextScore whole = std::exchange(text_, {});
    return std::optional(whole.unit({whole.share(whole.first), 0}));
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", "none: the text is given, and each next token is scored"}};
  }

 private:
  TaskSettings settings_;
  TextScore text_;  // that has not ended yet
};

}  // namespace

Task text_generation() {
  return {.name = "text-generation",
          .summary = "Text, and what comes next: the next token and perplexity",
          .feed = Feed::tokens,
          .metrics = {{.name = "next_token"},
                      {.name = "perplexity",
                       .unit = "perplexity",
                       .of_all = perplexity_of,
                       .adds_up = true}},
          .label = "{\"ids\": TOKENS, \"from\": PLACE, \"ends\": true or false}",
          .open = open_judge<NextTokenJudge>,
          .columns = {{.name = "text", .holds = "a text, as long as it likes"}},
          .encode = encode};
}

}  // namespace hone::tasks
