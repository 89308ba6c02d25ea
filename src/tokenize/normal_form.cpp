#include "tokenize/normal_form.h"

#include <algorithm>

#include "tokenize/unicode.h"

namespace hone::tokenize {
namespace {

constexpr char32_t hangul = 0xAC00;
constexpr char32_t hangul_count = 11172;

bool is_compatible(NormalForm form) { return form == NormalForm::nfkd || form == NormalForm::nfkc; }

bool composes(NormalForm form) { return form == NormalForm::nfc || form == NormalForm::nfkc; }

// Whether a text of such characters is in that form already.
bool is_stable(char32_t c, NormalForm form) {
  const CharacterRecord& record = record_of(c);
  if (record.combining != 0) return false;
  switch (form) {
    case NormalForm::nfc:
      return (record.flags & character_flag::nfc_stable) != 0;
    case NormalForm::nfkc:
      return (record.flags & character_flag::nfkc_stable) != 0;
    default:
      return (record.flags & character_flag::decomposes) == 0;
  }
}

bool is_normalized(std::string_view text, NormalForm form) {
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const Character c = character_at(text, i);
    if (!is_stable(c.code, form)) return false;
    i += c.length;
  }
  return true;
}

struct Mark {
  Change change;
  std::uint8_t combining = 0;
};

class Decomposer {
 public:
  Decomposer(NormalForm form, std::vector<Mark>& out) : form_(form), out_(out) {}

  void add(char32_t c) {
    if (c < 0x80) return put(c, 0);
    if (c >= hangul && c < hangul + hangul_count) return add_hangul(c - hangul);
    if (!has_flag(c, character_flag::decomposes)) return put(c, 0);
    std::span<const char32_t> parts;
    if (is_compatible(form_)) parts = compatible_decomposition(c);
    if (parts.empty()) parts = canonical_decomposition(c);
    if (parts.empty()) return put(c, 0);
    for (std::size_t i = 0; i < parts.size(); ++i) put(parts[i], i == 0 ? 0 : 1);
  }
  void finish() { sort(); }

 private:
  void add_hangul(char32_t index) {
    put(0x1100 + index / 588, 0);
    put(0x1161 + index % 588 / 28, 1);
    if (index % 28 != 0) put(0x11A7 + index % 28, 1);
  }
  void put(char32_t c, std::int32_t change) {
    const std::uint8_t combining = c < 0x300 ? std::uint8_t{0} : record_of(c).combining;
    if (combining == 0) sort();
    out_.push_back({{c, change}, combining});
  }
  // Marks that belong to one character stand in the order of their classes.
  void sort() {
    const auto less = [](const Mark& a, const Mark& b) { return a.combining < b.combining; };
    std::stable_sort(out_.begin() + static_cast<std::ptrdiff_t>(sorted_), out_.end(), less);
    sorted_ = out_.size();
  }
  NormalForm form_;
  std::vector<Mark>& out_;
  std::size_t sorted_ = 0;
};

// Puts together what composes. A mark is blocked by one before it of the same or a higher class.
class Composer {
 public:
  explicit Composer(std::vector<Change>& out) : out_(out) {}

  void add(const Mark& mark) {
    if (!has_starter_) {
      if (mark.combining != 0) {
        out_.push_back(mark.change);
        return;
      }
      starter_ = mark.change;
      has_starter_ = true;
      return;
    }
    const bool is_blocked = has_last_ && last_ >= mark.combining;
    if (!is_blocked) {
      if (const char32_t made = compose(starter_.code, mark.change.code); made != 0) {
        starter_ = {made, starter_.change + mark.change.change - 1};
        return;
      }
    }
    if (mark.combining == 0) {
      flush();
      starter_ = mark.change;
      has_starter_ = true;
      return;
    }
    marks_.push_back(mark.change);
    last_ = mark.combining;
    has_last_ = true;
  }
  void flush() {
    if (has_starter_) out_.push_back(starter_);
    out_.insert(out_.end(), marks_.begin(), marks_.end());
    marks_.clear();
    has_starter_ = has_last_ = false;
  }

 private:
  std::vector<Change>& out_;
  Change starter_{};
  std::vector<Change> marks_{};
  std::uint8_t last_ = 0;
  bool has_starter_ = false;
  bool has_last_ = false;
};

}  // namespace

void normalize(Aligned& text, NormalForm form) {
  if (is_normalized(text.text(), form)) return;
  std::vector<Mark> marks;
  marks.reserve(text.text().size());
  Decomposer decomposer(form, marks);
  for (std::size_t i = 0; i < text.text().size();) {
    const Character c = character_at(text.text(), i);
    decomposer.add(c.code);
    i += c.length;
  }
  decomposer.finish();
  std::vector<Change> changes;
  changes.reserve(marks.size());
  if (composes(form)) {
    Composer composer(changes);
    for (const Mark& mark : marks) composer.add(mark);
    composer.flush();
  } else {
    for (const Mark& mark : marks) changes.push_back(mark.change);
  }
  text.transform(changes);
}

}  // namespace hone::tokenize
