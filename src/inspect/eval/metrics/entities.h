#pragma once
// Named entities in a sequence of tags, counted as seqeval does in its default mode: an entity is
// right when its type, its first and its last word are. Tags may be IOB1, IOB2, IOE or IOBES, and a
// tag that breaks its scheme (an I- without a B-) begins an entity, as conlleval has it.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hone {

struct Entity {
  std::string type;
  std::size_t first = 0;
  std::size_t last = 0;  // the last word, not the one behind it
  bool operator==(const Entity&) const = default;
};
std::vector<Entity> entities_in(std::span<const std::string> tags);

struct EntityCounts {
  std::uint64_t right = 0;
  std::uint64_t expected = 0;
  std::uint64_t got = 0;
};
// REQUIRES: as many tags in both.
EntityCounts count_entities(std::span<const std::string> expected,
                            std::span<const std::string> got);

// Where there is nothing to find and nothing was found, 0, as seqeval has it.
double entity_f1(double right, double expected, double got);

}  // namespace hone
