// Texts that are split into words, each word with a tag: which entities were found.

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/metrics/entities.h"
#include "inspect/eval/similarity.h"
#include "inspect/eval/token_inputs.h"

namespace hone::tasks {
namespace {

// --- Rows

class TagEncoder : public Encoder {
 public:
  TagEncoder(TokenInputs inputs, ClassNames classes)
      : inputs_(std::move(inputs)), classes_(std::move(classes)) {}

  // The first token of a word stands for it. Words behind the end of what the model takes have
  // none, and count as O.
  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::vector<std::string> words, texts_in(row, "tokens"));
    HONE_TRY(const std::vector<std::string> given, texts_in(row, "tags"));
    if (words.size() != given.size()) {
      return fail(Fault::bad_input, "it has " + counted(words.size(), "word") + " and " +
                                        counted(given.size(), "tag"));
    }
    const tokenize::EncodeOptions options{.offsets = tokenize::Offsets::none};
    HONE_TRY(const tokenize::Encoding encoding, inputs_.tokenizer().encode_words(words, options));
    std::vector<std::int64_t> places(words.size(), -1);
    for (std::size_t i = encoding.size(); i-- > 0;) {
      const std::int32_t word = encoding.words[i];
      if (word >= 0) places[static_cast<std::size_t>(word)] = static_cast<std::int64_t>(i);
    }
    Json tags = Json::array();
    Json at = Json::array();
    for (std::size_t i = 0; i < words.size(); ++i) {
      HONE_TRY(const std::uint64_t tag, classes_.number_of(Json(given[i])));
      tags.push(classes_.name_of(tag));
      at.push(places[i]);
    }
    Json label = Json::object();
    label.set("tags", std::move(tags));
    label.set("at", std::move(at));
    return std::vector<LabelledSample>{{inputs_.sample(encoding), std::move(label)}};
  }

  std::map<std::string, std::string> described() const override {
    auto described = inputs_.described();
    described["words"] = "the first token of a word stands for it";
    return described;
  }

 private:
  TokenInputs inputs_;
  ClassNames classes_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  if (settings.classes.names().empty()) {
    return fail(Fault::not_found, "tags need the names of the model's classes", {},
                "put the config.json with its id2label beside the model");
  }
  HONE_TRY(TokenInputs inputs, TokenInputs::open(settings));
  return std::unique_ptr<Encoder>(
      std::make_unique<TagEncoder>(std::move(inputs), settings.classes));
}

// --- The judge

class TagJudge : public Judge {
 public:
  explicit TagJudge(const TaskSettings& settings) : settings_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const std::vector<std::string> expected, texts_in(judged.label, "tags"));
    HONE_TRY(const std::vector<std::string> got, read_tags(judged));
    if (expected.size() != got.size())
      return fail(Fault::bad_input, "the label has another number of words than of tags");
    double right = 0;
    for (std::size_t i = 0; i < got.size(); ++i) right += got[i] == expected[i] ? 1 : 0;
    const EntityCounts counts = count_entities(expected, got);
    const auto words = static_cast<double>(std::max<std::size_t>(got.size(), 1));
    return std::optional<Unit>(
        {.scores = {0, got.empty() ? 1 : right / words},
         .expected = join(expected, " "),
         .got = join(got, " "),
         .facts = {static_cast<double>(counts.right), static_cast<double>(counts.expected),
                   static_cast<double>(counts.got)}});
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", "the tag of the largest score; entities as seqeval's default mode"}};
  }

 private:
  Result<std::vector<std::string>> read_tags(const Judged& judged) const {
    HONE_TRY(const std::vector<double> scores, numbers_of_output(judged.outputs, settings_.output));
    const std::vector<std::int64_t>& dims = judged.outputs.at(settings_.output)->dims;
    const std::size_t classes = dims.empty() ? 0 : static_cast<std::size_t>(dims.back());
    const Json* at = judged.label.find("at");
    if (dims.size() != 3 || dims[0] != 1 || classes == 0 || at == nullptr ||
        at->as_array() == nullptr) {
      return fail(Fault::bad_input,
                  "the output is not [1, tokens, tags], or the label does not "
                  "say at which token a word is",
                  {}, "name another one: --output-name NAME");
    }
    std::vector<std::string> tags;
    for (const Json& place : *at->as_array()) {
      HONE_TRY(const std::int64_t token, place.to_int());
      if (token < 0 || token >= dims[1]) {
        tags.emplace_back("O");
        continue;
      }
      const auto row =
          std::span(scores).subspan(static_cast<std::size_t>(token) * classes, classes);
      tags.push_back(name_of(index_of_largest(row)));
    }
    return tags;
  }

  std::string name_of(std::size_t number) const {
    const auto& names = settings_.class_names;
    return number < names.size() ? names[number] : std::to_string(number);
  }

  TaskSettings settings_;
};

WholeFigure f1_of_all(std::span<const std::vector<double>> facts) {
  return [facts](std::span<const std::uint32_t> times) {
    double right = 0;
    double expected = 0;
    double got = 0;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      right += times[i] * facts[i][0];
      expected += times[i] * facts[i][1];
      got += times[i] * facts[i][2];
    }
    return entity_f1(right, expected, got);
  };
}

}  // namespace

Task token_classification() {
  return {.name = "token-classification",
          .summary = "Words with a tag each: entities found, as seqeval counts them",
          .feed = Feed::tokens,
          .metrics = {{.name = "entity_f1", .of_all = f1_of_all, .adds_up = true},
                      {.name = "tag_accuracy"}},
          .label = "{\"tags\": NAMES, \"at\": TOKENS}",
          .open = open_judge<TagJudge>,
          .columns = {{.name = "tokens", .holds = "the words, a list"},
                      {.name = "tags", .holds = "the name or the number of the tag of each"}},
          .encode = encode};
}

}  // namespace hone::tasks
