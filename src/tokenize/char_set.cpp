#include "tokenize/char_set.h"

#include <algorithm>
#include <map>
#include <string>

#include "tokenize/unicode.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

constexpr char32_t block_size = 128;  // of the tables
constexpr std::size_t page_count = (last_character + 1) / 256;

bool contains(const Ranges& ranges, char32_t c) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), c,
                       [](char32_t x, const Range& range) { return x < range.first; });
  return after != ranges.begin() && std::prev(after)->last >= c;
}

unsigned char first_byte(char32_t c) {
  std::string text;
  append(text, c);
  return static_cast<unsigned char>(text[0]);
}

}  // namespace

void add(Ranges& ranges, Range range) { ranges.push_back(range); }

void tidy(Ranges& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  Ranges joined;
  for (const Range& range : ranges) {
    if (!joined.empty() && range.first <= joined.back().last + 1) {
      joined.back().last = std::max(joined.back().last, range.last);
    } else {
      joined.push_back(range);
    }
  }
  ranges = std::move(joined);
}

Ranges negated(const Ranges& ranges) {
  Ranges rest;
  char32_t next = 0;
  for (const Range& range : ranges) {
    if (range.first > next) rest.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= last_character) rest.push_back({next, last_character});
  return rest;
}

Ranges intersected(const Ranges& a, const Ranges& b) {
  Ranges both = negated(a);
  const Ranges not_b = negated(b);
  both.insert(both.end(), not_b.begin(), not_b.end());
  tidy(both);
  return negated(both);
}

Ranges closed_over_case(const Ranges& ranges) {
  Ranges closed = ranges;
  const FoldTable& folds = tables::folds;
  std::map<char32_t, bool> has;  // by what they fold to
  for (std::size_t i = 0; i < folds.count; ++i) {
    bool& known = has[folds.values[i]];
    known = known || contains(ranges, folds.keys[i]) || contains(ranges, folds.values[i]);
  }
  for (std::size_t i = 0; i < folds.count; ++i) {
    if (!has[folds.values[i]]) continue;
    closed.push_back({folds.keys[i], folds.keys[i]});
    closed.push_back({folds.values[i], folds.values[i]});
  }
  tidy(closed);
  return closed;
}

Ranges where(bool (*holds)(char32_t c, std::uint32_t argument), std::uint32_t argument) {
  Ranges ranges;
  const auto add_one = [&](char32_t first, char32_t last) {
    if (!ranges.empty() && ranges.back().last + 1 == first) {
      ranges.back().last = last;
    } else {
      ranges.push_back({first, last});
    }
  };
  // Most blocks are like the one before: ideographs, and what nobody assigned yet.
  std::uint32_t block = ~std::uint32_t{0};
  std::uint32_t members = 0;
  for (char32_t first = 0; first <= last_character; first += block_size) {
    const std::uint16_t same = tables::block_table[first / block_size];
    const bool is_like_last = same == block && (members == 0 || members == block_size);
    if (is_like_last && members == 0) continue;
    if (is_like_last) {
      add_one(first, first + block_size - 1);
      continue;
    }
    block = same;
    members = 0;
    for (char32_t c = first; c < first + block_size; ++c) {
      if (!holds(c, argument)) continue;
      ++members;
      add_one(c, c);
    }
  }
  return ranges;
}

CharSet::CharSet(const Ranges& ranges) : page_of_(page_count, 0), pages_(2) {
  pages_[1].fill(~std::uint64_t{0});
  std::size_t at = 0;
  for (std::size_t number = 0; number < page_count; ++number) {
    const auto first = static_cast<char32_t>(number * 256);
    while (at < ranges.size() && ranges[at].last < first) ++at;
    if (at == ranges.size()) break;
    if (ranges[at].first <= first && ranges[at].last >= first + 255) {
      page_of_[number] = 1;
      continue;
    }
    Page page{};
    for (std::size_t i = at; i < ranges.size() && ranges[i].first <= first + 255; ++i) {
      const char32_t last = std::min<char32_t>(ranges[i].last, first + 255);
      for (char32_t c = std::max(ranges[i].first, first); c <= last; ++c) {
        page[(c >> 6U) & 3U] |= std::uint64_t{1} << (c & 63U);
      }
    }
    page_of_[number] = static_cast<std::uint16_t>(pages_.size());
    pages_.push_back(page);
  }
  ascii_ = {pages_[page_of_[0]][0], pages_[page_of_[0]][1]};
  for (const Range& range : ranges) {
    for (unsigned byte = first_byte(range.first); byte <= first_byte(range.last); ++byte) {
      first_bytes_.set(byte);
    }
  }
}

}  // namespace hone::tokenize
