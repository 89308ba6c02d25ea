// Texts, and classes that the model was never trained on: a model of entailment is asked of each
// whether the text says so.

#include <algorithm>

#include "base/text.h"
#include "inspect/eval/class_figures.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/similarity.h"
#include "inspect/eval/token_inputs.h"

namespace hone::tasks {
namespace {

constexpr std::string_view blank = "{}";

std::string filled(std::string hypothesis, const std::string& name) {
  return hypothesis.replace(hypothesis.find(blank), blank.size(), name);
}

class HypothesisEncoder : public Encoder {
 public:
  HypothesisEncoder(TokenInputs inputs, std::string hypothesis)
      : inputs_(std::move(inputs)), hypothesis_(std::move(hypothesis)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::string text, text_in(row, "text"));
    HONE_TRY(const std::string label, text_in(row, "label"));
    HONE_TRY(const std::vector<std::string> classes, texts_in(row, "classes"));
    const auto right = std::ranges::find(classes, label);
    if (right == classes.end()) {
      return fail(Fault::bad_input, "its label '" + printable(label) + "' is none of its classes");
    }
    std::vector<LabelledSample> samples;
    for (const std::string& name : classes) {
      HONE_TRY(const tokenize::Encoding encoding,
               inputs_.tokenizer().encode_pair(text, filled(hypothesis_, name),
                                               {.offsets = tokenize::Offsets::none}));
      samples.push_back({inputs_.sample(encoding), Json::object()});
      samples.back().label.set("class", name);
    }
    samples.back().label.set("right", right - classes.begin());
    return samples;
  }

  std::map<std::string, std::string> described() const override {
    auto described = inputs_.described();
    described["hypothesis"] = hypothesis_;
    return described;
  }

 private:
  TokenInputs inputs_;
  std::string hypothesis_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  if (settings.hypothesis.find(blank) == std::string::npos) {
    return fail(Fault::bad_input, "the hypothesis has no place for a class", settings.hypothesis,
                "put {} where the name of the class goes");
  }
  HONE_TRY(TokenInputs inputs, TokenInputs::open(settings));
  return std::unique_ptr<Encoder>(
      std::make_unique<HypothesisEncoder>(std::move(inputs), settings.hypothesis));
}

class HypothesisJudge : public Judge {
 public:
  HypothesisJudge(const TaskSettings& settings, std::size_t entails)
      : settings_(settings), entails_(entails) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const std::vector<double> scores, numbers_of_output(judged.outputs, settings_.output));
    if (entails_ >= scores.size())
      return fail(Fault::bad_input, "the model has no score of entailment");
    HONE_TRY(const std::string name, text_in(judged.label, "class"));
    scores_.push_back(scores[entails_]);
    names_.push_back(name);
    const Json* given = judged.label.find("right");
    if (given == nullptr) return std::optional<Unit>();
    HONE_TRY(const std::uint64_t right, given->to_uint());
    if (right >= names_.size())
      return fail(Fault::bad_input, "the label is the number of one of the classes");
    const std::size_t chosen = index_of_largest(scores_);
    Unit unit{
        .scores = {chosen == right ? 1.0 : 0.0}, .expected = names_[right], .got = names_[chosen]};
    scores_.clear();
    names_.clear();
    return std::optional(std::move(unit));
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", "the class whose hypothesis has the largest score of class " +
                             std::to_string(entails_)}};
  }

 private:
  TaskSettings settings_;
  std::size_t entails_;
  std::vector<double> scores_;
  std::vector<std::string> names_;
};

// The class that says that one text follows from the other.
Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  for (std::size_t i = 0; i < settings.class_names.size(); ++i) {
    if (!lowercase(settings.class_names[i]).starts_with("entail")) continue;
    return std::unique_ptr<Judge>(std::make_unique<HypothesisJudge>(settings, i));
  }
  return fail(Fault::unsupported, "none of the model's classes is called entailment", {},
              "put the config.json with its id2label beside the model");
}

}  // namespace

Task zero_shot_classification() {
  return {.name = "zero-shot-classification",
          .summary = "Texts, and classes that a model of entailment is asked for",
          .feed = Feed::tokens,
          .metrics = {{.name = "accuracy", .is_yes_no = true}},
          .label = "{\"class\": NAME, \"right\": NUMBER with the last class of a text}",
          .open = open,
          .columns = {{.name = "text", .holds = "a text"},
                      {.name = "label", .holds = "the class that is right, by its name"},
                      {.name = "classes", .holds = "the names of all classes, a list"}},
          .encode = encode};
}

}  // namespace hone::tasks
