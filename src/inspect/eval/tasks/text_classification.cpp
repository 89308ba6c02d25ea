// Texts, or pairs of them, each of one class.

#include "base/text.h"
#include "inspect/eval/class_figures.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/text_encoder.h"

namespace hone::tasks {
namespace {

class ClassEncoder : public TextEncoder {
 public:
  ClassEncoder(TokenInputs inputs, ClassNames classes)
      : TextEncoder(std::move(inputs)), classes_(std::move(classes)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::uint64_t label, classes_.number_of(*row.find("label")));
    HONE_TRY(const tokenize::Encoding encoding,
             row.find("text_pair") != nullptr ? pair_in(row) : tokens_in(row, "text"));
    return std::vector<LabelledSample>{{inputs().sample(encoding), Json(label)}};
  }

 private:
  Result<tokenize::Encoding> pair_in(const Json& row) const {
    HONE_TRY(const std::string text, text_in(row, "text"));
    HONE_TRY(const std::string pair, text_in(row, "text_pair"));
    return inputs().tokenizer().encode_pair(text, pair, {.offsets = tokenize::Offsets::none});
  }

  ClassNames classes_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  HONE_TRY(TokenInputs inputs, TokenInputs::open(settings));
  return std::unique_ptr<Encoder>(
      std::make_unique<ClassEncoder>(std::move(inputs), settings.classes));
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
