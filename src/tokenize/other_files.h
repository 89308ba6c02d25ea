#pragma once
// Tokenizers without a tokenizer.json, written as the tokenizer.json they come to.

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace hone::tokenize {

// `config` is tokenizer_config.json, or an empty object where there is none.
Result<Json> word_piece_json(std::string_view vocab_txt, const Json& config);
Result<Json> byte_level_json(const Json& vocab, std::string_view merges_txt, const Json& config);
// Without what is put around a text: add_template() does that.
Result<Json> sentence_piece_json(std::string_view bytes);
// As the class that tokenizer_config.json names puts it.
Status add_template(Json& json, const Json& config);

}  // namespace hone::tokenize
