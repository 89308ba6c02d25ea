#pragma once
// What units brought for figures of all of them: equal facts once, with how often they came. Facts
// that add up (edits and words, losses and tokens) become sums of several units once there are
// 16384: neighbours, and any by chance, are as independent as all units are, and so are their sums.

#include <cstdint>
#include <span>
#include <vector>

namespace hone {

class UnitFacts {
 public:
  using Facts = std::vector<double>;

  // `adds_up`: the facts of two units, added, are those of both. REQUIRES: then all are as long.
  explicit UnitFacts(bool adds_up) : adds_up_(adds_up) {}

  // Of the model, and of the reference on the same unit.
  void add(const Facts& own, const Facts& other);

  // Those that differ, or the sums.
  std::span<const Facts> own() const { return own_; }
  std::span<const Facts> other() const { return other_; }
  // How often each of them came.
  const std::vector<std::uint64_t>& times() const { return times_; }

 private:
  std::size_t slot_of(const Facts& own, const Facts& other) const;
  void make_room();
  void begin_sums();
  void halve();
  void add_to_sum(const Facts& own, const Facts& other);

  bool adds_up_;
  std::vector<Facts> own_;
  std::vector<Facts> other_;
  std::vector<std::uint64_t> times_;
  // Places in those above, plus one, by hash; 0: free. A map of facts took three times the memory.
  std::vector<std::uint32_t> slots_;
  std::uint64_t units_ = 0;
  std::uint64_t per_sum_ = 0;  // units; 0: there are no sums yet
  std::uint64_t in_last_ = 0;
};

}  // namespace hone
