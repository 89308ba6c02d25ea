// Clips of sound, each of one class.

#include "inspect/eval/class_figures.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/sound_inputs.h"

namespace hone::tasks {
namespace {

class ClipEncoder : public Encoder {
 public:
  ClipEncoder(SoundInputs inputs, ClassNames classes)
      : inputs_(std::move(inputs)), classes_(std::move(classes)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::uint64_t label, classes_.number_of(*row.find("label")));
    HONE_TRY(Sample sample, inputs_.encode(row, "audio"));
    return std::vector<LabelledSample>{{std::move(sample), Json(label)}};
  }

  std::map<std::string, std::string> described() const override { return inputs_.described(); }

 private:
  SoundInputs inputs_;
  ClassNames classes_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  HONE_TRY(SoundInputs inputs, SoundInputs::open(settings));
  return std::unique_ptr<Encoder>(
      std::make_unique<ClipEncoder>(std::move(inputs), settings.classes));
}

}  // namespace

Task audio_classification() {
  return {.name = "audio-classification",
          .summary = "Clips of sound, each of one class",
          .feed = Feed::sound,
          .metrics = class_metrics(),
          .label = "the number of the class",
          .open = open_class_judge,
          .columns = {{.name = "audio", .holds = "a WAV file", .is_file = true},
                      {.name = "label", .holds = "the name or the number of its class"}},
          .encode = encode};
}

}  // namespace hone::tasks
