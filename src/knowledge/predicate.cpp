#include "knowledge/predicate.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "knowledge/version.h"

namespace hone {
namespace {

Truth truth_of(bool value) { return value ? Truth::yes : Truth::no; }

Truth opposite_of(Truth truth) {
  if (truth == Truth::unknown) return truth;
  return truth == Truth::yes ? Truth::no : Truth::yes;
}

// `decider` settles it alone; else an unknown part leaves it unknown.
Truth combine(const std::vector<Predicate>& parts, const Situation& situation, Truth decider) {
  Truth result = opposite_of(decider);
  for (const Predicate& part : parts) {
    const Truth truth = evaluate(part, situation);
    if (truth == decider) return decider;
    if (truth == Truth::unknown) result = truth;
  }
  return result;
}

Truth is_same(const std::string& wanted, const std::string& found) {
  return found.empty() ? Truth::unknown : truth_of(wanted == found);
}

Truth is_in_range(const std::string& range, const std::string& found) {
  const auto version = parse_version(found);
  const auto bounds = parse_version_bounds(range);
  if (!version || !bounds) return Truth::unknown;
  return truth_of(is_within(*version, *bounds));
}

Truth has_feature(const Predicate& predicate, const Situation& situation) {
  const auto found = situation.features.find(*predicate.feature);
  if (found == situation.features.end() || !predicate.relation || !predicate.value) {
    return Truth::unknown;
  }
  return truth_of(holds(found->second, *predicate.relation, *predicate.value));
}

Truth has_count(const std::optional<std::map<std::string, std::uint64_t>>& counts,
                const std::string& name, std::uint64_t at_least) {
  if (!counts) return Truth::unknown;
  const auto found = counts->find(name);
  return truth_of((found == counts->end() ? 0 : found->second) >= at_least);
}

// What it says, one word per thing; at_least, op and value belong to another.
std::vector<std::string> things_said(const Predicate& predicate) {
  std::vector<std::string> said;
  for_each_field(predicate, [&](std::string_view name, const auto& member, auto...) {
    const bool is_part = name == "op" || name == "value" || name == "at_least";
    bool is_given = false;
    if constexpr (requires { member.has_value(); }) {
      is_given = member.has_value();
    } else {
      is_given = !member.empty();
    }
    if (is_given && !is_part) said.emplace_back(name);
  });
  return said;
}

std::string problem_of_leaf(const Predicate& predicate) {
  const bool counts = predicate.op_type || predicate.pattern;
  if (predicate.feature.has_value() != (predicate.relation && predicate.value) ||
      predicate.relation.has_value() != predicate.value.has_value()) {
    return "feature, op and value go together";
  }
  if (predicate.value && !std::isfinite(*predicate.value)) return "its value is no finite number";
  if (predicate.feature) {
    const std::vector<std::string> known = known_features();
    if (std::ranges::find(known, *predicate.feature) == known.end()) {
      return "there is no feature '" + printable(*predicate.feature) + "'; known are " +
             join(known, ", ");
    }
  }
  if (predicate.at_least && !counts) return "at_least goes with op_type or pattern";
  if (predicate.at_least == 0u) return "at_least 0 is always so";
  const std::vector<std::string> devices = {"cpu", "gpu", "npu"};
  if (predicate.device && std::ranges::find(devices, *predicate.device) == devices.end()) {
    return "'" + printable(*predicate.device) + "' is none of " + join(devices, ", ");
  }
  for (const auto* range : {&predicate.ort, &predicate.ep_version, &predicate.driver}) {
    if (!*range) continue;
    const auto bounds = parse_version_bounds(**range);
    if (!bounds) return bounds.error().what + " (" + bounds.error().hint + ")";
  }
  return {};
}

std::string problem_at(const Predicate& predicate, const std::string& place, bool is_root);

std::string problem_in(const std::vector<Predicate>& parts, const std::string& place) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string problem = problem_at(parts[i], place + "[" + std::to_string(i) + "]", false);
    if (!problem.empty()) return problem;
  }
  return {};
}

std::string problem_at(const Predicate& predicate, const std::string& place, bool is_root) {
  const std::vector<std::string> said = things_said(predicate);
  if (said.empty() && !is_root) return place + ": it says nothing";
  if (said.size() > 1) return place + ": it says more than one thing: " + join(said, ", ");
  if (std::string problem = problem_of_leaf(predicate); !problem.empty()) {
    return place + ": " + problem;
  }
  for (const auto& [parts, name] :
       {std::pair(&predicate.all, ".all"), {&predicate.any, ".any"}, {&predicate.none, ".not"}}) {
    if (std::string problem = problem_in(*parts, place + name); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace

Truth evaluate(const Predicate& predicate, const Situation& situation) {
  if (!predicate.all.empty()) return combine(predicate.all, situation, Truth::no);
  if (!predicate.any.empty()) return combine(predicate.any, situation, Truth::yes);
  if (!predicate.none.empty()) {
    return opposite_of(combine(predicate.none, situation, Truth::yes));
  }
  const std::uint64_t at_least = predicate.at_least.value_or(1);
  if (predicate.feature) return has_feature(predicate, situation);
  if (predicate.op_type) return has_count(situation.op_counts, *predicate.op_type, at_least);
  if (predicate.pattern) return has_count(situation.patterns, *predicate.pattern, at_least);
  if (predicate.ep) return is_same(*predicate.ep, situation.ep);
  if (predicate.device) return is_same(*predicate.device, device_of(situation));
  if (predicate.ort) return is_in_range(*predicate.ort, situation.ort_version);
  if (predicate.ep_version) return is_in_range(*predicate.ep_version, ep_version_of(situation));
  if (predicate.driver) return is_in_range(*predicate.driver, situation.driver);
  if (predicate.precision) return is_same(*predicate.precision, situation.precision);
  return Truth::yes;
}

std::string problem_of(const Predicate& predicate) { return problem_at(predicate, "when", true); }

bool names_an_ep(const Predicate& predicate) {
  if (predicate.ep) return true;
  const bool is_bound_by_any =
      !predicate.any.empty() && std::ranges::all_of(predicate.any, names_an_ep);
  return is_bound_by_any || std::ranges::any_of(predicate.all, names_an_ep);
}

}  // namespace hone
