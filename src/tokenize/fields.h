#pragma once
// Members of tokenizer.json with their types. Absent is what an optional says; of another type is
// an error that names it.

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace hone::tokenize {

Failure bad_field(std::string_view where, const Json* found, std::string_view wanted);

// The member, or an error. REQUIRES nothing of `json`.
Result<const Json*> member(const Json& json, std::string_view name);
// null where it is absent or null.
const Json* optional_member(const Json& json, std::string_view name);

Result<std::string> string_field(const Json& json, std::string_view name);
Result<std::string> string_or(const Json& json, std::string_view name, std::string_view other);
Result<bool> bool_field(const Json& json, std::string_view name);
Result<bool> bool_or(const Json& json, std::string_view name, bool other);
Result<std::uint64_t> count_field(const Json& json, std::string_view name);
Result<std::uint64_t> count_or(const Json& json, std::string_view name, std::uint64_t other);
Result<const Json::Array*> array_field(const Json& json, std::string_view name);
// A string of one character.
Result<std::string> character_field(const Json& json, std::string_view name);
// "type", which says what the object is.
Result<std::string> type_of(const Json& json, std::string_view what);

// "hone does not know the normalizer 'X'".
Failure unknown_type(std::string_view what, std::string_view name);

}  // namespace hone::tokenize
