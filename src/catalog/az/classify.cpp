#include "catalog/az/classify.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace hone::az {
namespace {

constexpr int no_such_program = 127;

// A bare "409" or "conflict" is not among them: both stand in messages about other things.
constexpr std::array conflict_words = {"already exist", "packageversionexists", "status code: 409",
                                       "statuscode=409", "httpstatuscode: 409"};

constexpr std::array login_words = {"az login",
                                    "not logged in",
                                    "no subscription found",
                                    "interactive authentication is needed",
                                    "authenticationfailed",
                                    "authentication failed",
                                    "aadsts",
                                    "token has expired",
                                    "expired token",
                                    "invalid_grant",
                                    "re-authenticate",
                                    "az account set"};

template <std::size_t Count>
bool says(const End& end, const std::array<const char*, Count>& words) {
  const std::string output = lowercase(end.output);
  return std::ranges::any_of(
      words, [&](const char* word) { return output.find(word) != std::string::npos; });
}

}  // namespace

bool is_conflict(const End& end) { return says(end, conflict_words); }

bool is_unavailable(const End& end) {
  return end.exit_code == no_such_program || says(end, login_words);
}

PublishOutcome classify(const End& end, bool skip_existing) {
  if (end.exit_code == 0 && !end.timed_out) return PublishOutcome::uploaded;
  const bool exists = is_conflict(end);
  if (exists && skip_existing) return PublishOutcome::exists_skipped;
  if (!exists && is_unavailable(end)) return PublishOutcome::auth_abort;
  return end.timed_out ? PublishOutcome::timeout : PublishOutcome::failed;
}

}  // namespace hone::az
