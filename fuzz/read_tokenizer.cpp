// A tokenizer.json, and behind a zero byte a text for it; or, behind a byte 1, a SentencePiece
// model. Whatever is read must encode the text, with spans inside it, and decode what came of it.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tokenize/other_files.h"
#include "tokenize/tokenizer.h"

namespace {

using namespace hone::tokenize;

void use(const Tokenizer& tokenizer, std::string_view text) {
  EncodeOptions options;
  options.offsets = Offsets::both;
  const auto one = tokenizer.encode(text, options);
  if (!one) return;
  const bool has_columns = one->characters.size() == one->size() &&
                           one->bytes.size() == one->size() && one->words.size() == one->size() &&
                           one->type_ids.size() == one->size();
  if (!has_columns) std::abort();
  for (const Span& span : one->bytes) {
    if (span.begin > span.end || span.end > text.size()) std::abort();
  }
  tokenizer.decode(one->ids, false);
  DecodeStream stream(tokenizer);
  for (std::size_t i = 0; i < one->size() && i < 16; ++i) stream.step(one->ids[i]);
  options.read_special_tokens = false;
  if (!tokenizer.encode_pair(text, "a pair", options)) return;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.starts_with('\x01')) {
    const auto json = sentence_piece_json(input.substr(1));
    if (!json) return 0;
    if (const auto tokenizer = Tokenizer::parse(json->dump(-1))) use(*tokenizer, "a text  of it");
    return 0;
  }
  const std::size_t end = input.find('\0');
  const auto tokenizer = Tokenizer::parse(input.substr(0, end));
  if (!tokenizer) return 0;
  use(*tokenizer, end == std::string_view::npos ? "Hello, wörld!" : input.substr(end + 1));
  return 0;
}
