#pragma once
// What a hub's refusals mean, and what to try.

#include <string>
#include <vector>

#include "base/http.h"

namespace hone::hub {

struct Asked {
  std::string repository;
  std::string revision;
  std::string page;  // of the repository, for people
  std::string hub;   // its host
  bool has_token = false;
};

enum class Refusal { gated, bad_token, no_repository, no_revision, no_file, busy, other };
Refusal refusal_of(const HttpResponse& response, const Asked& asked);

// `similar`: a name that is there and was probably meant; may be empty.
Error error_of(const std::string& doing, const HttpResponse& response, const Asked& asked,
               const std::string& similar);

}  // namespace hone::hub
