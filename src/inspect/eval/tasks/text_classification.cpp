// Texts, or pairs of them, each of one class.

#include "base/text.h"
#include "inspect/eval/class_figures.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/token_inputs.h"

namespace hone::tasks {
namespace {

class TextEncoder : public Encoder {
 public:
  TextEncoder(TokenInputs inputs, ClassNames classes)
      : inputs_(std::move(inputs)), classes_(std::move(classes)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::string text, text_in(row, "text"));
    HONE_TRY(const std::uint64_t label, classes_.number_of(*row.find("label")));
    const tokenize::EncodeOptions options{.offsets = tokenize::Offsets::none};
    tokenize::Encoding encoding;
    if (row.find("text_pair") != nullptr) {
      HONE_TRY(const std::string pair, text_in(row, "text_pair"));
      HONE_TRY(encoding, inputs_.tokenizer().encode_pair(text, pair, options));
    } else {
      HONE_TRY(encoding, inputs_.tokenizer().encode(text, options));
    }
    return std::vector<LabelledSample>{{inputs_.sample(encoding), Json(label)}};
  }

  std::map<std::string, std::string> described() const override { return inputs_.described(); }

 private:
  TokenInputs inputs_;
  ClassNames classes_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  HONE_TRY(TokenInputs inputs, TokenInputs::open(settings));
  return std::unique_ptr<Encoder>(
      std::make_unique<TextEncoder>(std::move(inputs), settings.classes));
}

}  // namespace

Task text_classification() {
  return {.name = "text-classification",
          .summary = "Texts, each of one class",
          .feed = Feed::tokens,
          .metrics = class_metrics(),
          .label = "the number of the class",
          .open = open_class_judge,
          .columns = {{.name = "text", .holds = "a text"},
                      {.name = "text_pair", .holds = "a second text", .is_required = false},
                      {.name = "label", .holds = "the name or the number of its class"}},
          .encode = encode};
}

}  // namespace hone::tasks
