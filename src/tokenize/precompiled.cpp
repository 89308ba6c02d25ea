// SentencePiece's normalization rules: a double array of parts of text, and what stands for each.

#include <cstring>
#include <optional>

#include "tokenize/grapheme.h"
#include "tokenize/normalizer.h"

namespace hone::tokenize {
namespace {

class Precompiled final : public Normalizer {
 public:
  Precompiled(std::vector<std::uint32_t> units, std::string texts)
      : units_(std::move(units)), texts_(std::move(texts)) {}

  Status apply(Aligned& text) const override {
    const std::string_view all = text.text();
    if (is_untouched(all)) return done();
    std::vector<Change> changes;
    changes.reserve(all.size());
    bool is_changed = false;
    for (std::size_t at = 0; at < all.size();) {
      const std::string_view cluster = all.substr(at, grapheme_length(all.substr(at)));
      at += cluster.size();
      if (cluster.size() < longest_cluster) {
        if (const auto by = rule_for(cluster)) {
          is_changed = true;
          replace(cluster, *by, changes);
          continue;
        }
      }
      for (std::size_t i = 0; i < cluster.size();) {
        const Character c = character_at(cluster, i);
        const std::string_view part = cluster.substr(i, c.length);
        i += c.length;
        if (const auto by = rule_for(part)) {
          is_changed = true;
          replace(part, *by, changes);
        } else {
          changes.push_back({c.code, 0});
        }
      }
    }
    if (is_changed) text.transform(changes);
    return done();
  }

 private:
  // Longer clusters are looked at character by character.
  static constexpr std::size_t longest_cluster = 6;

  // Printable ASCII stays itself in all published rules; whether in these, is known.
  bool is_untouched(std::string_view text) const {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte >= 0x7F || rule_for({&c, 1})) return false;
    }
    return true;
  }

  static bool has_leaf(std::uint32_t unit) { return ((unit >> 8U) & 1U) == 1; }
  static std::uint32_t value(std::uint32_t unit) { return unit & 0x7FFFFFFFU; }
  static std::uint32_t label(std::uint32_t unit) { return unit & (0x80000000U | 0xFFU); }
  static std::uint32_t offset(std::uint32_t unit) {
    return (unit >> 10U) << ((unit & (1U << 9U)) >> 6U);
  }

  // What stands for the shortest beginning of a text that has a rule.
  std::optional<std::string_view> rule_for(std::string_view text) const {
    if (units_.empty()) return std::nullopt;
    std::size_t node = offset(units_[0]);
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte == 0) break;
      node ^= byte;
      if (node >= units_.size() || label(units_[node]) != byte) return std::nullopt;
      const std::uint32_t unit = units_[node];
      node ^= offset(unit);
      if (!has_leaf(unit)) continue;
      if (node >= units_.size()) return std::nullopt;
      const std::size_t begin = value(units_[node]);
      if (begin > texts_.size()) return std::nullopt;
      const std::size_t end = texts_.find('\0', begin);
      const std::string_view found =
          std::string_view(texts_).substr(begin, end == std::string::npos ? end : end - begin);
      return found;
    }
    return std::nullopt;
  }

  static void replace(std::string_view old, std::string_view by, std::vector<Change>& changes) {
    const auto old_count = static_cast<std::int32_t>(count_characters(old));
    std::int32_t count = 0;
    for (std::size_t i = 0; i < by.size();) {
      const Character c = character_at(by, i);
      changes.push_back({c.code, 0});
      i += c.length;
      ++count;
    }
    if (count > old_count) {
      for (auto i = changes.size() - static_cast<std::size_t>(count - old_count);
           i < changes.size(); ++i) {
        changes[i].change = 1;
      }
    } else if (count < old_count && !changes.empty()) {
      changes.back().change -= old_count - count;
    }
  }

  std::vector<std::uint32_t> units_;
  std::string texts_;
};

}  // namespace

// The length of the array in bytes (little-endian), the array, and the texts, each ended by a zero.
Result<std::shared_ptr<const Normalizer>> make_precompiled(std::string_view charsmap) {
  if (charsmap.empty()) return std::shared_ptr<const Normalizer>();
  std::uint32_t bytes = 0;
  if (charsmap.size() >= 4) std::memcpy(&bytes, charsmap.data(), 4);
  if (charsmap.size() < 4 || bytes % 4 != 0 || bytes > charsmap.size() - 4) {
    return fail(Fault::bad_input, "cannot read the tokenizer",
                "its precompiled rules are shorter than they say");
  }
  std::vector<std::uint32_t> units(bytes / 4);
  if (bytes > 0) std::memcpy(units.data(), charsmap.data() + 4, bytes);
  const std::string_view texts = charsmap.substr(4 + bytes);
  if (valid_prefix(texts) != texts.size()) {
    return fail(Fault::bad_input, "cannot read the tokenizer",
                "its precompiled rules are no UTF-8");
  }
  return std::shared_ptr<const Normalizer>(
      std::make_shared<Precompiled>(std::move(units), std::string(texts)));
}

}  // namespace hone::tokenize
