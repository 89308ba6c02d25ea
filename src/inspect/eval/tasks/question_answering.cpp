// Questions, each with a text that holds the answer: the best span over all windows of the text, as
// SQuAD's script judges it.

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/metrics/answers.h"
#include "inspect/eval/token_inputs.h"

namespace hone::tasks {
namespace {

// As Hugging Face's example for SQuAD has them.
constexpr std::size_t best_ends = 20;
constexpr std::size_t longest_answer = 30;  // in tokens

// --- Rows

// Answers are a list of texts, or {"text": [...]} as Hugging Face's datasets have it.
Result<std::vector<std::string>> answers_in(const Json& row) {
  const Json* answers = row.find("answers");
  if (answers == nullptr || answers->find("text") == nullptr) return texts_in(row, "answers");
  return texts_in(*answers, "text");
}

class QuestionEncoder : public Encoder {
 public:
  QuestionEncoder(TokenInputs inputs, tokenize::Tokenizer whole)
      : inputs_(std::move(inputs)), whole_(std::move(whole)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::string question, text_in(row, "question"));
    HONE_TRY(const std::string context, text_in(row, "context"));
    HONE_TRY(const std::vector<std::string> answers, answers_in(row));
    const tokenize::EncodeOptions options{.offsets = tokenize::Offsets::bytes};
    HONE_TRY(const tokenize::Encoding whole, whole_.encode_pair(question, context, options));
    HONE_TRY(const std::vector<tokenize::Encoding> windows, inputs_.windows_of(whole));
    std::vector<LabelledSample> samples;
    for (const tokenize::Encoding& window : windows) {
      Json label = Json::object();
      label.set("spans", spans_of(window));
      if (&window == &windows.back()) {
        label.set("context", context);
        Json list = Json::array();
        for (const std::string& answer : answers) list.push(answer);
        label.set("answers", std::move(list));
      }
      samples.push_back({inputs_.sample(window), std::move(label)});
    }
    return samples;
  }

  std::map<std::string, std::string> described() const override {
    auto described = inputs_.described();
    described["windows"] = "stride " + std::to_string(inputs_.shared());
    return described;
  }

 private:
  // Where each token is in the context: begin and end in bytes, [0, 0] outside of it.
  static Json spans_of(const tokenize::Encoding& window) {
    Json spans = Json::array();
    for (std::size_t i = 0; i < window.size(); ++i) {
      const bool is_context = window.sequences[i] == 1;
      spans.push(is_context ? window.bytes[i].begin : 0);
      spans.push(is_context ? window.bytes[i].end : 0);
    }
    return spans;
  }

  TokenInputs inputs_;
  tokenize::Tokenizer whole_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  HONE_TRY(TokenInputs inputs, TokenInputs::open(settings));
  HONE_TRY(tokenize::Tokenizer whole, inputs.unlimited());
  return std::unique_ptr<Encoder>(
      std::make_unique<QuestionEncoder>(std::move(inputs), std::move(whole)));
}

// --- The judge

struct Answer {
  double score = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<std::size_t> best_places(std::span<const double> scores) {
  std::vector<std::size_t> places(scores.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const std::size_t kept = std::min(best_ends, places.size());
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(places.begin(), end, places.end(), [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  places.resize(kept);
  return places;
}

class SpanJudge : public Judge {
 public:
  explicit SpanJudge(const TaskSettings& settings) : settings_(settings) {
    start_ = named("start", 0);
    end_ = named("end", 1);
  }

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY_DO(read_window(judged));
    if (judged.label.find("answers") == nullptr) return std::optional<Unit>();
    HONE_TRY(const std::vector<std::string> answers, texts_in(judged.label, "answers"));
    HONE_TRY(const std::string context, text_in(judged.label, "context"));
    const bool is_none = !best_ || (settings_.may_be_unanswered && none_ && *none_ > best_->score);
    const std::string got = is_none ? "" : context.substr(best_->begin, best_->end - best_->begin);
    const AnswerScore score = score_answer(answers, got);
    best_.reset();
    none_.reset();
    return std::optional<Unit>(
        {.scores = {score.f1, score.exact},
         .expected = answers.empty() ? "" : answers.front(),
         .got = score.exact == 1 && !answers.empty() ? answers.front() : got});
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", "best span of the " + std::to_string(best_ends) + " best ends, up to " +
                             std::to_string(longest_answer) + " tokens" +
                             (settings_.may_be_unanswered ? ", or none" : "")}};
  }

 private:
  std::string named(std::string_view part, std::size_t otherwise) const {
    for (const std::string& name : settings_.outputs)
      if (name.find(part) != std::string::npos) return name;
    return otherwise < settings_.outputs.size() ? settings_.outputs[otherwise] : std::string();
  }

  Status read_window(const Judged& judged) {
    HONE_TRY(const std::vector<double> starts, numbers_of_output(judged.outputs, start_));
    HONE_TRY(const std::vector<double> ends, numbers_of_output(judged.outputs, end_));
    const Json* list = judged.label.find("spans");
    if (list == nullptr || list->as_array() == nullptr || starts.size() != ends.size())
      return fail(Fault::bad_input, "the model gives no start and end of spans");
    std::vector<std::size_t> spans;
    for (const Json& place : *list->as_array()) {
      HONE_TRY(const std::uint64_t byte, place.to_uint());
      spans.push_back(static_cast<std::size_t>(byte));
    }
    const std::size_t tokens = std::min(spans.size() / 2, starts.size());
    const double none = starts.front() + ends.front();
    none_ = none_ ? std::min(*none_, none) : none;
    for (const std::size_t first : best_places(starts)) {
      for (const std::size_t last : best_places(ends)) {
        if (first >= tokens || last >= tokens || last < first) continue;
        if (last - first + 1 > longest_answer) continue;
        if (spans[2 * first + 1] == 0 || spans[2 * last + 1] == 0) continue;
        const double score = starts[first] + ends[last];
        if (!best_ || score > best_->score) best_ = {score, spans[2 * first], spans[2 * last + 1]};
      }
    }
    return done();
  }

  TaskSettings settings_;
  std::string start_;
  std::string end_;
  std::optional<Answer> best_;
  std::optional<double> none_;
};

}  // namespace

Task question_answering() {
  return {.name = "question-answering",
          .summary = "A question, and the part of a text that answers it",
          .feed = Feed::tokens,
          .metrics = {{.name = "f1"}, {.name = "exact", .is_yes_no = true}},
          .label = "{\"spans\": BYTES, \"context\": TEXT, \"answers\": TEXTS}",
          .open = open_judge<SpanJudge>,
          .columns = {{.name = "question", .holds = "what is asked"},
                      {.name = "context", .holds = "the text that holds the answer"},
                      {.name = "answers", .holds = "the answers that are right, a list of texts"}},
          .encode = encode};
}

}  // namespace hone::tasks
