#pragma once
// One repository of a registry over HTTP (OCI distribution spec 1.1): who we are, trying again, and
// what its answers mean.

#include <chrono>
#include <optional>
#include <string>

#include "base/http.h"
#include "catalog/oci/credentials.h"
#include "catalog/oci/repository.h"
#include "catalog/publisher.h"

namespace hone::oci {

class Registry {
 public:
  Registry(Repository repository, std::optional<Credentials> credentials,
           const PublisherSettings& settings);

  const Repository& repository() const { return repository_; }
  // Nothing is asked for, or waited for, after this.
  void set_deadline(std::chrono::milliseconds from_now);
  // "/v2/<name>/" and the rest.
  Url url(std::string_view rest) const;

  // Asks once; says who we are where that is wanted.
  Result<HttpResponse> ask_once(HttpRequest request);
  // The same, and again after a cut, a silence and an answer that is the server's own trouble.
  // REQUIRES: the request may be sent twice.
  Result<HttpResponse> ask(const HttpRequest& request);

  // Waits before attempt number `attempt` (the second is 1). False when there are no more, or no
  // time for one.
  bool may_try_again(int attempt);
  // At the last request: the registry does not know us, or does not let us.
  bool was_denied() const { return was_denied_; }
  bool is_late() const;

 private:
  Status authorize(const Challenge& challenge);
  Status fetch_token(const Challenge& challenge);

  Repository repository_;
  std::optional<Credentials> credentials_;
  HttpClient client_;
  int attempts_;
  std::chrono::milliseconds first_wait_;
  std::string authorization_;
  bool has_given_token_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  bool was_denied_ = false;
};

// The server's own trouble, which may pass: 5xx but a full disk, and 429.
bool is_passing(const HttpResponse& response);
// An answer that is not the one hoped for, as an error: the registry's own words are its cause.
Failure refused(const std::string& what, const HttpResponse& response);
// The code of the first error in the body: "NAME_UNKNOWN".
std::string error_code(const HttpResponse& response);

// Where a list goes on: Link: </v2/name/tags/list?n=1000&last=tag>; rel="next". Nothing at its end;
// another registry is refused.
Result<std::optional<Url>> next_page(const HttpResponse& response, const Url& page);

}  // namespace hone::oci
