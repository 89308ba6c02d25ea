// Asks ICU what Unicode says of every character and writes it down as tables of C++: a program of
// the build, so that hone itself needs neither libicu nor its 30 MB of data at run time.
//   generate_tables OUTPUT

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tokenize/unicode_tables.h"

namespace {

using hone::tokenize::CharacterRecord;
namespace flag = hone::tokenize::character_flag;

constexpr UChar32 end_of_unicode = 0x110000;
constexpr int block = 128;

[[noreturn]] void stop(const char* what) {
  std::fprintf(stderr, "generate_tables: %s\n", what);
  std::exit(1);
}

const UNormalizer2* normalizer(const UNormalizer2* (*get)(UErrorCode*)) {
  UErrorCode code = U_ZERO_ERROR;
  const UNormalizer2* found = get(&code);
  if (U_FAILURE(code)) stop(u_errorName(code));
  return found;
}

using Text = std::vector<std::uint32_t>;

Text to_code_points(const UChar* text, int32_t length) {
  Text points;
  for (int32_t i = 0; i < length;) {
    UChar32 c = 0;
    U16_NEXT(text, i, length, c);
    points.push_back(static_cast<std::uint32_t>(c));
  }
  return points;
}

int age_of(UChar32 c) {
  UVersionInfo age;
  u_charAge(c, age);
  return age[0] * 16 + age[1];
}

// The library whose answers tokenizers were published with normalizes as Unicode 9 did: what came
// later stays as it is, whatever ICU knows of it.
bool is_normalized(UChar32 c) {
  const int age = age_of(c);
  return age != 0 && age <= 9 * 16;
}

bool is_hangul(UChar32 c) { return c >= 0xAC00 && c <= 0xD7A3; }

Text decompose(const UNormalizer2* form, UChar32 c) {
  if (!is_normalized(c) || is_hangul(c)) return {};
  std::array<UChar, 64> buffer{};
  UErrorCode code = U_ZERO_ERROR;
  const int32_t length =
      unorm2_getDecomposition(form, c, buffer.data(), static_cast<int32_t>(buffer.size()), &code);
  if (U_FAILURE(code)) stop(u_errorName(code));
  return length < 0 ? Text{} : to_code_points(buffer.data(), length);
}

Text lowercase(UChar32 c) {
  std::array<UChar, 2> one{};
  int32_t length = 0;
  U16_APPEND_UNSAFE(one, length, c);
  std::array<UChar, 16> lower{};
  UErrorCode code = U_ZERO_ERROR;
  const int32_t made =
      u_strToLower(lower.data(), static_cast<int32_t>(lower.size()), one.data(), length, "", &code);
  if (U_FAILURE(code)) stop(u_errorName(code));
  return to_code_points(lower.data(), made);
}

struct Tables {
  std::vector<CharacterRecord> records;
  std::vector<std::uint16_t> index;
  std::map<std::uint32_t, Text> canonical, compatible, lower;
  std::map<std::uint32_t, std::uint32_t> folds;
  std::map<std::uint64_t, std::uint32_t> compositions;
};

using Key = std::tuple<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t, std::uint16_t,
                       std::uint16_t, std::int32_t>;

Key key_of(const CharacterRecord& r) {
  return {r.category, r.grapheme, r.combining, r.age, r.script, r.flags, r.lower_delta};
}

// Every pair that composes is what some character decomposes into in one step.
void add_composition(Tables& tables, const UNormalizer2* nfc, UChar32 c) {
  if (!is_normalized(c) || is_hangul(c)) return;
  std::array<UChar, 64> raw{};
  UErrorCode code = U_ZERO_ERROR;
  const int32_t length =
      unorm2_getRawDecomposition(nfc, c, raw.data(), static_cast<int32_t>(raw.size()), &code);
  if (length < 0 || U_FAILURE(code)) return;
  const Text pair = to_code_points(raw.data(), length);
  if (pair.size() != 2) return;
  if (unorm2_composePair(nfc, static_cast<UChar32>(pair[0]), static_cast<UChar32>(pair[1])) != c) {
    return;
  }
  tables.compositions[(std::uint64_t{pair[0]} << 32) | pair[1]] = static_cast<std::uint32_t>(c);
}

// Its categories are of Unicode 8, its marks of Unicode 9; a few characters changed theirs since.
std::uint16_t published_flags(UChar32 c) {
  const std::uint32_t category = U_MASK(u_charType(c));
  const int age = age_of(c);
  std::uint16_t flags = 0;
  if (age <= 8 * 16) {
    const bool was_punctuation = c == 0x166D || c == 0x111C9;
    const bool was_no_accent = c == 0x1885 || c == 0x1886 || c == 0xA9BD || c == 0x111C9;
    if ((category & U_GC_P_MASK) != 0 || was_punctuation) flags |= flag::published_punctuation;
    if (((category & U_GC_MN_MASK) != 0 && !was_no_accent) || c == 0x1734) {
      flags |= flag::published_accent;
    }
    if ((category & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK)) != 0) {
      flags |= flag::published_control;
    }
  }
  const bool was_mark = c == 0x1CF2 || c == 0x1CF3;
  const bool is_mark = (category & U_GC_M_MASK) != 0 && c != 0x111C9;
  if (is_normalized(c) && (is_mark || was_mark)) flags |= flag::published_mark;
  return flags;
}

