#include <algorithm>
#include <array>

#include "base/text.h"
#include "checkpoint/hub.h"

namespace hone {
namespace {

constexpr std::size_t longest_name = 96;
constexpr std::size_t longest_revision = 200;

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

// An organization, or a model in it. "--" stands between the two in the name of a cache's folder.
bool is_hub_name(std::string_view name) {
  const auto is_edge = [](char c) { return c != '-' && c != '.'; };
  return !name.empty() && name.size() <= longest_name && std::ranges::all_of(name, is_name_byte) &&
         is_edge(name.front()) && is_edge(name.back()) &&
         name.find("--") == std::string_view::npos && name.find("..") == std::string_view::npos &&
         !name.ends_with(".git");
}

// Of what git allows as the name of a branch or a tag, what is also the name of a file.
bool is_revision(std::string_view text) {
  constexpr std::string_view refused = " ~^:?*[\\";
  const bool has_odd = std::ranges::any_of(text, [&](char c) {
    return c < 0x21 || c == 0x7F || refused.find(c) != std::string_view::npos;
  });
  if (text.empty() || text.size() > longest_revision || has_odd) return false;
  return std::ranges::all_of(split(text, '/'), [](const std::string& part) {
    return !part.empty() && part.front() != '.' && part.find("..") == std::string::npos &&
           !part.ends_with(".lock");
  });
}

Failure no_id(std::string_view text, std::string why) {
  return fail(Fault::bad_input, "'" + printable(text.substr(0, 200)) + "' names no model of a hub",
              std::move(why), "write ORGANIZATION/MODEL or ORGANIZATION/MODEL@REVISION");
}

}  // namespace

Result<HubId> parse_hub_id(std::string_view text) {
  HubId id;
  const std::size_t at = text.find('@');
  id.repository = std::string(text.substr(0, at));
  if (at != std::string_view::npos) id.revision = std::string(text.substr(at + 1));
  const std::vector<std::string> parts = split(id.repository, '/');
  if (parts.size() > 2) return no_id(text, "it has more than one '/'");
  if (!std::ranges::all_of(parts, is_hub_name))
    return no_id(text,
                 "names have up to 96 letters, digits, '-', '_' and '.', with neither '-' nor '.' "
                 "at an end, no '..' and no '--'");
  if (!is_revision(id.revision))
    return no_id(text, "'" + printable(id.revision.substr(0, longest_revision)) +
                           "' can be no branch, tag or commit");
  return id;
}

std::string text_of(const HubId& id) {
  return id.revision == "main" ? id.repository : id.repository + "@" + id.revision;
}

}  // namespace hone
