#include "tokenize/pattern_class.h"

#include <array>
#include <string>
#include <utility>

#include "tokenize/unicode.h"

namespace hone::tokenize {
namespace {

struct Named {
  std::string_view name;
  std::uint32_t categories;
};

constexpr std::array named_categories{
    Named{"l", category_set::letter},
    Named{"letter", category_set::letter},
    Named{"m", category_set::mark},
    Named{"mark", category_set::mark},
    Named{"n", category_set::number},
    Named{"number", category_set::number},
    Named{"p", category_set::punctuation},
    Named{"punctuation", category_set::punctuation},
    Named{"punct", category_set::punctuation},
    Named{"s", category_set::symbol},
    Named{"symbol", category_set::symbol},
    Named{"z", category_set::separator},
    Named{"separator", category_set::separator},
    Named{"c", category_set::other},
    Named{"other", category_set::other},
    Named{"cn", bit(Category::Cn)},
    Named{"lu", bit(Category::Lu)},
    Named{"uppercaseletter", bit(Category::Lu)},
    Named{"ll", bit(Category::Ll)},
    Named{"lowercaseletter", bit(Category::Ll)},
    Named{"lt", bit(Category::Lt)},
    Named{"titlecaseletter", bit(Category::Lt)},
    Named{"lm", bit(Category::Lm)},
    Named{"modifierletter", bit(Category::Lm)},
    Named{"lo", bit(Category::Lo)},
    Named{"otherletter", bit(Category::Lo)},
    Named{"mn", bit(Category::Mn)},
    Named{"nonspacingmark", bit(Category::Mn)},
    Named{"mc", bit(Category::Mc)},
    Named{"spacingmark", bit(Category::Mc)},
    Named{"me", bit(Category::Me)},
    Named{"enclosingmark", bit(Category::Me)},
    Named{"nd", bit(Category::Nd)},
    Named{"decimalnumber", bit(Category::Nd)},
    Named{"digit", bit(Category::Nd)},
    Named{"nl", bit(Category::Nl)},
    Named{"no", bit(Category::No)},
    Named{"zs", bit(Category::Zs)},
    Named{"spaceseparator", bit(Category::Zs)},
    Named{"zl", bit(Category::Zl)},
    Named{"zp", bit(Category::Zp)},
    Named{"cc", bit(Category::Cc)},
    Named{"control", bit(Category::Cc)},
    Named{"cntrl", bit(Category::Cc)},
    Named{"cf", bit(Category::Cf)},
    Named{"format", bit(Category::Cf)},
    Named{"co", bit(Category::Co)},
    Named{"cs", bit(Category::Cs)},
    Named{"pd", bit(Category::Pd)},
    Named{"ps", bit(Category::Ps)},
    Named{"pe", bit(Category::Pe)},
    Named{"pc", bit(Category::Pc)},
    Named{"po", bit(Category::Po)},
    Named{"pi", bit(Category::Pi)},
    Named{"pf", bit(Category::Pf)},
    Named{"sm", bit(Category::Sm)},
    Named{"sc", bit(Category::Sc)},
    Named{"sk", bit(Category::Sk)},
    Named{"so", bit(Category::So)},
};

bool has_category(char32_t c, std::uint32_t categories) { return is_in(c, categories); }
bool has_any_flag(char32_t c, std::uint32_t flags) {
  return has_flag(c, static_cast<std::uint16_t>(flags));
}
bool has_script(char32_t c, std::uint32_t script) { return record_of(c).script == script; }
bool is_word_there(char32_t c, std::uint32_t) { return is_word(c); }

Ranges categories(std::uint32_t set) { return where(has_category, set); }
Ranges flagged(std::uint16_t flags) { return where(has_any_flag, flags); }

Ranges joined(Ranges a, const Ranges& b) {
  a.insert(a.end(), b.begin(), b.end());
  tidy(a);
  return a;
}

// Below U+0100 it is ISO 8859-1's, where superscripts and fractions count.
Ranges words() {
  return joined(where(is_word_there, 0), {{0xB2, 0xB3}, {0xB9, 0xB9}, {0xBC, 0xBE}});
}

std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == ' ' || c == '_' || c == '-') continue;
    text.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  return text;
}

std::optional<Ranges> class_named(std::string_view name) {
  if (name == "alpha" || name == "alphabetic") return flagged(character_flag::alphabetic);
  if (name == "upper" || name == "uppercase") return flagged(character_flag::uppercase);
  if (name == "lower" || name == "lowercase") return flagged(character_flag::lowercase);
  if (name == "space" || name == "whitespace") return flagged(character_flag::white_space);
  if (name == "word") return words();
  if (name == "alnum") {
    return joined(flagged(character_flag::alphabetic), categories(bit(Category::Nd)));
  }
  if (name == "xdigit") return Ranges{{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
  if (name == "blank") return joined(categories(bit(Category::Zs)), {{'\t', '\t'}});
  if (name == "ascii") return Ranges{{0, 127}};
  if (name == "any") return Ranges{{0, last_character}};
  if (name == "extendedpictographic") return flagged(character_flag::pictograph);
  return std::nullopt;
}

}  // namespace

std::optional<Ranges> property_named(std::string_view name) {
  std::string wanted = plain(name);
  const std::size_t equals = wanted.find('=');
  if (equals != std::string::npos) wanted = wanted.substr(equals + 1);
  for (const Named& named : named_categories) {
    if (named.name == wanted) return categories(named.categories);
  }
  if (auto found = class_named(wanted)) return found;
  const std::string_view value =
      equals == std::string::npos ? name : name.substr(name.find('=') + 1);
  if (const auto script = script_named(value)) return where(has_script, *script);
  return std::nullopt;
}

std::optional<Ranges> posix_class(std::string_view name) {
  if (name == "digit") return categories(bit(Category::Nd));
  if (name == "cntrl") return categories(bit(Category::Cc));
  // Oniguruma counts ASCII's symbols among punctuation here.
  if (name == "punct") {
    return joined(
        categories(category_set::punctuation),
        {{'$', '$'}, {'+', '+'}, {'<', '>'}, {'^', '^'}, {'`', '`'}, {'|', '|'}, {'~', '~'}});
  }
  return class_named(name);
}

std::optional<Ranges> short_class(char letter) {
  switch (letter) {
    case 's':
      return flagged(character_flag::white_space);
    case 'w':
      return words();
    case 'd':
      return categories(bit(Category::Nd));
    case 'h':
      return Ranges{{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
    default:
      return std::nullopt;
  }
}

}  // namespace hone::tokenize
