#include "inspect/eval/metrics/objects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace hone {
namespace {

constexpr std::array<double, 17> body_deviations = {.026, .025, .025, .035, .035, .079,
                                                    .079, .072, .072, .062, .062, .107,
                                                    .107, .087, .087, .089, .089};
constexpr double other_deviation = 0.05;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// As numpy's linspace(.5, .95, 10) has them, to the last bit.
double threshold_at(std::size_t index) {
  return index == 9 ? 0.95 : 0.5 + static_cast<double>(index) * ((0.95 - 0.5) / 9);
}

double deviation_at(std::size_t index, std::size_t count) {
  return count == body_deviations.size() ? body_deviations[index] : other_deviation;
}

// Objects and answers of one class in one picture, in the order in which they are matched.
struct Candidates {
  std::vector<const KnownObject*> known;
  std::vector<bool> is_ignored;  // of the known, those that count first
  std::vector<const FoundObject*> found;
  std::vector<double> likeness;  // found x known
};

double area_of(const FoundObject& found, const MatchRules& rules) {
  if (!rules.by_keypoints || found.keypoints.empty()) return found.box.width * found.box.height;
  const auto [left, right] = std::ranges::minmax(found.keypoints, {}, &Keypoint::x);
  const auto [upper, lower] = std::ranges::minmax(found.keypoints, {}, &Keypoint::y);
  return (right.x - left.x) * (lower.y - upper.y);
}

bool is_outside(double area, const MatchRules& rules) {
  return area < rules.least_area || area > rules.largest_area;
}

bool does_not_count(const KnownObject& object, const MatchRules& rules) {
  const bool has_points = std::ranges::any_of(
      object.keypoints, [](const Keypoint& point) { return point.visible > 0; });
  return object.crowd || (rules.by_keypoints && !has_points) || is_outside(object.area, rules);
}

Candidates candidates_of(std::uint32_t kind, std::span<const KnownObject> known,
                         std::span<const FoundObject> found, const MatchRules& rules) {
  Candidates made;
  for (const bool ignored : {false, true}) {
    for (const KnownObject& object : known) {
      if (object.kind != kind || does_not_count(object, rules) != ignored) continue;
      made.known.push_back(&object);
      made.is_ignored.push_back(ignored);
    }
  }
  for (const FoundObject& object : found)
    if (object.kind == kind) made.found.push_back(&object);
  std::ranges::stable_sort(
      made.found, [](const FoundObject* a, const FoundObject* b) { return a->score > b->score; });
  if (made.found.size() > rules.most) made.found.resize(rules.most);
  for (const FoundObject* answer : made.found) {
    for (const KnownObject* object : made.known) {
      made.likeness.push_back(rules.by_keypoints
                                  ? keypoint_likeness(*answer, *object)
                                  : overlap_of(answer->box, object->box, object->crowd));
    }
  }
  return made;
}

// The known object that an answer is matched with at a threshold: the most alike that is free, one
// that counts before one that does not.
std::size_t best_match(const Candidates& candidates, std::size_t answer, double threshold,
                       const std::vector<bool>& taken) {
  const std::size_t count = candidates.known.size();
  double best = std::min(threshold, 1 - 1e-10);
  std::size_t match = count;
  for (std::size_t i = 0; i < count; ++i) {
    if (taken[i] && !candidates.known[i]->crowd) continue;
    if (match < count && !candidates.is_ignored[match] && candidates.is_ignored[i]) break;
    const double likeness = candidates.likeness[answer * count + i];
    if (likeness < best) continue;
    best = likeness;
    match = i;
  }
  return match;
}

ClassMatches match_class(std::uint32_t kind, const Candidates& candidates,
                         const MatchRules& rules) {
  ClassMatches matches{.kind = kind, .wanted = 0, .found = {}};
  matches.wanted = static_cast<std::uint32_t>(std::ranges::count(candidates.is_ignored, false));
  for (const FoundObject* answer : candidates.found)
    matches.found.push_back({.score = answer->score, .right = 0, .ignored = 0});
  for (std::size_t t = 0; t < AveragePrecision::thresholds; ++t) {
    std::vector<bool> taken(candidates.known.size(), false);
    for (std::size_t i = 0; i < candidates.found.size(); ++i) {
      const std::size_t match = best_match(candidates, i, threshold_at(t), taken);
      const bool is_matched = match < candidates.known.size();
      const bool ignored = is_matched ? candidates.is_ignored[match]
                                      : is_outside(area_of(*candidates.found[i], rules), rules);
      if (is_matched) taken[match] = true;
      if (ignored) matches.found[i].ignored |= 1u << t;
      if (is_matched && !ignored) matches.found[i].right |= 1u << t;
    }
  }
  return matches;
}

// The mean of the best precision at each of 101 recalls or beyond; precision and recall in the
// order of falling scores.
double interpolated(std::vector<double>& precision, const std::vector<double>& recall) {
  for (std::size_t i = precision.size(); i-- > 1;)
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  double sum = 0;
  std::size_t at = 0;
  for (int point = 0; point <= 100; ++point) {
    // As numpy's linspace(0, 1, 101) has it, to the last bit.
    const double wanted = point == 100 ? 1.0 : point * 0.01;
    while (at < recall.size() && recall[at] < wanted) ++at;
    if (at == recall.size()) break;
    sum += precision[at];
  }
  return sum / 101;
}

}  // namespace

