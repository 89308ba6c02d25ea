#pragma once
// JSON for people: what says nothing is left out.

#include <functional>
#include <string_view>

#include "base/json.h"

namespace hone {

// Null, "", [] or {}.
bool is_empty(const Json& value);

// The same without the members of objects, at any depth, that `is_default` names. The innermost are
// asked first: an object all of whose members are defaults is asked as {}.
Json without_defaults(
    const Json& value,
    const std::function<bool(std::string_view key, const Json& member)>& is_default);

}  // namespace hone
