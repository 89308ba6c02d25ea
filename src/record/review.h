#pragma once
// What is held against support for a model: line by line, with the place that each is about.

#include <array>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

enum class LineVerdict {
  holds,
  changes,  // it is wrong, or cannot be checked
  reject,   // the evidence is not what it says
};
constexpr auto enum_names(LineVerdict) {
  return std::to_array<EnumName<LineVerdict>>({{LineVerdict::holds, "holds"},
                                               {LineVerdict::changes, "request-changes"},
                                               {LineVerdict::reject, "reject"}});
}

struct ReviewLine {
  std::string check;  // its name
  LineVerdict verdict = LineVerdict::changes;
  std::string citation;  // "ladder.json#/tiers/2/parity"
  std::string what;
};
template <RecordOf<ReviewLine> Self>
void for_each_field(Self& line, auto&& field) {
  field("check", line.check, Presence::required);
  field("verdict", line.verdict, Presence::required);
  field("citation", line.citation, Presence::required);
  field("what", line.what);
}

enum class ReviewVerdict { approve, request_changes, reject };
constexpr auto enum_names(ReviewVerdict) {
  return std::to_array<EnumName<ReviewVerdict>>(
      {{ReviewVerdict::approve, "approve"},
       {ReviewVerdict::request_changes, "request-changes"},
       {ReviewVerdict::reject, "reject"}});
}

struct Review {
  std::string bundle;         // the folder
  std::string bundle_sha256;  // of its manifest
  ReviewVerdict verdict = ReviewVerdict::request_changes;
  bool is_full = false;
  std::vector<ReviewLine> lines;
};
template <RecordOf<Review> Self>
void for_each_field(Self& review, auto&& field) {
  field("bundle", review.bundle);
  field("bundle_sha256", review.bundle_sha256);
  field("verdict", review.verdict);
  field("full", review.is_full);
  field("lines", review.lines);
}

struct Reviews {
  std::vector<Review> reviews;
};
template <RecordOf<Reviews> Self>
void for_each_field(Self& reviews, auto&& field) {
  field("reviews", reviews.reviews);
}

// What `hone recipe check` says of one file.
struct CheckedRecipe {
  std::string file;
  std::string status;  // its marker, where it has one
  std::vector<std::string> problems;
};
template <RecordOf<CheckedRecipe> Self>
void for_each_field(Self& checked, auto&& field) {
  field("file", checked.file);
  field("_status", checked.status);
  field("problems", checked.problems);
}

struct CheckedRecipes {
  std::vector<CheckedRecipe> recipes;
};
template <RecordOf<CheckedRecipes> Self>
void for_each_field(Self& checked, auto&& field) {
  field("recipes", checked.recipes);
}

}  // namespace hone
