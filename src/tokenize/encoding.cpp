#include "tokenize/encoding.h"

#include "tokenize/post_processor.h"

namespace hone::tokenize {
namespace {

template <class Column>
void add_column(Column& whole, const Column& part) {
  whole.insert(whole.end(), part.begin(), part.end());
}

}  // namespace

void Encoding::clear() {
  ids.clear();
  type_ids.clear();
  attention_mask.clear();
  special_tokens_mask.clear();
  characters.clear();
  bytes.clear();
  words.clear();
  sequences.clear();
  margins.clear();
  overflowing.clear();
}

void append(Encoding& whole, const Encoding& part) {
  std::vector<Encoding> windows;
  const auto add = [&](const Encoding& first, const Encoding& second) {
    Encoding window = first;
    window.overflowing.clear();
    Encoding rest = second;
    rest.overflowing.clear();
    append(window, rest);
    windows.push_back(std::move(window));
  };
  for (const Encoding& mine : whole.overflowing) {
    add(mine, part);
    for (const Encoding& other : part.overflowing) add(mine, other);
  }
  for (const Encoding& other : part.overflowing) add(whole, other);
  add_column(whole.ids, part.ids);
  add_column(whole.type_ids, part.type_ids);
  add_column(whole.attention_mask, part.attention_mask);
  add_column(whole.special_tokens_mask, part.special_tokens_mask);
  add_column(whole.characters, part.characters);
  add_column(whole.bytes, part.bytes);
  add_column(whole.words, part.words);
  add_column(whole.sequences, part.sequences);
  add_column(whole.margins, part.margins);
  whole.overflowing = std::move(windows);
}

}  // namespace hone::tokenize
