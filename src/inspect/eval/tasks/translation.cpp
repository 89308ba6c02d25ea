// Texts in another language, from models that give the ids of a whole answer.

#include "inspect/eval/metrics/ngrams.h"
#include "inspect/eval/written.h"

namespace hone::tasks {
namespace {

Unit score(const std::string& expected, const std::string& got) {
  return {.scores = {0, 0, rouge_l(expected, got)},
          .expected = {},
          .got = {},
          .facts = chrf_facts(expected, got)};
}

Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  return open_text_judge(settings, score);
}

}  // namespace

Task translation() {
  return {.name = "translation",
          .summary = "Texts in another language: chrF and chrF++",
          .feed = Feed::tokens,
          .metrics = {{.name = "chrf", .of_all = chrf_of_all, .adds_up = true},
                      {.name = "chrf_plus", .of_all = chrf_plus_of_all, .adds_up = true},
                      {.name = "rouge_l"}},
          .label = "the text that is right",
          .open = open,
          .columns = {{.name = "source", .holds = "a text"},
                      {.name = "target", .holds = "the same in the other language"}},
          .encode = open_source_encoder};
}

}  // namespace hone::tasks