double overlap_of(const Box& found, const Box& known, bool crowd) {
  const double width =
      std::min(found.x + found.width, known.x + known.width) - std::max(found.x, known.x);
  const double height =
      std::min(found.y + found.height, known.y + known.height) - std::max(found.y, known.y);
  if (width <= 0 || height <= 0) return 0;
  const double both = width * height;
  const double own = found.width * found.height;
  return both / (crowd ? own : own + known.width * known.height - both);
}

double keypoint_likeness(const FoundObject& found, const KnownObject& known) {
  const std::size_t count = std::min(found.keypoints.size(), known.keypoints.size());
  const auto labelled = std::ranges::count_if(
      known.keypoints, [](const Keypoint& point) { return point.visible > 0; });
  const Box& box = known.box;
  double sum = 0;
  double counted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Keypoint& own = found.keypoints[i];
    const Keypoint& wanted = known.keypoints[i];
    if (labelled > 0 && wanted.visible <= 0) continue;
    double dx = own.x - wanted.x;
    double dy = own.y - wanted.y;
    if (labelled == 0) {
      // How far it is outside of the box, made twice as large on either side.
      dx = std::max(0.0, box.x - box.width - own.x) + std::max(0.0, own.x - box.x - box.width * 2);
      dy =
          std::max(0.0, box.y - box.height - own.y) + std::max(0.0, own.y - box.y - box.height * 2);
    }
    const double deviation = 2 * deviation_at(i, count);
    sum += std::exp(-(dx * dx + dy * dy) / (deviation * deviation) / (known.area + epsilon) / 2);
    ++counted;
  }
  return counted > 0 ? sum / counted : 0;
}

std::vector<ClassMatches> match_objects(std::span<const KnownObject> known,
                                        std::span<const FoundObject> found,
                                        const MatchRules& rules) {
  std::vector<std::uint32_t> kinds;
  for (const KnownObject& object : known) kinds.push_back(object.kind);
  for (const FoundObject& object : found) kinds.push_back(object.kind);
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  std::vector<ClassMatches> matches;
  for (const std::uint32_t kind : kinds)
    matches.push_back(match_class(kind, candidates_of(kind, known, found, rules), rules));
  return matches;
}

AveragePrecision::AveragePrecision(std::span<const std::vector<ClassMatches>> pictures) {
  std::map<std::uint32_t, OfClass> classes;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    for (const ClassMatches& matches : pictures[i]) {
      OfClass& of_class = classes[matches.kind];
      if (matches.wanted > 0) of_class.wanted.emplace_back(i, matches.wanted);
      for (const FoundMatch& match : matches.found) of_class.found.push_back({match, i});
    }
  }
  for (auto& [kind, of_class] : classes) {
    std::ranges::stable_sort(of_class.found, [](const Ranked& a, const Ranked& b) {
      return a.match.score > b.match.score;
    });
    classes_.push_back(std::move(of_class));
  }
}

double AveragePrecision::mean(std::size_t first, std::size_t last,
                              std::span<const std::uint32_t> times) const {
  const auto weight = [&](std::size_t picture) { return times.empty() ? 1u : times[picture]; };
  double sum = 0;
  double curves = 0;
  std::vector<double> precision;
  std::vector<double> recall;
  for (const OfClass& of_class : classes_) {
    double wanted = 0;
    for (const auto& [picture, count] : of_class.wanted) wanted += 1.0 * count * weight(picture);
    if (wanted == 0) continue;
    for (std::size_t t = first; t <= last; ++t) {
      precision.clear();
      recall.clear();
      double right = 0;
      double wrong = 0;
      for (const Ranked& ranked : of_class.found) {
        const std::uint32_t bit = 1u << t;
        const std::uint32_t count = weight(ranked.picture);
        if (count == 0 || (ranked.match.ignored & bit) != 0) continue;
        ((ranked.match.right & bit) != 0 ? right : wrong) += count;
        precision.push_back(right / (right + wrong + epsilon));
        recall.push_back(right / wanted);
      }
      sum += interpolated(precision, recall);
      ++curves;
    }
  }
  return curves > 0 ? sum / curves : 0;
}

KeypointCounts count_near(std::span<const Keypoint> found, const KnownObject& known, double share) {
  const double reach = share * std::max(known.box.width, known.box.height);
  KeypointCounts counts;
  for (std::size_t i = 0; i < known.keypoints.size(); ++i) {
    const Keypoint& wanted = known.keypoints[i];
    if (wanted.visible <= 0) continue;
    ++counts.labelled;
    counts.near += std::hypot(found[i].x - wanted.x, found[i].y - wanted.y) <= reach ? 1 : 0;
  }
  return counts;
}

}  // namespace hone
