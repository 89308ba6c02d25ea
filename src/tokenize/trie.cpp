#include "tokenize/trie.h"

#include <algorithm>

namespace hone::tokenize {

class Trie::Builder {
 public:
  Builder(std::vector<Unit>& units, const std::vector<Key>& keys) : units_(units), keys_(keys) {}

  void build() {
    reserve(1024);
    take(root);
    pending_.push_back({root, 0, keys_.size(), 0});
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      place(next);
    }
  }

 private:
  struct Child {
    std::uint32_t label;  // 0: the key ends here; else the byte and one
    std::size_t begin, end;
  };

  void reserve(std::size_t size) {
    if (size <= units_.size()) return;
    size = std::max(size, units_.size() * 2);
    units_.resize(size);
    is_used_.resize(size, false);
  }
  void take(std::uint32_t unit) { is_used_[unit] = true; }

  std::uint32_t label_of(const Key& key, std::size_t depth) const {
    return depth == key.first.size() ? 0 : static_cast<unsigned char>(key.first[depth]) + 1U;
  }

  void place(const Pending& here) {
    children_.clear();
    for (std::size_t i = here.begin; i < here.end; ++i) {
      const std::uint32_t label = label_of(keys_[i], here.depth);
      if (children_.empty() || children_.back().label != label) children_.push_back({label, i, i});
      children_.back().end = i + 1;
    }
    const std::uint32_t base = find_base();
    units_[here.node].base = base;
    for (const Child& child : children_) {
      const std::uint32_t to = base + child.label;
      take(to);
      units_[to].parent = here.node;
      if (child.label == 0) {
        units_[to].base = keys_[child.end - 1].second;
      } else {
        pending_.push_back({to, child.begin, child.end, here.depth + 1});
      }
    }
  }

  // The first place where all children fit. What was tried in vain often enough is left behind, so
  // that building stays linear.
  std::uint32_t find_base() {
    while (is_used_[first_free_]) {
      ++first_free_;
      reserve(first_free_ + 512);
    }
    constexpr std::size_t most_tries = 64;
    std::size_t tries = 0;
    for (std::size_t at = first_free_;; ++at) {
      reserve(at + 512);
      if (is_used_[at] || at < children_[0].label + 1) continue;
      const auto base = static_cast<std::uint32_t>(at - children_[0].label);
      const auto is_free = [&](const Child& child) { return !is_used_[base + child.label]; };
      if (std::all_of(children_.begin(), children_.end(), is_free)) return base;
      if (++tries == most_tries) {
        first_free_ = at;
        tries = 0;
      }
    }
  }

  std::vector<Unit>& units_;
  const std::vector<Key>& keys_;
  std::vector<bool> is_used_{};
  std::vector<Pending> pending_{};
  std::vector<Child> children_{};
  std::size_t first_free_ = 1;
};

Trie::Trie(std::vector<Key> keys) {
  std::erase_if(keys, [](const Key& key) { return key.first.empty(); });
  std::stable_sort(keys.begin(), keys.end(),
                   [](const Key& a, const Key& b) { return a.first < b.first; });
  if (keys.empty()) return;
  Builder(units_, keys).build();
  std::size_t used = units_.size();
  while (used > 1 && units_[used - 1].parent == none) --used;
  units_.resize(used);
  units_.shrink_to_fit();
}

std::uint32_t Trie::walk(std::string_view text) const {
  if (empty()) return none;
  std::uint32_t node = root;
  for (const char byte : text) {
    node = next(node, byte);
    if (node == none) return none;
  }
  return node;
}

}  // namespace hone::tokenize
