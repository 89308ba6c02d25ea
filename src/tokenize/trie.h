#pragma once
// A set of byte strings, each with a number, walked byte by byte: one load for each step (a double
// array).

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace hone::tokenize {

class Trie {
 public:
  using Key = std::pair<std::string_view, std::uint32_t>;
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  static constexpr std::uint32_t root = 0;

  Trie() = default;
  // Of two equal keys the last one counts. Empty keys are left out.
  explicit Trie(std::vector<Key> keys);

  bool empty() const { return units_.empty(); }
  // Where the byte leads from a node, or none.
  std::uint32_t next(std::uint32_t node, char byte) const {
    const std::uint32_t to = units_[node].base + static_cast<unsigned char>(byte) + 1U;
    return to < units_.size() && units_[to].parent == node ? to : none;
  }
  // The number of the key that ends here, or none.
  std::uint32_t value(std::uint32_t node) const {
    const std::uint32_t at = units_[node].base;
    return at < units_.size() && units_[at].parent == node ? units_[at].base : none;
  }
  // The node that a text leads to, or none.
  std::uint32_t walk(std::string_view text) const;

 private:
  struct Unit {
    std::uint32_t base = 0;
    std::uint32_t parent = none;
  };
  struct Pending {
    std::uint32_t node;
    std::size_t begin, end, depth;
  };
  class Builder;
  std::vector<Unit> units_{};
};

}  // namespace hone::tokenize
