#include "knowledge/version.h"

#include <algorithm>
#include <charconv>

#include "base/misuse.h"
#include "base/text.h"

namespace hone {
namespace {

int compare(const Version& a, const Version& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

bool starts_alike(std::string_view a, std::string_view b, std::size_t parts) {
  const auto first = parse_version(a);
  const auto second = parse_version(b);
  return first && second && first->size() >= parts && second->size() >= parts &&
         std::equal(first->begin(), first->begin() + static_cast<std::ptrdiff_t>(parts),
                    second->begin());
}

Result<VersionBound> parse_bound(std::string_view word) {
  const std::size_t digits = std::min(word.find_first_not_of("<>=!"), word.size());
  const auto relation = value_named<Relation>(word.substr(0, digits));
  const auto version = parse_version(word.substr(digits));
  if (relation && version) return VersionBound{*relation, *version};
  return misuse("'" + printable(word) + "' is no bound of a version",
                "a range reads \">=1.24 <1.25\"");
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  Version parts;
  for (const std::string& word : split(text, '.')) {
    int part = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), part);
    if (error != std::errc{} || end != word.data() + word.size() || part < 0) return std::nullopt;
    parts.push_back(part);
  }
  return parts;
}

Result<std::vector<VersionBound>> parse_version_bounds(std::string_view text) {
  std::vector<VersionBound> bounds;
  for (const std::string& word : split(text, ' ')) {
    HONE_TRY(VersionBound bound, parse_bound(word));
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

bool is_within(const Version& version, const std::vector<VersionBound>& bounds) {
  return std::ranges::all_of(bounds, [&](const VersionBound& bound) {
    return holds(compare(version, bound.version), bound.relation, 0);
  });
}

bool is_same_major(std::string_view a, std::string_view b) { return starts_alike(a, b, 1); }
bool is_same_minor(std::string_view a, std::string_view b) { return starts_alike(a, b, 2); }

bool holds(double left, Relation relation, double right) {
  switch (relation) {
    case Relation::less:
      return left < right;
    case Relation::at_most:
      return left <= right;
    case Relation::equal:
      return left == right;
    case Relation::not_equal:
      return left != right;
    case Relation::at_least:
      return left >= right;
    case Relation::more:
      return left > right;
  }
  return false;
}

}  // namespace hone
