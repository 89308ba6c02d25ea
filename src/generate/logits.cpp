#include "generate/logits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace hone {
namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

bool is_in(std::span<const float> logits, std::int64_t token) {
  return token >= 0 && static_cast<std::size_t>(token) < logits.size();
}

float& score_of(Logits logits, std::int64_t token) {
  return logits[static_cast<std::size_t>(token)];
}

float largest(std::span<const float> logits) { return *std::ranges::max_element(logits); }

double exponential_sum(std::span<const float> logits, double most) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - most);
  return sum;
}

}  // namespace

void forbid(Logits logits, TokenList tokens) {
  for (const std::int64_t token : tokens)
    if (is_in(logits, token)) score_of(logits, token) = never;
}

void force(Logits logits, std::int64_t token) {
  if (!is_in(logits, token)) return;
  std::ranges::fill(logits, never);
  score_of(logits, token) = 0;
}

void penalize_repetition(Logits logits, TokenList said, double penalty) {
  if (penalty == 1) return;
  std::vector<std::int64_t> once(said.begin(), said.end());
  std::ranges::sort(once);
  once.erase(std::unique(once.begin(), once.end()), once.end());
  const auto factor = static_cast<float>(penalty);
  for (const std::int64_t token : once) {
    if (!is_in(logits, token)) continue;
    float& score = score_of(logits, token);
    score = score < 0 ? score * factor : score / factor;
  }
}

void forbid_repeated_ngrams(Logits logits, TokenList said, std::size_t length) {
  if (length == 0 || said.size() + 1 < length) return;
  const TokenList end = said.last(length - 1);
  for (std::size_t at = 0; at + length <= said.size(); ++at) {
    const std::int64_t token = said[at + length - 1];
    if (std::ranges::equal(said.subspan(at, length - 1), end) && is_in(logits, token))
      score_of(logits, token) = never;
  }
}

void apply_temperature(Logits logits, double temperature) {
  for (float& logit : logits) logit = static_cast<float>(logit / temperature);
}

void keep_top_k(Logits logits, std::size_t k) {
  if (k == 0 || k >= logits.size()) return;
  std::vector<float> sorted(logits.begin(), logits.end());
  const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
  for (float& logit : logits)
    if (logit < *last) logit = never;
}

void keep_top_p(Logits logits, double p) {
  if (p >= 1 || logits.empty()) return;
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t at) { return logits[at]; });
  const double most = largest(logits);
  const double whole = exponential_sum(logits, most);
  double sum = 0;
  for (const std::size_t at : order) {
    const double share = std::exp(static_cast<double>(logits[at]) - most) / whole;
    if (sum >= p) logits[at] = never;
    sum += share;
  }
}

std::int64_t likeliest(std::span<const float> logits) {
  return std::ranges::max_element(logits) - logits.begin();
}

std::int64_t draw(std::span<const float> logits, Random& random) {
  const double most = largest(logits);
  double rest = random.uniform() * exponential_sum(logits, most);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    rest -= std::exp(static_cast<double>(logits[i]) - most);
    if (rest < 0) return static_cast<std::int64_t>(i);
  }
  return likeliest(logits);  // what rounding has left over
}

void to_log_probabilities(Logits logits) {
  const double most = largest(logits);
  const double offset = most + std::log(exponential_sum(logits, most));
  for (float& logit : logits) logit = static_cast<float>(static_cast<double>(logit) - offset);
}

}  // namespace hone
