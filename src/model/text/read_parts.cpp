// Names, strings, and the "key: value" lists of headers and notes.

#include <algorithm>
#include <array>

#include "base/text.h"
#include "model/text/syntax.h"

namespace hone::syntax {

Result<Name> read_name(Cursor& cursor, std::string_view what) {
  const std::size_t offset = cursor.peek().offset;
  if (cursor.at(Token::Kind::string)) return Name{unquoted(cursor.take().text), offset};
  const bool is_word = cursor.at(Token::Kind::word) && cursor.peek().text.front() != '-';
  if (!is_word) return cursor.unexpected(what);
  return Name{std::string(cursor.take().text), offset};
}

Result<std::string> read_string(Cursor& cursor, std::string_view what) {
  if (!cursor.at(Token::Kind::string)) return cursor.unexpected(std::string(what) + " in quotes");
  return unquoted(cursor.take().text);
}

Result<Metadata> read_entries(Cursor& cursor) {
  Metadata entries;
  HONE_TRY_DO(cursor.expect('[', "before a list of \"key\": \"value\""));
  if (cursor.accept(']')) return entries;
  do {
    HONE_TRY_DO(cursor.count_thing());
    HONE_TRY(std::string key, read_string(cursor, "a key"));
    HONE_TRY_DO(cursor.expect(':', "after a key"));
    HONE_TRY(std::string value, read_string(cursor, "a value"));
    entries.emplace_back(std::move(key), std::move(value));
  } while (cursor.accept(','));
  HONE_TRY_DO(cursor.expect(']', "or ',' after a value"));
  return entries;
}

Status read_keys(Cursor& cursor, std::span<const std::string> keys,
                 const std::function<Status(std::string_view key)>& read) {
  HONE_TRY_DO(cursor.expect('<', "before a list of keys and values"));
  std::vector<std::string_view> seen;
  do {
    const Token token = cursor.peek();
    if (std::ranges::find(keys, token.text) == keys.end()) {
      return cursor.unexpected("one of " + join(keys, ", "));
    }
    if (std::ranges::find(seen, token.text) != seen.end()) {
      return cursor.error(token.offset, "'" + std::string(token.text) + "' is said twice");
    }
    seen.push_back(cursor.take().text);
    HONE_TRY_DO(cursor.expect(':', "after '" + std::string(token.text) + "'"));
    HONE_TRY_DO(read(token.text));
  } while (cursor.accept(','));
  return cursor.expect('>', "or ',' after a value");
}

Result<Note> read_note(Cursor& cursor) {
  static const std::array<std::string, 2> keys = {"doc_string", "metadata_props"};
  Note note;
  if (!cursor.accept('!')) return note;
  HONE_TRY_DO(read_keys(cursor, keys, [&](std::string_view key) -> Status {
    if (key == "metadata_props") {
      HONE_TRY(note.metadata, read_entries(cursor));
    } else {
      HONE_TRY(note.doc, read_string(cursor, "a text"));
    }
    return done();
  }));
  return note;
}

Result<std::string> read_note_of(Cursor& cursor, const std::string& key) {
  std::string said;
  if (!cursor.accept('!')) return said;
  HONE_TRY_DO(read_keys(cursor, std::span(&key, 1), [&](std::string_view) -> Status {
    HONE_TRY(said, read_string(cursor, "a text"));
    return done();
  }));
  return said;
}

}  // namespace hone::syntax
