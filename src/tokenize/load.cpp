#include "tokenize/parts.h"
namespace hone::tokenize {
Result<Tokenizer> load_tokenizer(const Path& path) {
  HONE_TRY(const std::string text, read_file(path));
  return Tokenizer::parse(text);
}
}
