#include "catalog/package_version.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "base/text.h"

namespace hone {
namespace {

std::string short_hash(std::string_view text) { return sha256(text).hex().substr(0, 12); }

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return letter > 0; });
}

// Letters that a slug leaves out may be all that tells two names apart.
std::string told_slug(std::string_view text) {
  const std::string plain = slug(text);
  if (plain.empty()) return text.empty() ? plain : "x" + short_hash(text);
  return is_ascii(text) ? plain : plain + "-" + short_hash(text);
}

std::string joined_slugs(const std::vector<std::string>& parts) {
  std::vector<std::string> names;
  for (const std::string& part : parts) {
    if (!part.empty()) names.push_back(told_slug(part));
  }
  return join(names, "-");
}

std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::string hash = short_hash(text);
  return text.substr(0, most - hash.size() - 1) + "-" + hash;
}

}  // namespace

std::string slug(std::string_view text) {
  std::string made;
  for (const char c : lowercase(text)) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
    if (is_plain) {
      made += c;
    } else if (!made.empty() && made.back() != '-') {
      made += '-';
    }
  }
  if (made.ends_with('-')) made.pop_back();
  return made;
}

std::string version_prefix(std::string_view run_stamp) { return "0.0.0-" + slug(run_stamp) + "-"; }

std::string version_of(const VersionParts& parts) {
  const std::string cell = joined_slugs({parts.label, parts.model, parts.task});
  return cut(version_prefix(parts.run_stamp) + cell, longest_version);
}

std::string model_slug(const std::string& model, const std::string& task) {
  return cut(joined_slugs({model, task}), longest_version);
}

}  // namespace hone
