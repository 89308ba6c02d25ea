// Pictures, and what is written in them or is to be said of them, from models that write (TrOCR,
// BLIP).

#include "inspect/eval/metrics/edits.h"
#include "inspect/eval/metrics/ngrams.h"
#include "inspect/eval/picture_inputs.h"
#include "inspect/eval/token_inputs.h"
#include "inspect/eval/written.h"

namespace hone::tasks {
namespace {

class PictureEncoder : public Encoder {
 public:
  explicit PictureEncoder(PictureInputs inputs) : inputs_(std::move(inputs)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(std::string text, text_in(row, "text"));
    HONE_TRY(EncodedPicture picture, inputs_.encode(row, "image"));
    return std::vector<LabelledSample>{{std::move(picture.sample), Json(std::move(text))}};
  }

  std::map<std::string, std::string> described() const override { return inputs_.described(); }

 private:
  PictureInputs inputs_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  HONE_TRY(PictureInputs inputs, PictureInputs::open(settings));
  return std::unique_ptr<Encoder>(std::make_unique<PictureEncoder>(std::move(inputs)));
}

Unit score(const std::string& expected, const std::string& got) {
  const EditCount characters = character_edits(expected, got);
  const EditCount words = word_edits(expected, got);
  return {.scores = {0, 0, 0, rouge_l(expected, got), expected == got ? 1.0 : 0.0},
          .expected = {},
          .got = {},
          .facts = {static_cast<double>(characters.edits), static_cast<double>(characters.length),
                    static_cast<double>(words.edits), static_cast<double>(words.length)}};
}

Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  return open_text_judge(settings, score);
}

}  // namespace

Task image_to_text() {
  return {.name = "image-to-text",
          .summary = "Pictures, and their text: characters and words written wrong",
          .feed = Feed::pictures,
          .metrics = {{.name = "character_accuracy",
                       .of_all = edit_rate_of_all<0, true>,
                       .adds_up = true},
                      {.name = "cer", .of_all = edit_rate_of_all<0, false>, .adds_up = true},
                      {.name = "wer", .of_all = edit_rate_of_all<2, false>, .adds_up = true},
                      {.name = "rouge_l"},
                      {.name = "exact", .is_yes_no = true}},
          .label = "the text that is right",
          .open = open,
          .columns = {{.name = "image", .holds = "a picture", .is_file = true},
                      {.name = "text", .holds = "what is written in it, or said of it"}},
          .encode = encode};
}

}  // namespace hone::tasks
