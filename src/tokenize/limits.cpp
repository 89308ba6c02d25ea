// Truncating, putting around, padding.

#include <algorithm>

#include "tokenize/parts.h"

namespace hone::tokenize {
namespace {

template <class Column>
Column cut(const Column& column, std::size_t begin, std::size_t end) {
  if (column.empty()) return {};
  const auto first = column.begin();
  return {first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)};
}

Encoding window_of(const Encoding& whole, std::size_t begin, std::size_t end) {
  Encoding window;
  window.ids = cut(whole.ids, begin, end);
  window.type_ids = cut(whole.type_ids, begin, end);
  window.attention_mask = cut(whole.attention_mask, begin, end);
  window.special_tokens_mask = cut(whole.special_tokens_mask, begin, end);
  window.characters = cut(whole.characters, begin, end);
  window.bytes = cut(whole.bytes, begin, end);
  window.words = cut(whole.words, begin, end);
  window.sequences = cut(whole.sequences, begin, end);
  window.margins = cut(whole.margins, begin, end);
  return window;
}

// What is kept is its first window; the others overflow.
Status truncate_one(Encoding& encoding, std::size_t most, const Truncation& rules) {
  const std::size_t size = encoding.size();
  if (most >= size) return done();
  if (most == 0) {
    Encoding none;
    none.overflowing.push_back(std::move(encoding));
    encoding = std::move(none);
    return done();
  }
  if (rules.stride >= most) {
    return fail(Fault::bad_input, "cannot truncate to " + std::to_string(most) + " tokens",
                "windows are to share " + std::to_string(rules.stride),
                "a smaller stride, or a longer text's limit");
  }
  std::vector<Encoding> windows;
  const std::size_t step = most - rules.stride;
  if (rules.side == Side::right) {
    for (std::size_t begin = 0;; begin += step) {
      const std::size_t end = std::min(begin + most, size);
      windows.push_back(window_of(encoding, begin, end));
      if (end == size) break;
    }
  } else {
    for (std::size_t end = size;; end -= step) {
      const std::size_t begin = end > most ? end - most : 0;
      windows.push_back(window_of(encoding, begin, end));
      if (begin == 0) break;
    }
  }
  Encoding kept = std::move(windows.front());
  windows.erase(windows.begin());
  kept.overflowing = std::move(windows);
  encoding = std::move(kept);
  return done();
}

// Of two lengths the longer one goes first.
std::pair<std::size_t, std::size_t> share(std::size_t first, std::size_t second, std::size_t most) {
  const bool is_swapped = first > second;
  std::size_t shorter = std::min(first, second);
  std::size_t longer = shorter > most ? shorter : std::max(shorter, most - shorter);
  if (shorter + longer > most) {
    shorter = most / 2;
    longer = shorter + most % 2;
  }
  return is_swapped ? std::pair{longer, shorter} : std::pair{shorter, longer};
}

void set_sequence(Encoding& encoding, std::size_t text) {
  const auto number = static_cast<std::int8_t>(text);
  std::fill(encoding.sequences.begin(), encoding.sequences.end(), number);
  for (Encoding& window : encoding.overflowing) set_sequence(window, text);
}

template <class Column, class Value>
void pad_column(Column& column, std::size_t count, Value value, Side side) {
  if (column.empty()) return;
  column.insert(side == Side::left ? column.begin() : column.end(), count, value);
}

// Margins have served; offsets that were asked for are there, where no text has any, too.
void finish(Encoding& encoding, Offsets offsets) {
  encoding.margins.clear();
  if (offsets == Offsets::characters || offsets == Offsets::both) {
    encoding.characters.resize(encoding.size());
  }
  if (offsets == Offsets::bytes || offsets == Offsets::both) encoding.bytes.resize(encoding.size());
  for (Encoding& window : encoding.overflowing) finish(window, offsets);
}

}  // namespace