std::uint16_t flags_of(UChar32 c) {
  std::uint16_t flags = published_flags(c);
  if (u_hasBinaryProperty(c, UCHAR_WHITE_SPACE)) flags |= flag::white_space;
  if (u_hasBinaryProperty(c, UCHAR_ALPHABETIC)) flags |= flag::alphabetic;
  if (u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC)) flags |= flag::pictograph;
  if (u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL)) flags |= flag::join_control;
  if (u_hasBinaryProperty(c, UCHAR_UPPERCASE)) flags |= flag::uppercase;
  if (u_hasBinaryProperty(c, UCHAR_LOWERCASE)) flags |= flag::lowercase;
  return flags;
}

CharacterRecord describe(Tables& tables, UChar32 c) {
  UErrorCode code = U_ZERO_ERROR;
  const auto key = static_cast<std::uint32_t>(c);
  CharacterRecord record{};
  record.category = static_cast<std::uint8_t>(u_charType(c));
  record.grapheme =
      static_cast<std::uint8_t>(u_getIntPropertyValue(c, UCHAR_GRAPHEME_CLUSTER_BREAK));
  record.combining = is_normalized(c) ? u_getCombiningClass(c) : std::uint8_t{0};
  record.age = static_cast<std::uint8_t>(age_of(c));
  record.script = static_cast<std::uint16_t>(uscript_getScript(c, &code));
  record.flags = flags_of(c);
  const Text lower = lowercase(c);
  if (lower.size() == 1) {
    record.lower_delta = static_cast<std::int32_t>(lower[0]) - c;
  } else {
    record.flags |= flag::long_lowercase;
    tables.lower[key] = lower;
  }
  if (u_foldCase(c, U_FOLD_CASE_DEFAULT) != c) {
    record.flags |= flag::folds;
    tables.folds[key] = static_cast<std::uint32_t>(u_foldCase(c, U_FOLD_CASE_DEFAULT));
  }
  return record;
}

void add_decompositions(Tables& tables, UChar32 c, CharacterRecord& record) {
  static const UNormalizer2* nfd = normalizer(unorm2_getNFDInstance);
  static const UNormalizer2* nfkd = normalizer(unorm2_getNFKDInstance);
  const Text canonical = decompose(nfd, c);
  const Text compatible = decompose(nfkd, c);
  const auto key = static_cast<std::uint32_t>(c);
  if (!canonical.empty()) tables.canonical[key] = canonical;
  if (!compatible.empty()) tables.compatible[key] = compatible;
  if (!canonical.empty() || !compatible.empty() || is_hangul(c)) record.flags |= flag::decomposes;
}

bool is_own_form(const UNormalizer2* form, UChar32 c) {
  if (!is_normalized(c)) return true;
  std::array<UChar, 2> one{};
  int32_t length = 0;
  U16_APPEND_UNSAFE(one, length, c);
  UErrorCode code = U_ZERO_ERROR;
  return unorm2_isNormalized(form, one.data(), length, &code) != 0;
}

void add_stability(UChar32 c, CharacterRecord& record) {
  static const UNormalizer2* nfc = normalizer(unorm2_getNFCInstance);
  static const UNormalizer2* nfkc = normalizer(unorm2_getNFKCInstance);
  if (record.combining != 0 || (record.flags & flag::composes) != 0) return;
  if (is_own_form(nfc, c)) record.flags |= flag::nfc_stable;
  if (is_own_form(nfkc, c)) record.flags |= flag::nfkc_stable;
}

bool composes(const Tables& tables, UChar32 c) {
  if (c >= 0x1161 && c <= 0x11C2) return true;  // vowels and finals of Hangul
  for (const auto& [pair, made] : tables.compositions) {
    if ((pair & 0xFFFFFFFFU) == static_cast<std::uint32_t>(c)) return true;
  }
  return false;
}

Tables ask() {
  Tables tables;
  const UNormalizer2* nfc = normalizer(unorm2_getNFCInstance);
  for (UChar32 c = 0; c < end_of_unicode; ++c) add_composition(tables, nfc, c);
  std::map<Key, std::uint16_t> known;
  for (UChar32 c = 0; c < end_of_unicode; ++c) {
    CharacterRecord record = describe(tables, c);
    add_decompositions(tables, c, record);
    const bool may_follow = u_getCombiningClass(c) != 0 || u_charType(c) == U_OTHER_LETTER ||
                            u_charType(c) == U_NON_SPACING_MARK ||
                            u_charType(c) == U_COMBINING_SPACING_MARK;
    if (may_follow && composes(tables, c)) record.flags |= flag::composes;
    add_stability(c, record);
    const auto [place, added] =
        known.try_emplace(key_of(record), static_cast<std::uint16_t>(tables.records.size()));
    if (added) tables.records.push_back(record);
    tables.index.push_back(place->second);
  }
  return tables;
}

