#pragma once
// `hone generate` as text.

#include <string>
#include <string_view>

#include "record/generation.h"

namespace hone {

// A model may write anything: control characters but for ends of lines and tabs are made visible.
std::string for_terminals(std::string_view text);

// What was written; several texts behind their numbers, ids where there is no tokenizer.
std::string describe_texts(const GenerateReport& report);

// "12 tokens, ended by max_tokens (greedy); first token after 3.1 ms, then 512 tokens a second".
std::string describe_generation(const GenerateReport& report);

}  // namespace hone
