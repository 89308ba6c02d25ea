#pragma once
// What all reports of a search say alike: what ships, why, and each figure in words.

#include <optional>
#include <string>
#include <vector>

#include "record/search.h"

namespace hone::search_view {

// The arm that was compared against; null in a search that never began.
const SearchArm* baseline_of(const SearchResult& result);
// The arm that ships in its place; null: none does.
const SearchArm* champion_of(const SearchResult& result);

enum class Ships { champion, baseline, nothing };
Ships what_ships(const SearchResult& result);

// One sentence: the search's own verdict, or else what follows from its arms.
std::string headline(const SearchResult& result);

// The figures of an arm that was compared on fresh sessions; null where there are none to rely on.
// What it did while racing is biased towards the winner and is no figure.
const ComparedArm* speed_of(const SearchArm& arm);
// All arms with a speed, the slowest first; the baseline is none of them.
std::vector<const SearchArm*> compared_arms(const SearchResult& result);
// All others but the baseline, in the search's order.
std::vector<const SearchArm*> other_arms(const SearchResult& result);

struct Interval {
  double low = 0;
  double high = 0;
};
// Nothing unless it is a pair of numbers above 0, in order.
std::optional<Interval> interval_of(const ComparedArm& arm);

// "w8a8 is 1.56 times as fast as the baseline (1.52 to 1.59).": for each verdict its own.
std::string sentence(const std::string& name, const ComparedArm& arm);
// "0.643 [0.629, 0.658]"
std::string ratio_text(const ComparedArm& arm);
// "faster, not shown to be worth keeping"
std::string verdict_text(const ComparedArm& arm);
// "pass: exact_lines 0.978, reference 0.981, difference -0.012 to +0.004, 300 samples"
std::string accuracy_text(const std::optional<AccuracyCheck>& check);
// "12.4 ms"
std::string milliseconds(const std::optional<double>& ms);
// "1.25 %"
std::string percent(double share);
// "does not build"
std::string_view outcome_text(ArmOutcome outcome);
// "on cpu/cpu, 0 of 119 searches over identical candidates kept one: at most 2.49 % do (95 %
// confidence)", or how to get one.
std::string certificate_text(const std::optional<NoiseCertificate>& certificate);
// "cpu", "qnn/npu"
// All that were searched on: "cuda/gpu, webgpu/gpu, cpu"
std::string targets_text(const SearchResult& result);

}  // namespace hone::search_view
