#pragma once
// The names that ONNX Runtime's session options have in each language, and the code around them.
// <<x>> is where something is put.

#include <array>
#include <span>
#include <string_view>

namespace hone {

inline constexpr std::size_t opening_language_count = 5;
// One for each language, in their order.
using OpeningWords = std::array<std::string_view, opening_language_count>;

struct OpeningLanguage {
  std::size_t column;
  std::string_view title;
  std::string_view fence;
  std::string_view begin;
  std::string_view entry;      // key, value: of ONNX Runtime's configuration; empty: see extra_of
  std::string_view ep;         // ep, device, and the options as keys, values, count or options
  std::string_view plain_ep;   // without options
  std::string_view device;     // type: the kind of device among those of the EP
  std::string_view ep_option;  // key, value
  std::string_view end;
  std::string_view end_on_cpu;
  std::string_view ep_remark;
};
std::span<const OpeningLanguage> opening_languages();

// What has a function of its own and not a key; hone's name for it, and the words it takes.
struct OpeningWord {
  std::string_view word;
  OpeningWords as;
};
struct OpeningSetting {
  std::string_view key;
  OpeningWords lines;                  // value
  std::span<const OpeningWord> words;  // none: a number
};
std::span<const OpeningSetting> opening_settings();

// What has to be known of an option in every language.
struct OpeningRemark {
  std::string_view key;
  std::string_view text;
};
std::span<const OpeningRemark> opening_remarks();

}  // namespace hone
