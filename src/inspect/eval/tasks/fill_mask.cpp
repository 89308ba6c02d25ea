// Texts with words left out: each token of a text is hidden in turn, and the model is asked for it.

#include <utility>

#include "base/text.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/text_encoder.h"
#include "inspect/eval/token_scores.h"

namespace hone::tasks {
namespace {

// --- Rows

class MaskEncoder : public TextEncoder {
 public:
  MaskEncoder(TokenInputs inputs, std::uint32_t mask)
      : TextEncoder(std::move(inputs)), mask_(mask) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::string text, text_in(row, "text"));
    HONE_TRY(tokenize::Encoding encoding, tokens_of(text));
    std::vector<LabelledSample> samples;
    for (std::size_t i = 0; i < encoding.size(); ++i) {
      if (encoding.sequences[i] != 0) continue;
      const std::uint32_t token = encoding.ids[i];
      encoding.ids[i] = mask_;
      Json label = Json::object();
      label.set("at", i);
      label.set("token", token);
      samples.push_back({inputs().sample(encoding), std::move(label)});
      encoding.ids[i] = token;
    }
    if (samples.empty()) return fail(Fault::bad_input, "its text has no token");
    samples.back().label.set("text", text);
    return samples;
  }

  std::map<std::string, std::string> described() const override {
    auto described = TextEncoder::described();
    described["masking"] = "each token of a text in turn";
    return described;
  }

 private:
  std::uint32_t mask_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  HONE_TRY(TokenInputs inputs, TokenInputs::open(settings));
  const auto mask = inputs.tokenizer().role("mask_token");
  if (!mask) {
    return fail(Fault::unsupported, "the tokenizer has no token for a word that is left out", {},
                "fill-mask is for models with a [MASK] or <mask>");
  }
  return std::unique_ptr<Encoder>(std::make_unique<MaskEncoder>(std::move(inputs), *mask));
}

// --- The judge

class MaskJudge : public Judge {
 public:
  explicit MaskJudge(const TaskSettings& settings) : settings_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    const Json* at = judged.label.find("at");
    const Json* token = judged.label.find("token");
    if (at == nullptr || token == nullptr)
      return fail(Fault::bad_input, "the label does not say which token was hidden");
    HONE_TRY(const std::uint64_t place, at->to_uint());
    HONE_TRY(const std::uint64_t hidden, token->to_uint());
    HONE_TRY(const VocabularyScores scores,
             VocabularyScores::read(judged.outputs, settings_.output));
    if (place >= scores.tokens())
      return fail(Fault::bad_input, "the output has fewer tokens than the input");
    HONE_TRY(const TokenScore score, scores.of(static_cast<std::size_t>(place), hidden));
    text_.add(score);
    const Json* text = judged.label.find("text");
    if (text == nullptr) return std::optional<Unit>();
    const TextScore whole = std::exchange(text_, {});
    return std::optional(whole.unit({whole.share(whole.first), whole.share(whole.among_five), 0}));
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", "tokens by their score"}};
  }

 private:
  TaskSettings settings_;
  TextScore text_;  // that has not ended yet
};

}  // namespace

Task fill_mask() {
  return {.name = "fill-mask",
          .summary = "Text with words left out, one token at a time",
          .feed = Feed::tokens,
          .metrics = {{.name = "top1"},
                      {.name = "top5"},
                      {.name = "pseudo_perplexity",
                       .unit = "perplexity",
                       .of_all = perplexity_of,
                       .adds_up = true}},
          .label = "{\"at\": PLACE, \"token\": ID, \"text\": TEXT with the last of a text}",
          .open = open_judge<MaskJudge>,
          .columns = {{.name = "text", .holds = "a text"}},
          .encode = encode};
}

}  // namespace hone::tasks
