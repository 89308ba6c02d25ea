#pragma once
// Classes of characters by the names that regular expressions have for them.

#include <optional>
#include <string_view>

#include "tokenize/char_set.h"

namespace hone::tokenize {

// "L", "Lu", "Letter", "Han", "Alphabetic", "Any", ...; none: there is no such property.
std::optional<Ranges> property_named(std::string_view name);
// What stands in [:...:].
std::optional<Ranges> posix_class(std::string_view name);
// \s, \w, \d, \h by their letter.
std::optional<Ranges> short_class(char letter);

}  // namespace hone::tokenize
