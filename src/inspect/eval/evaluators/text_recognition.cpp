// Lines of text: which are read right to the last character, and how many characters are.

#include "base/system_files.h"
#include "inspect/eval/ctc.h"
#include "inspect/eval/evaluator.h"

namespace hone::evaluators {
namespace {

class TextJudge : public Judge {
 public:
  TextJudge(std::string output, Characters characters)
      : output_(std::move(output)), characters_(std::move(characters)) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    const std::string* label = judged.label.as_string();
    if (label == nullptr) {
      return fail(Fault::bad_input,
                  "the label of a line of text is the text, not " + judged.label.described_kind());
    }
    HONE_TRY(const std::vector<double> scores, numbers_of_output(judged.outputs, output_));
    HONE_TRY_DO(check(*judged.outputs.at(output_)));
    Unit unit;
    unit.expected = trimmed(*label);
    unit.got = trimmed(decode_greedily(scores, characters_));
    unit.scores = {unit.got == unit.expected ? 1.0 : 0.0,
                   character_accuracy(unit.expected, unit.got)};
    return std::optional(std::move(unit));
  }

 private:
  Status check(const Tensor& scores) const {
    const std::vector<std::int64_t>& dims = scores.dims;
    const auto classes = static_cast<std::int64_t>(characters_.size());
    if (dims.size() != 3 || dims[0] != 1) {
      return fail(Fault::bad_input,
                  "the output '" + output_ + "' is not one line's steps x characters: " +
                      to_string(Type::tensor(scores.type, shape_of(dims))),
                  {}, "name another one: --output-name NAME");
    }
    if (dims[2] == classes) return done();
    return fail(Fault::bad_input,
                "the model tells " + std::to_string(dims[2]) +
                    " classes apart, and the dictionary has " + std::to_string(classes) +
                    " with the blank and the space",
                {}, "give the model's own: --dictionary FILE, one character per line");
  }

  std::string output_;
  Characters characters_;
};

Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  Characters characters = english_characters();
  if (!settings.dictionary.empty()) {
    HONE_TRY(characters, read_characters(settings.dictionary));
  }
  return std::unique_ptr<Judge>(
      std::make_unique<TextJudge>(settings.output, std::move(characters)));
}

}  // namespace

Evaluator text_recognition() {
  return {.name = "text-recognition",
          .summary = "lines of text, read greedily (CTC): whole lines and characters",
          .metrics = {{"exact_line", true}, {"character_accuracy", false}},
          .open = open};
}

}  // namespace hone::evaluators
