#include "model/npz/npy_strings.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/text.h"

namespace hone {
namespace {

constexpr char32_t replacement = 0xFFFD;

void append_utf8(std::string& text, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = replacement;
  const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr unsigned char leads[] = {0x00, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(leads[more] | (c >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3F));
}

// REQUIRES: valid UTF-8.
std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte & 0xC0) == 0x80) {
      characters.back() = characters.back() << 6 | (byte & 0x3F);
    } else {
      characters += byte < 0x80 ? byte : byte & (byte >= 0xF0 ? 0x07 : byte >= 0xE0 ? 0x0F : 0x1F);
    }
  }
  return characters;
}

std::string read_element(std::string_view bytes, std::size_t unit_bytes) {
  if (unit_bytes == 1) return std::string(bytes.substr(0, bytes.find_last_not_of('\0') + 1));
  std::u32string characters(bytes.size() / unit_bytes, 0);
  std::memcpy(characters.data(), bytes.data(), characters.size() * unit_bytes);
  characters.resize(characters.find_last_not_of(U'\0') + 1);
  std::string text;
  for (const char32_t c : characters) append_utf8(text, c);
  return text;
}

}  // namespace

NumpyText parse_numpy_text(std::string_view descr) {
  const std::size_t unit = descr.starts_with("<U") ? sizeof(char32_t) : descr.starts_with("|S");
  if (unit == 0) return {};
  NumpyText text{unit, 0};
  const char* const end = descr.data() + descr.size();
  const auto [stop, problem] = std::from_chars(descr.data() + 2, end, text.width);
  return problem == std::errc() && stop == end ? text : NumpyText{};
}

std::vector<std::string> read_numpy_text(std::string_view bytes, const NumpyText& text) {
  const std::size_t element = text.unit_bytes * text.width;
  HONE_CHECK(element > 0 && bytes.size() % element == 0);
  std::vector<std::string> strings;
  for (std::size_t at = 0; at < bytes.size(); at += element)
    strings.push_back(read_element(bytes.substr(at, element), text.unit_bytes));
  return strings;
}

Result<WrittenText> write_numpy_text(const std::vector<std::string>& strings) {
  std::vector<std::u32string> texts;
  std::size_t width = 1;
  for (const std::string& string : strings) {
    texts.push_back(characters_of(to_utf8(string)));
    width = std::max(width, texts.back().size());
  }
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
  if (width > most_bytes / sizeof(char32_t) / std::max<std::size_t>(texts.size(), 1)) {
    return fail(Fault::unsupported,
                "NumPy keeps every text in the width of the longest, which would be more than " +
                    format_bytes(most_bytes));
  }
  WrittenText written{"<U" + std::to_string(width), {}};
  written.bytes.resize(texts.size() * width * sizeof(char32_t));
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::memcpy(written.bytes.data() + i * width * sizeof(char32_t), texts[i].data(),
                texts[i].size() * sizeof(char32_t));
  return written;
}

}  // namespace hone
