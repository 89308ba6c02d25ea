#pragma once
// Orders: do two lists of numbers rise together, and does what was looked for come first.

#include <cstdint>
#include <span>
#include <vector>

namespace hone {

// Spearman's correlation: Pearson's of the ranks, equal values sharing the mean of theirs. 0 where
// one of the two is constant. `times` says how often each pair counts; empty: once.
double spearman(std::span<const double> a, std::span<const double> b,
                std::span<const std::uint32_t> times = {});

// Of a list that was ordered by a model, what each place is worth; 0: it was not looked for.
// `all_gains` are those of everything that was to be found.
double recall_at(std::span<const double> gains, std::size_t relevant, std::size_t places);
// Discounted cumulative gain of the first places by the best that could have been: gains as they
// are, divided by log2(place + 1), as BEIR and trec_eval have it. 0 where nothing could be found.
double ndcg_at(std::span<const double> gains, std::vector<double> all_gains, std::size_t places);

}  // namespace hone
