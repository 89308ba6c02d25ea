#pragma once
// Who we are to a registry: what docker's config.json knows, and what a registry asks for.

#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/http.h"
#include "base/result.h"

namespace hone::oci {

struct Credentials {
  std::string user;
  std::string password;
};

// Of `host` (with its port, where the address has one), from config.json in the folder. Nothing
// where there is no such file, or it knows nothing of the host.
Result<std::optional<Credentials>> docker_credentials(const Path& folder, const std::string& host);

// A WWW-Authenticate header, taken apart.
struct Challenge {
  std::string scheme;  // lowercase: "bearer" or "basic"
  std::string realm;
  std::string service;
  std::string scope;
};
// The one of a response that we can answer: bearer before basic.
std::optional<Challenge> challenge_of(const HttpHead& response);

std::string basic_authorization(const Credentials& credentials);

}  // namespace hone::oci
