#pragma once
// What checks of hostile files share: a list of what is wrong, and the shapes of words.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone {

// Collects what is wrong.
class FindingProblems {
 public:
  void expect(bool holds, std::string what) {
    if (!holds) found_.push_back(std::move(what));
  }
  void add(std::string what) { found_.push_back(std::move(what)); }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

constexpr std::size_t longest_word = 128;

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
inline bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

// Letters, digits and the characters of `also`.
inline bool is_word(std::string_view text, std::string_view also) {
  return !text.empty() && text.size() <= longest_word && std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || is_digit(c) || also.find(c) != std::string_view::npos;
  });
}

// A SHA-256 as we write it.
inline bool is_hash(std::string_view text) {
  return text.size() == 64 &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

// "2026-06-25", or with the time: "2026-06-25T10:00:00Z".
inline bool is_date(std::string_view text) {
  constexpr std::string_view pattern = "0000-00-00T00:00:00Z";
  if (text.size() != 10 && text.size() != pattern.size()) return false;
  return std::equal(text.begin(), text.end(), pattern.begin(),
                    [](char c, char p) { return p == '0' ? is_digit(c) : c == p; });
}

}  // namespace hone
