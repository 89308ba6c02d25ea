// Beam search as transformers does it: of each beam twice as many continuations as there are beams
// are looked at, those that end are kept by their score, and it is over when none on its way can
// become better than the worst of these.

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/misuse.h"
#include "generate/loop.h"

namespace hone {
namespace {

struct Beam {
  std::vector<std::int64_t> tokens{};  // written
  double log_probability = 0;
};

struct Candidate {
  double log_probability;
  std::size_t beam;
  std::int64_t token;
};

class BeamSearch {
 public:
  BeamSearch(const std::vector<std::int64_t>& prompt, const ChoiceRules& rules)
      : prompt_(prompt), rules_(rules), width_(static_cast<std::size_t>(rules.settings.beams)) {
    beams_.assign(1, Beam{});
  }

  // Takes the scores of what the beams come to, and moves them on; false: it is over.
  bool step(Scores& scores) {
    const std::vector<Candidate> best = best_candidates(scores);
    std::vector<Beam> next;
    parents_.clear();
    for (std::size_t rank = 0; rank < best.size() && next.size() < width_; ++rank) {
      Beam beam = continued(best[rank]);
      if (is_end(rules_, best[rank].token)) {
        if (rank < width_) keep(std::move(beam), StopReason::end_token);
      } else {
        parents_.push_back(best[rank].beam);
        next.push_back(std::move(beam));
      }
    }
    beams_ = std::move(next);
    return !beams_.empty() && !is_over(best.empty() ? 0 : best.front().log_probability);
  }

  std::size_t written() const { return beams_.empty() ? 0 : beams_.front().tokens.size(); }
  const std::vector<std::size_t>& parents() const { return parents_; }
  std::vector<std::int64_t> last_tokens() const {
    std::vector<std::int64_t> tokens;
    for (const Beam& beam : beams_) tokens.push_back(beam.tokens.back());
    return tokens;
  }

  // The best text; of those on their way too, which end for that reason.
  GeneratedText finish(std::optional<StopReason> unfinished) {
    if (unfinished)
      for (Beam& beam : beams_) keep(std::move(beam), *unfinished);
    const auto best = std::ranges::max_element(found_, {}, [](const auto& text) {
      return text.score.value_or(-std::numeric_limits<double>::infinity());
    });
    GeneratedText text = best == found_.end() ? GeneratedText{} : *best;
    text.prompt_tokens = static_cast<std::int64_t>(prompt_.size());
    return text;
  }

 private:
  double score_of(double log_probability, std::size_t length) const {
    return log_probability / std::pow(static_cast<double>(length), rules_.settings.length_penalty);
  }

  Beam continued(const Candidate& candidate) const {
    Beam beam = beams_[candidate.beam];
    beam.tokens.push_back(candidate.token);
    beam.log_probability = candidate.log_probability;
    return beam;
  }

  std::vector<Candidate> best_candidates(Scores& scores) {
    std::vector<Candidate> all;
    const std::size_t looked_at =
        std::max<std::size_t>(2, 1 + rules_.settings.ends.size()) * width_;
    for (std::size_t i = 0; i < beams_.size(); ++i) {
      const Logits row = scores.row(i);
      to_log_probabilities(row);
      std::vector<std::int64_t> whole = prompt_;
      whole.insert(whole.end(), beams_[i].tokens.begin(), beams_[i].tokens.end());
      apply_rules(rules_, {whole, static_cast<std::int64_t>(beams_[i].tokens.size())}, row);
      add_best(i, row, looked_at, all);
    }
    std::ranges::stable_sort(all, std::greater<>(), &Candidate::log_probability);
    if (all.size() > looked_at) all.resize(looked_at);
    return all;
  }

  // More of one beam than are looked at in all cannot be among them.
  void add_best(std::size_t beam, Logits row, std::size_t count,
                std::vector<Candidate>& all) const {
    std::vector<std::int64_t> order;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (std::isfinite(row[i])) order.push_back(static_cast<std::int64_t>(i));
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
    const auto score = [&](std::int64_t token) { return row[static_cast<std::size_t>(token)]; };
    std::partial_sort(order.begin(), end, order.end(), [&](std::int64_t a, std::int64_t b) {
      return score(a) != score(b) ? score(a) > score(b) : a < b;
    });
    for (auto at = order.begin(); at != end; ++at)
      all.push_back({beams_[beam].log_probability + static_cast<double>(score(*at)), beam, *at});
  }

  // The best of as many as there are beams stay.
  void keep(Beam beam, StopReason reason) {
    GeneratedText text;
    text.score = score_of(beam.log_probability, beam.tokens.size());
    text.tokens = std::move(beam.tokens);
    text.stopped_by = reason;
    found_.push_back(std::move(text));
    std::ranges::stable_sort(found_, std::greater<>(), [](const auto& one) { return *one.score; });
    if (found_.size() > width_) found_.resize(width_);
  }

  bool is_over(double best) const {
    if (found_.size() < width_) return false;
    return rules_.settings.stops_early || *found_.back().score >= score_of(best, written());
  }

  const std::vector<std::int64_t>& prompt_;
  const ChoiceRules& rules_;
  std::size_t width_;
  std::vector<Beam> beams_;
  std::vector<std::size_t> parents_;  // of each beam, the one before that it goes on from
  std::vector<GeneratedText> found_;  // the best first
};

// Why those on their way end now; nothing: they do not.
std::optional<StopReason> end_of(const BeamSearch& search, std::size_t prompt,
                                 const ChoiceRules& rules, const GenerateHooks& hooks) {
  const std::int64_t context = rules.settings.context;
  const auto written = static_cast<std::int64_t>(search.written());
  if (written >= rules.max_tokens) return StopReason::max_tokens;
  if (context > 0 && static_cast<std::int64_t>(prompt) + written > context)
    return StopReason::context_full;
  if (hooks.stop != nullptr && *hooks.stop) return StopReason::interrupted;
  return std::nullopt;
}

}  // namespace

Result<GeneratedText> search_text(Scorer& scorer, const std::vector<std::int64_t>& prompt,
                                  const ChoiceRules& rules, const GenerateHooks& hooks) {
  HONE_TRY_DO(check_prompts({prompt}, rules));
  BeamSearch search(prompt, rules);
  HONE_TRY(Scores * scores, scorer.start(align_left_padded({prompt}, 0)));
  while (search.step(*scores)) {
    if (const auto end = end_of(search, prompt.size(), rules, hooks)) return search.finish(end);
    HONE_TRY_DO(scorer.take_rows(search.parents()));
    HONE_TRY(scores, scorer.go_on(search.last_tokens()));
  }
  return search.finish(std::nullopt);
}

}  // namespace hone
