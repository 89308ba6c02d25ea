#include "flow/tokenize.h"

#include <set>

#include "base/file.h"
#include "base/text.h"
#include "flow/token_ids.h"
#include "tokenize/tokenizer.h"
#include "tokenize/utf8.h"

namespace hone {
namespace {

using tokenize::Encoding;
using tokenize::Tokenizer;

constexpr std::uint64_t largest_text = std::uint64_t{256} << 20U;

std::vector<std::uint64_t> pair_of(const tokenize::Span& span) { return {span.begin, span.end}; }

TokenRow row_of(const Tokenizer& tokenizer, const Encoding& encoding, std::size_t i) {
  TokenRow row;
  row.id = encoding.ids[i];
  row.token = tokenizer.token(encoding.ids[i]).value_or("");
  row.characters = pair_of(encoding.characters[i]);
  row.bytes = pair_of(encoding.bytes[i]);
  if (encoding.words[i] != tokenize::no_word) row.word = encoding.words[i];
  if (encoding.sequences[i] != tokenize::no_sequence) row.sequence = encoding.sequences[i];
  row.type = encoding.type_ids[i];
  row.is_special = encoding.special_tokens_mask[i] != 0 || tokenizer.is_special(encoding.ids[i]);
  row.is_padding = encoding.attention_mask[i] == 0;
  return row;
}

Status check(const TokenizeOrder& order) {
  const int given =
      int{order.text.has_value()} + int{!order.file.empty()} + int{!order.decode.empty()};
  if (given != 1) {
    return fail(Fault::bad_input,
                given == 0 ? "there is nothing to tokenize" : "one of several texts is meant", "",
                "one of --text TEXT, --file FILE and --decode IDS");
  }
  if (order.pair && !order.decode.empty()) {
    return fail(Fault::bad_input, "--pair is a second text, and --decode has none", "",
                "--text FIRST --pair SECOND");
  }
  return done();
}

Status add_tokens(const TokenizeOrder& order, const Tokenizer& tokenizer, TokenizeReport& report) {
  std::string text = order.text.value_or("");
  if (!order.file.empty()) {
    HONE_TRY(text, read_file(order.file, largest_text));
  }
  const tokenize::EncodeOptions options{.add_special_tokens = !order.without_special,
                                        .offsets = tokenize::Offsets::both};
  HONE_TRY(const Encoding encoding, order.pair ? tokenizer.encode_pair(text, *order.pair, options)
                                               : tokenizer.encode(text, options));
  std::set<std::pair<std::int64_t, std::int64_t>> words;
  for (std::size_t i = 0; i < encoding.size(); ++i) {
    TokenRow row = row_of(tokenizer, encoding, i);
    if (row.word) words.emplace(row.sequence.value_or(0), *row.word);
    report.tokens.push_back(std::move(row));
  }
  report.words = words.size();
  report.characters = tokenize::count_characters(tokenize::repaired(text)) +
                      tokenize::count_characters(tokenize::repaired(order.pair.value_or("")));
  report.further_windows = encoding.overflowing.size();
  return done();
}

}  // namespace

Result<TokenizeReport> tokenize_text(const TokenizeOrder& order) {
  HONE_TRY_DO(check(order));
  HONE_TRY(const std::vector<std::uint32_t> ids, read_token_ids(order.decode, "--decode"));
  HONE_TRY(const Tokenizer tokenizer, tokenize::load_tokenizer(order.tokenizer));
  TokenizeReport report;
  report.tokenizer = order.tokenizer;
  report.kind = tokenizer.kind();
  report.vocabulary = tokenizer.vocabulary_size();
  report.identity = tokenizer.identity();
  if (order.decode.empty()) {
    HONE_TRY_DO(add_tokens(order, tokenizer, report));
  } else {
    report.decoded = tokenizer.decode(ids, order.without_special);
  }
  return report;
}

}  // namespace hone
