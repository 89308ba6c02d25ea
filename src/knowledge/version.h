#pragma once
// Versions as numbers between dots, and ranges of them: ">=1.24 <1.25".

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/finding.h"

namespace hone {

using Version = std::vector<int>;

// "1.29.0" -> 1, 29, 0. Nothing for what is no version.
std::optional<Version> parse_version(std::string_view text);

struct VersionBound {
  Relation relation = Relation::equal;
  Version version;
};

// All bounds must hold. Versions are compared as far as both go: 1.24 is every 1.24.x.
Result<std::vector<VersionBound>> parse_version_bounds(std::string_view text);
bool is_within(const Version& version, const std::vector<VersionBound>& bounds);

// Is the first number known of both and the same; the first two numbers?
bool is_same_major(std::string_view a, std::string_view b);
bool is_same_minor(std::string_view a, std::string_view b);

// Of two numbers, one on each side of the relation.
bool holds(double left, Relation relation, double right);

}  // namespace hone
