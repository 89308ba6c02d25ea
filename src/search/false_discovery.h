#pragma once
// How many of the claims that many searches kept are false, at most.

#include <vector>

#include "record/search.h"
#include "record/sweep.h"

namespace hone {

// The q-value of each p-value, in the order given: the share of false ones, on average, among all
// claims whose q is not above it (Benjamini and Hochberg, 1995). `p` has all tests, also those that
// came to nothing: a family of the kept ones alone would look better than it is. What is no
// probability counts as 1.
std::vector<double> benjamini_hochberg(const std::vector<double>& p);

// What a search brings into the family: a p-value for each arm of its final against "it is not
// faster than the baseline".
struct FinalTests {
  std::vector<double> p;           // the champion's among them
  std::optional<double> champion;  // null: nothing was kept, or its test has no p-value
};
FinalTests final_tests(const SearchResult& search);

// The q-value of what each cell kept, over the final tests of all cells, also of those that kept
// nothing. A champion without a p-value has no q-value.
void set_q_values(std::vector<SweepCell>& cells);

}  // namespace hone
