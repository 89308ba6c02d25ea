#include "inspect/eval/metrics/entities.h"

#include <algorithm>
#include <string_view>

namespace hone {
namespace {

struct Tag {
  char mark = 'O';
  std::string_view type;
};

// "B-PER" is B of PER, "B" is B of _. Types may hold dashes themselves.
Tag read_tag(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t dash = text.find('-', 1);
  const std::string_view type =
      dash != std::string_view::npos ? text.substr(dash + 1) : text.substr(1);
  return {text.front(), type.empty() ? "_" : type};
}

bool is_one_of(char mark, std::string_view marks) {
  return marks.find(mark) != std::string_view::npos;
}

bool ends_between(const Tag& before, const Tag& now) {
  if (before.mark == 'E' || before.mark == 'S') return true;
  if (is_one_of(before.mark, "BI") && is_one_of(now.mark, "BSO")) return true;
  return before.mark != 'O' && before.mark != '.' && before.type != now.type;
}

bool starts_between(const Tag& before, const Tag& now) {
  if (now.mark == 'B' || now.mark == 'S') return true;
  if (is_one_of(before.mark, "ESO") && is_one_of(now.mark, "EI")) return true;
  return now.mark != 'O' && now.mark != '.' && before.type != now.type;
}

}  // namespace

std::vector<Entity> entities_in(std::span<const std::string> tags) {
  std::vector<Entity> found;
  Tag before{'O', ""};
  std::size_t first = 0;
  for (std::size_t i = 0; i <= tags.size(); ++i) {
    const Tag now = i < tags.size() ? read_tag(tags[i]) : Tag{'O', "_"};
    if (ends_between(before, now)) found.push_back({std::string(before.type), first, i - 1});
    if (starts_between(before, now)) first = i;
    before = now;
  }
  return found;
}

EntityCounts count_entities(std::span<const std::string> expected,
                            std::span<const std::string> got) {
  const std::vector<Entity> wanted = entities_in(expected);
  const std::vector<Entity> given = entities_in(got);
  EntityCounts counts{.right = 0, .expected = wanted.size(), .got = given.size()};
  for (const Entity& entity : wanted)
    counts.right += std::ranges::find(given, entity) != given.end() ? 1 : 0;
  return counts;
}

double entity_f1(double right, double expected, double got) {
  return expected + got > 0 ? 2 * right / (expected + got) : 0;
}

}  // namespace hone