template <class Numbers>
void write_numbers(std::ofstream& out, const char* type, const char* name, const Numbers& numbers) {
  out << "constexpr " << type << " " << name << "[] = {";
  int column = 0;
  for (const auto number : numbers) {
    if (column++ % 16 == 0) out << "\n  ";
    out << +number << ",";
  }
  out << "\n};\n";
}

void write_index(std::ofstream& out, const Tables& tables) {
  std::map<std::vector<std::uint16_t>, std::uint16_t> known;
  std::vector<std::uint16_t> blocks, places;
  for (std::size_t at = 0; at < tables.index.size(); at += block) {
    const auto from = tables.index.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<std::uint16_t> one(from, from + block);
    const auto [place, added] =
        known.try_emplace(one, static_cast<std::uint16_t>(places.size() / block));
    if (added) places.insert(places.end(), one.begin(), one.end());
    blocks.push_back(place->second);
  }
  write_numbers(out, "std::uint16_t", "block_table_numbers", blocks);
  write_numbers(out, "std::uint16_t", "record_table_numbers", places);
}

void write_records(std::ofstream& out, const Tables& tables) {
  out << "constexpr CharacterRecord record_rows[] = {\n";
  for (const CharacterRecord& r : tables.records) {
    out << "  {" << +r.category << "," << +r.grapheme << "," << +r.combining << "," << +r.age << ","
        << r.script << "," << r.flags << "," << r.lower_delta << "},\n";
  }
  out << "};\n";
}

// Keys in order, and for each where its text begins in the pool; one more entry ends the last.
void write_texts(std::ofstream& out, const std::string& name,
                 const std::map<std::uint32_t, Text>& texts) {
  std::vector<std::uint32_t> keys, begins, pool;
  for (const auto& [key, text] : texts) {
    keys.push_back(key);
    begins.push_back(static_cast<std::uint32_t>(pool.size()));
    pool.insert(pool.end(), text.begin(), text.end());
  }
  begins.push_back(static_cast<std::uint32_t>(pool.size()));
  write_numbers(out, "char32_t", (name + "_keys").c_str(), keys);
  write_numbers(out, "std::uint16_t", (name + "_begins").c_str(), begins);
  write_numbers(out, "char32_t", (name + "_pool").c_str(), pool);
  out << "const TextTable " << name << "{" << name << "_keys, " << name << "_begins, " << name
      << "_pool, " << keys.size() << "};\n";
}

template <class Key_, class Value>
void write_map(std::ofstream& out, const char* type, const std::string& name,
               const std::map<Key_, Value>& map) {
  std::vector<Key_> keys;
  std::vector<Value> values;
  for (const auto& [key, value] : map) {
    keys.push_back(key);
    values.push_back(value);
  }
  write_numbers(out, type, (name + "_keys").c_str(), keys);
  write_numbers(out, "char32_t", (name + "_values").c_str(), values);
}

void write_scripts(std::ofstream& out) {
  out << "constexpr ScriptName script_rows[] = {\n";
  for (int32_t code = 0; code <= u_getIntPropertyMaxValue(UCHAR_SCRIPT); ++code) {
    const auto script = static_cast<UScriptCode>(code);
    if (uscript_getName(script) == nullptr || uscript_getShortName(script) == nullptr) continue;
    out << "  {\"" << uscript_getName(script) << "\", \"" << uscript_getShortName(script) << "\", "
        << code << "},\n";
  }
  out << "};\n";
}

// What other sources see of it.
void write_names(std::ofstream& out, const Tables& tables) {
  out << "const std::uint16_t* const block_table = block_table_numbers;\n"
      << "const std::uint16_t* const record_table = record_table_numbers;\n"
      << "const CharacterRecord* const records = record_rows;\n"
      << "const FoldTable folds{fold_keys, fold_values, " << tables.folds.size() << "};\n"
      << "const PairTable compositions{compose_keys, compose_values, " << tables.compositions.size()
      << "};\n"
      << "const std::span<const ScriptName> scripts{script_rows};\n"
      << "const char* const unicode_version = \"" << U_UNICODE_VERSION << "\";\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) stop("give the file to write");
  const Tables tables = ask();
  std::ofstream out(argv[1], std::ios::binary);
  out << "// Written by generate_tables from ICU " << U_ICU_VERSION << " (Unicode "
      << U_UNICODE_VERSION << ").\n#include \"tokenize/unicode_tables.h\"\n"
      << "namespace hone::tokenize::tables {\n";
  write_index(out, tables);
  write_records(out, tables);
  write_texts(out, "canonical", tables.canonical);
  write_texts(out, "compatible", tables.compatible);
  write_texts(out, "lower", tables.lower);
  write_map(out, "char32_t", "fold", tables.folds);
  write_map(out, "std::uint64_t", "compose", tables.compositions);
  write_scripts(out);
  write_names(out, tables);
  out << "}  // namespace hone::tokenize::tables\n";
  out.close();
  if (!out) stop("cannot write the file");
  return 0;
}
