// Speech, and its text: read greedily (CTC), as wav2vec2 and its kin give it, or written by a
// decoder (Whisper).

#include <algorithm>

#include "base/text.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/metrics/edits.h"
#include "inspect/eval/similarity.h"
#include "inspect/eval/sound_inputs.h"
#include "inspect/eval/token_inputs.h"
#include "inspect/eval/written.h"

namespace hone::tasks {
namespace {

class SpeechEncoder : public Encoder {
 public:
  explicit SpeechEncoder(SoundInputs inputs) : inputs_(std::move(inputs)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(std::string text, text_in(row, "text"));
    HONE_TRY(Sample sample, inputs_.encode(row, "audio"));
    return std::vector<LabelledSample>{{std::move(sample), Json(std::move(text))}};
  }

  std::map<std::string, std::string> described() const override { return inputs_.described(); }

 private:
  SoundInputs inputs_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  HONE_TRY(SoundInputs inputs, SoundInputs::open(settings));
  return std::unique_ptr<Encoder>(std::make_unique<SpeechEncoder>(std::move(inputs)));
}

class SpeechJudge : public Judge {
 public:
  explicit SpeechJudge(const TaskSettings& settings) : settings_(settings) {
    const auto pad = std::ranges::find_if(settings_.characters, [](const std::string& one) {
      return one == "<pad>" || one == "[PAD]" || one == "<blank>";
    });
    if (pad != settings_.characters.end())
      blank_ = static_cast<std::size_t>(pad - settings_.characters.begin());
  }

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    const std::string* label = judged.label.as_string();
    if (label == nullptr) {
      return fail(Fault::bad_input,
                  "the label of speech is its text, not " + judged.label.described_kind());
    }
    const bool is_written = writes() && holds_ids(judged.outputs, settings_.output);
    HONE_TRY(const std::string heard,
             is_written ? read_written(judged.outputs, settings_) : read(judged.outputs));
    Unit unit;
    unit.expected = spoken_form(*label);
    unit.got = spoken_form(heard);
    const EditCount words = word_edits(unit.expected, unit.got);
    const EditCount characters = character_edits(unit.expected, unit.got);
    unit.scores = {0, 0, 0, unit.expected == unit.got ? 1.0 : 0.0};
    unit.facts = {static_cast<double>(words.edits), static_cast<double>(words.length),
                  static_cast<double>(characters.edits), static_cast<double>(characters.length)};
    return std::optional(std::move(unit));
  }

  std::map<std::string, std::string> described() const override {
    const std::string ctc = "CTC, greedy, class " + std::to_string(blank_) + " is the blank";
    return {{"decoding", writes() ? "the ids that the model gives" : ctc},
            {"compared", "lower case, without punctuation (docs/eval.md)"}};
  }

 private:
  bool writes() const { return settings_.tokenizer != nullptr; }

  Result<std::string> read(const NamedTensors& outputs) const {
    HONE_TRY(const std::vector<double> scores, numbers_of_output(outputs, settings_.output));
    const std::vector<std::int64_t>& dims = outputs.at(settings_.output)->dims;
    const std::size_t classes = settings_.characters.size();
    if (dims.size() != 3 || dims[0] != 1 || static_cast<std::size_t>(dims[2]) != classes) {
      return fail(Fault::unsupported,
                  "the output '" + printable(settings_.output) + "' is not [1, steps, " +
                      std::to_string(classes) + "]: no CTC over vocab.json",
                  {}, "of a model that writes text (Whisper) name the folder of all its parts");
    }
    std::string text;
    std::size_t before = blank_;
    for (std::size_t step = 0; step * classes < scores.size(); ++step) {
      const std::size_t best = index_of_largest(std::span(scores).subspan(step * classes, classes));
      if (best != before && best != blank_) text += spoken(settings_.characters[best]);
      before = best;
    }
    return text;
  }

  // "|" parts words, and what is in angle brackets is not said.
  static std::string spoken(const std::string& token) {
    if (token == "|") return " ";
    return token.size() > 2 && token.front() == '<' && token.back() == '>' ? "" : token;
  }

  TaskSettings settings_;
  std::size_t blank_ = 0;
};

Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  if (settings.characters.empty() && settings.tokenizer == nullptr) {
    return fail(Fault::not_found,
                "speech is read through the model's vocab.json, and there is none", {},
                "--tokenizer FOLDER, with a vocab.json in it");
  }
  return std::unique_ptr<Judge>(std::make_unique<SpeechJudge>(settings));
}

}  // namespace

Task speech_recognition() {
  return {
      .name = "speech-recognition",
      .summary = "Speech, and its text: words and characters read wrong",
      .feed = Feed::sound,
      .metrics = {{.name = "word_accuracy", .of_all = edit_rate_of_all<0, true>, .adds_up = true},
                  {.name = "wer", .of_all = edit_rate_of_all<0, false>, .adds_up = true},
                  {.name = "cer", .of_all = edit_rate_of_all<2, false>, .adds_up = true},
                  {.name = "exact", .is_yes_no = true}},
      .label = "the text",
      .open = open,
      .columns = {{.name = "audio", .holds = "a WAV file", .is_file = true},
                  {.name = "text", .holds = "what is said"}},
      .encode = encode};
}

}  // namespace hone::tasks
