#include "tokenize/unicode.h"

#include <algorithm>

namespace hone::tokenize {
namespace {

constexpr char32_t hangul = 0xAC00;
constexpr char32_t leading = 0x1100;
constexpr char32_t vowel = 0x1161;
constexpr char32_t trailing = 0x11A7;

std::span<const char32_t> text_of(const TextTable& table, char32_t c) {
  const char32_t* end = table.keys + table.count;
  const char32_t* found = std::lower_bound(table.keys, end, c);
  if (found == end || *found != c) return {};
  const auto at = static_cast<std::size_t>(found - table.keys);
  const std::size_t length = static_cast<std::size_t>(table.begins[at + 1]) - table.begins[at];
  return {table.pool + table.begins[at], length};
}

char32_t compose_hangul(char32_t first, char32_t second) {
  if (first >= leading && first < leading + 19 && second >= vowel && second < vowel + 21) {
    return hangul + ((first - leading) * 21 + (second - vowel)) * 28;
  }
  const bool is_syllable = first >= hangul && first < hangul + 11172;
  if (is_syllable && (first - hangul) % 28 == 0 && second > trailing && second < trailing + 28) {
    return first + (second - trailing);
  }
  return 0;
}

bool is_same_name(std::string_view a, std::string_view b) {
  const auto equal = [](char x, char y) {
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return small(x) == small(y);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

}  // namespace

bool is_word(char32_t c) {
  constexpr std::uint32_t categories = category_set::mark | bit(Category::Nd) | bit(Category::Pc);
  return is_in(c, categories) || has_flag(c, character_flag::alphabetic);
}

std::span<const char32_t> long_lowercase(char32_t c) { return text_of(tables::lower, c); }

char32_t fold(char32_t c) {
  if (!has_flag(c, character_flag::folds)) return c;
  const char32_t* end = tables::folds.keys + tables::folds.count;
  const char32_t* found = std::lower_bound(tables::folds.keys, end, c);
  return found == end || *found != c ? c : tables::folds.values[found - tables::folds.keys];
}

std::span<const char32_t> canonical_decomposition(char32_t c) {
  return text_of(tables::canonical, c);
}

std::span<const char32_t> compatible_decomposition(char32_t c) {
  return text_of(tables::compatible, c);
}

char32_t compose(char32_t first, char32_t second) {
  if (!has_flag(second, character_flag::composes)) return 0;
  if (const char32_t made = compose_hangul(first, second); made != 0) return made;
  const std::uint64_t key = (std::uint64_t{first} << 32) | second;
  const std::uint64_t* end = tables::compositions.keys + tables::compositions.count;
  const std::uint64_t* found = std::lower_bound(tables::compositions.keys, end, key);
  if (found == end || *found != key) return 0;
  return tables::compositions.values[found - tables::compositions.keys];
}

std::optional<std::uint16_t> script_named(std::string_view name) {
  for (const ScriptName& script : tables::scripts) {
    if (is_same_name(name, script.name) || is_same_name(name, script.short_name))
      return script.code;
  }
  return std::nullopt;
}

}  // namespace hone::tokenize
