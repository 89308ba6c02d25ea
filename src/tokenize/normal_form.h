#pragma once
// Unicode's four normal forms, as changes to a text.

#include "tokenize/aligned.h"

namespace hone::tokenize {

enum class NormalForm { nfd, nfkd, nfc, nfkc };

void normalize(Aligned& text, NormalForm form);

}  // namespace hone::tokenize
