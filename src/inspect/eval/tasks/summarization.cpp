// Texts in fewer words, from models that give the ids of a whole answer.

#include "inspect/eval/metrics/ngrams.h"
#include "inspect/eval/written.h"

namespace hone::tasks {
namespace {

Unit score(const std::string& expected, const std::string& got) {
  return {.scores = {rouge_l(expected, got), 0},
          .expected = {},
          .got = {},
          .facts = chrf_facts(expected, got)};
}

Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  return open_text_judge(settings, score);
}

}  // namespace

Task summarization() {
  return {
      .name = "summarization",
      .summary = "Texts in fewer words: ROUGE-L and chrF",
      .feed = Feed::tokens,
      .metrics = {{.name = "rouge_l"}, {.name = "chrf", .of_all = chrf_of_all, .adds_up = true}},
      .label = "the text that is right",
      .open = open,
      .columns = {{.name = "source", .holds = "a text"},
                  {.name = "target", .holds = "its summary"}},
      .encode = open_source_encoder};
}

}  // namespace hone::tasks
