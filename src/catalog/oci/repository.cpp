#include "catalog/oci/repository.h"

#include <algorithm>

#include "base/hash.h"
#include "base/misuse.h"
#include "base/text.h"

namespace hone::oci {
namespace {

constexpr std::size_t longest_tag = 128;
constexpr std::size_t longest_name = 255;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) { return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_tag_character(char c) { return is_word(c) || c == '.' || c == '-'; }

// Letters and digits with one of ".", "_", "__" or dashes between them.
bool is_path_part(std::string_view part) {
  if (part.empty()) return false;
  std::string between;
  bool starts = true;
  for (const char c : part) {
    if (is_digit(c) || is_lower(c)) {
      const bool is_separator = between.empty() || between == "." || between == "_" ||
                                between == "__" ||
                                between.find_first_not_of('-') == std::string::npos;
      if (!is_separator || (starts && !between.empty())) return false;
      between.clear();
      starts = false;
    } else {
      between += c;
    }
  }
  return between.empty();
}

}  // namespace

bool is_repository_name(std::string_view name) {
  return name.size() <= longest_name && std::ranges::all_of(split(name, '/'), is_path_part);
}

bool is_tag(std::string_view text) {
  return !text.empty() && text.size() <= longest_tag && is_word(text.front()) &&
         std::ranges::all_of(text, is_tag_character);
}

bool is_digest(std::string_view text) {
  constexpr std::string_view algorithm = "sha256:";
  if (!text.starts_with(algorithm)) return false;
  text.remove_prefix(algorithm.size());
  return text.size() == 64 &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

std::string tag_of(std::string_view version) {
  if (is_tag(version)) return std::string(version);
  std::string tag;
  for (const char c : version) tag += is_tag_character(c) ? c : '_';
  if (tag.empty() || !is_word(tag.front())) tag.insert(tag.begin(), '_');
  const std::string hash = sha256(version).hex().substr(0, 12);
  return tag.substr(0, longest_tag - hash.size() - 1) + "-" + hash;
}

Result<Repository> parse_repository(std::string_view place) {
  const std::size_t slash = place.find('/');
  const std::string address = "oci://" + std::string(place);
  if (slash == std::string_view::npos || slash + 1 == place.size()) {
    return misuse("'" + address + "' names no repository", "oci://HOST[:PORT]/REPOSITORY");
  }
  Repository repository;
  repository.name = place.substr(slash + 1);
  if (!is_repository_name(repository.name)) {
    return misuse("'" + repository.name + "' is no name of a repository",
                  "lowercase letters and digits, with '/', '.', '_' or '-' between them");
  }
  const std::string host(place.substr(0, slash));
  HONE_TRY(repository.home, parse_url("https://" + host + "/"));
  if (is_loopback(repository.home.host)) {
    HONE_TRY(repository.home, parse_url("http://" + host + "/"));
  }
  return repository;
}

}  // namespace hone::oci
