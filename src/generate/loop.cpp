#include "generate/loop.h"

#include <algorithm>
#include <chrono>

#include "base/counted.h"
#include "base/misuse.h"

namespace hone {
namespace {

double milliseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

struct Row {
  std::vector<std::int64_t> all;  // with the prompt
  GeneratedText text{};
  bool is_done = false;
  Random random;
};

class Loop {
 public:
  Loop(Scorer& scorer, const ChoiceRules& rules, const GenerateHooks& hooks)
      : scorer_(scorer), rules_(rules), hooks_(hooks) {}

  Result<Generation> run(const Prompts& prompts, std::int64_t started_ns) {
    begin(prompts);
    const std::int64_t padding = rules_.settings.padding.value_or(0);
    HONE_TRY(Scores * scores, scorer_.start(align_left_padded(prompts, padding)));
    std::int64_t before = started_ns;
    for (bool is_first = true;; is_first = false) {
      std::vector<std::int64_t> tokens = choose_all(*scores);
      const std::int64_t now = now_ns();
      if (is_first) {
        made_.times.first_token_ms = milliseconds(now - before);
      } else {
        made_.times.step_ms.push_back(milliseconds(now - before));
      }
      before = now;
      if (end_of_all()) return finish();
      HONE_TRY(scores, scorer_.go_on(tokens));
    }
  }

 private:
  void begin(const Prompts& prompts) {
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      // Mixed: neighbours of a seed would else share their numbers.
      Row row{.all = prompts[i], .random = Random(mix64(mix64(rules_.seed) + i))};
      row.text.prompt_tokens = static_cast<std::int64_t>(prompts[i].size());
      longest_ = std::max(longest_, row.text.prompt_tokens);
      rows_.push_back(std::move(row));
    }
  }

  // The next token of each row; padding of those that are done.
  std::vector<std::int64_t> choose_all(Scores& scores) {
    std::vector<std::int64_t> tokens;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_[i];
      tokens.push_back(rules_.settings.padding.value_or(0));
      if (row.is_done) continue;
      const auto written = static_cast<std::int64_t>(row.text.tokens.size());
      apply_rules(rules_, {row.all, written}, scores.row(i));
      tokens.back() = choose(rules_, scores.row(i), row.random);
      add(i, tokens.back());
    }
    return tokens;
  }

  void add(std::size_t at, std::int64_t token) {
    Row& row = rows_[at];
    row.all.push_back(token);
    row.text.tokens.push_back(token);
    const auto written = static_cast<std::int64_t>(row.text.tokens.size());
    const bool may_go_on = !hooks_.chosen || hooks_.chosen(at, token);
    const std::int64_t context = rules_.settings.context;
    if (is_end(rules_, token)) {
      end(row, StopReason::end_token);
    } else if (!may_go_on) {
      end(row, StopReason::stop_text);
    } else if (written >= rules_.max_tokens) {
      end(row, StopReason::max_tokens);
    } else if (context > 0 && longest_ + written > context) {
      // The rows are as long as the longest of them: that is what the caches hold.
      end(row, StopReason::context_full);
    }
  }

  static void end(Row& row, StopReason reason) {
    row.text.stopped_by = reason;
    row.is_done = true;
  }

  bool end_of_all() {
    const bool is_stopped = hooks_.stop != nullptr && *hooks_.stop;
    for (Row& row : rows_)
      if (is_stopped && !row.is_done) end(row, StopReason::interrupted);
    return std::ranges::all_of(rows_, &Row::is_done);
  }

  Generation finish() {
    for (Row& row : rows_) made_.texts.push_back(std::move(row.text));
    return std::move(made_);
  }

  Scorer& scorer_;
  const ChoiceRules& rules_;
  const GenerateHooks& hooks_;
  std::vector<Row> rows_;
  std::int64_t longest_ = 0;
  Generation made_;
};

}  // namespace

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Status check_prompts(const Prompts& prompts, const ChoiceRules& rules) {
  const std::int64_t context = rules.settings.context;
  for (const std::vector<std::int64_t>& prompt : prompts) {
    if (prompt.empty())
      return misuse("the prompt has no tokens",
                    "give it a text; models that begin a text by "
                    "themselves take their first token: --tokens ID");
    if (context > 0 && static_cast<std::int64_t>(prompt.size()) > context)
      return misuse("the prompt has " + counted(prompt.size(), "token") + ", and the model takes " +
                        std::to_string(context),
                    "a shorter prompt: what is cut off is for you to say");
  }
  return done();
}

TokenRows align_left_padded(const Prompts& prompts, std::int64_t padding) {
  TokenRows rows{.rows = prompts.size()};
  for (const auto& prompt : prompts) rows.length = std::max(rows.length, prompt.size());
  for (const auto& prompt : prompts) {
    rows.ids.insert(rows.ids.end(), rows.length - prompt.size(), padding);
    rows.mask.insert(rows.mask.end(), rows.length - prompt.size(), 0);
    rows.ids.insert(rows.ids.end(), prompt.begin(), prompt.end());
    rows.mask.insert(rows.mask.end(), prompt.size(), 1);
  }
  return rows;
}

Result<Generation> write_texts(Scorer& scorer, const Prompts& prompts, const ChoiceRules& rules,
                               const GenerateHooks& hooks, std::int64_t started_ns) {
  HONE_TRY_DO(check_prompts(prompts, rules));
  return Loop(scorer, rules, hooks).run(prompts, started_ns);
}

Result<std::vector<std::int64_t>> settle_opening(Scorer& scorer,
                                                 const std::vector<OpeningToken>& opening) {
  std::vector<std::int64_t> tokens;
  for (const OpeningToken& each : opening) {
    if (each.id) {
      tokens.push_back(*each.id);
      continue;
    }
    HONE_TRY(Scores * scores, scorer.start(align_left_padded({tokens}, 0)));
    std::vector<std::int64_t> known;
    for (const std::int64_t token : each.among)
      if (token >= 0 && static_cast<std::size_t>(token) < scores->vocabulary)
        known.push_back(token);
    const auto score = [&](std::int64_t token) {
      return scores->row(0)[static_cast<std::size_t>(token)];
    };
    tokens.push_back(known.empty() ? likeliest(scores->row(0))
                                   : *std::ranges::max_element(known, {}, score));
  }
  return tokens;
}

}  // namespace hone
