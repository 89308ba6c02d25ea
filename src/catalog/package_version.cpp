#include "catalog/package_version.h"

#include <vector>

#include "base/hash.h"
#include "base/text.h"

namespace hone {
namespace {

std::string short_hash(std::string_view text) { return sha256(text).hex().substr(0, 12); }

// A name in a script that is not ours has no slug, and would be the same as every other such name.
std::string told_slug(std::string_view text) {
  const std::string plain = slug(text);
  return plain.empty() && !text.empty() ? "x" + short_hash(text) : plain;
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
  std::vector<std::string> names;
  for (const std::string& part : {parts.label, parts.model, parts.task}) {
    if (!part.empty()) names.push_back(told_slug(part));
  }
  const std::string version = version_prefix(parts.run_stamp) + join(names, "-");
  if (version.size() <= longest_version) return version;
  const std::string hash = short_hash(version);
  return version.substr(0, longest_version - hash.size() - 1) + "-" + hash;
}

}  // namespace hone