Status truncate(std::vector<Encoding>& encodings, const Truncation& rules) {
  if (rules.max_length == 0) {
    for (Encoding& encoding : encodings) HONE_TRY_DO(truncate_one(encoding, 0, rules));
    return done();
  }
  std::size_t total = 0;
  for (const Encoding& encoding : encodings) total += encoding.size();
  if (total <= rules.max_length) return done();
  if (rules.strategy == TruncationStrategy::longest_first) {
    if (encodings.size() == 1) return truncate_one(encodings[0], rules.max_length, rules);
    const auto [first, second] = share(encodings[0].size(), encodings[1].size(), rules.max_length);
    HONE_TRY_DO(truncate_one(encodings[0], first, rules));
    return truncate_one(encodings[1], second, rules);
  }
  const std::size_t which = rules.strategy == TruncationStrategy::only_first ? 0 : 1;
  if (which >= encodings.size()) {
    return fail(Fault::bad_input, "cannot truncate the second text", "there is only one",
                "the strategy longest_first or only_first");
  }
  const std::size_t surplus = total - rules.max_length;
  if (encodings[which].size() <= surplus) {
    return fail(Fault::bad_input,
                "cannot truncate to " + std::to_string(rules.max_length) + " tokens",
                "the text to truncate has " + std::to_string(encodings[which].size()) + " of the " +
                    std::to_string(total),
                "the strategy longest_first, or a larger limit");
  }
  return truncate_one(encodings[which], encodings[which].size() - surplus, rules);
}

std::size_t padded_length(const Padding& padding, std::size_t longest) {
  const std::size_t length = padding.length.value_or(longest);
  if (padding.multiple_of == 0 || length % padding.multiple_of == 0) return length;
  return length + padding.multiple_of - length % padding.multiple_of;
}

void pad(Encoding& encoding, std::size_t length, const Padding& padding) {
  for (Encoding& window : encoding.overflowing) pad(window, length, padding);
  if (encoding.size() >= length) return;
  const std::size_t count = length - encoding.size();
  const Side side = padding.side;
  pad_column(encoding.characters, count, Span{}, side);
  pad_column(encoding.bytes, count, Span{}, side);
  const auto put = [&](auto& column, auto value) {
    column.insert(side == Side::left ? column.begin() : column.end(), count, value);
  };
  put(encoding.ids, padding.id);
  put(encoding.type_ids, padding.type_id);
  put(encoding.attention_mask, 0U);
  put(encoding.special_tokens_mask, 1U);
  put(encoding.words, no_word);
  put(encoding.sequences, no_sequence);
}

Result<Encoding> post_process(const Parts& parts, std::vector<Encoding> encodings,
                              const EncodeOptions& options) {
  const bool is_pair = encodings.size() == 2;
  if (parts.truncation) {
    Truncation rules = *parts.truncation;
    const std::size_t added = options.add_special_tokens && parts.post_processor
                                  ? parts.post_processor->added(is_pair)
                                  : 0;
    // A limit that the added tokens alone exceed is none.
    if (added <= rules.max_length) {
      rules.max_length -= added;
      HONE_TRY_DO(truncate(encodings, rules));
    }
  }
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    set_sequence(encodings[i], i);
    if (!parts.post_processor) continue;
    std::fill(encodings[i].type_ids.begin(), encodings[i].type_ids.end(),
              static_cast<std::uint32_t>(i));
  }
  if (parts.post_processor) {
    HONE_TRY_DO(parts.post_processor->apply(encodings, options.add_special_tokens));
  }
  Encoding whole;
  if (!encodings.empty()) whole = std::move(encodings.front());
  for (std::size_t i = 1; i < encodings.size(); ++i) append(whole, encodings[i]);
  if (parts.padding) pad(whole, padded_length(*parts.padding, whole.size()), *parts.padding);
  finish(whole, options.offsets);
  return whole;
}

}  // namespace hone::tokenize
