#pragma once
// The name of a repository in a registry, and of tags in it.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/url.h"

namespace hone::oci {

struct Repository {
  Url home;          // of the registry; plain HTTP on this very machine, TLS elsewhere
  std::string name;  // "models/resnet"
};

// "host[:port]/name".
Result<Repository> parse_repository(std::string_view place);

bool is_repository_name(std::string_view name);
bool is_tag(std::string_view text);
// "sha256:" and 64 digits.
bool is_digest(std::string_view text);

// The version, where it is a tag; else one that is, ending with the start of the version's SHA-256.
std::string tag_of(std::string_view version);

}  // namespace hone::oci
