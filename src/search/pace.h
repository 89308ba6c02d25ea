#pragma once
// What sessions cost, by those that were held: opening an arm, and each of its rounds.

#include <cstddef>

namespace hone {

class Pace {
 public:
  // A session of `arms` arms: opening, its first round and closing took `first_s`, and the
  // `more_rounds` after the first `more_s` in all.
  void add(std::size_t arms, double first_s, std::size_t more_rounds, double more_s) {
    arms_ += static_cast<double>(arms);
    first_s_ += first_s;
    blocks_ += static_cast<double>(arms * more_rounds);
    more_s_ += more_s;
  }

  bool is_known() const { return arms_ > 0; }

  // What a session will take; 0 while nothing is known. Without a second round to go by, half of
  // the first is taken for opening: it runs the model, too.
  double session_s(std::size_t arms, std::size_t rounds) const {
    if (!is_known() || arms == 0 || rounds == 0) return 0;
    const double first = first_s_ / arms_;
    const double block = blocks_ > 0 ? more_s_ / blocks_ : first / 2;
    return static_cast<double>(arms) * (first + block * static_cast<double>(rounds - 1));
  }

 private:
  double arms_ = 0;  // that were opened
  double first_s_ = 0;
  double blocks_ = 0;  // of later rounds
  double more_s_ = 0;
};

}  // namespace hone
