#pragma once
// Tokens, for people.

#include <string>

#include "record/tokenize.h"

namespace hone {

std::string describe_tokens(const TokenizeReport& report);

}  // namespace hone
