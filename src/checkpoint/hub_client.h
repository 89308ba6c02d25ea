#pragma once
// What a hub answers: a revision's files, and what each of them has to be. All of it is hostile
// until checked.

#include <optional>
#include <string>
#include <vector>

#include "base/http.h"
#include "base/json.h"
#include "checkpoint/hub.h"

namespace hone::hub {

struct Listing {
  std::string repository;  // as the hub calls it: another name where it was renamed
  std::string commit;
  std::vector<std::string> files;  // names that stay below their folder
};

struct RemoteFile {
  std::string name;
  Url url{};
  std::string digest;  // 64 digits: SHA-256 of the bytes; 40: git's name of them
  std::uint64_t bytes = 0;
};

class HubClient {
 public:
  static Result<HubClient> open(const HubId& id, const HubSettings& settings,
                                const HubWatch& watch);

  Result<Listing> list();
  Result<RemoteFile> describe(const Listing& listing, const std::string& file);

  // Asks for the file, once. Redirects lead anywhere; the token stays.
  Result<HttpResponse> get(const RemoteFile& file, HttpRequest request);
  // Waits before attempt number `attempt` (the second is 1). False when there are no more, or
  // nobody wants one.
  bool may_try_again(int attempt, const HttpHead* answer = nullptr) const;
  // Whether anybody has ever answered.
  bool was_answered() const { return was_answered_; }
  bool is_stopped() const { return watch_.stop != nullptr && *watch_.stop; }
  // A refusal, in words for people.
  Failure refused(const std::string& doing, const HttpResponse& response);

 private:
  HubClient(HubId id, HubSettings settings, HubWatch watch, Url home);
  Url at(std::string_view path) const;
  std::string authorization() const;
  Result<HttpResponse> ask(const HttpRequest& request);
  Result<HttpResponse> head_of(Url& url);
  Json asked_in_passing(const std::string& path);
  std::string similar_repository();
  std::string similar_revision();

  HubId id_;
  HubSettings settings_;
  HubWatch watch_;
  Url home_;
  HttpClient http_;
  bool was_answered_ = false;
};

// The server's own trouble, or too much of ours: it may pass.
bool may_pass(int status);

}  // namespace hone::hub
