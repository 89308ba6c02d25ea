#include "catalog/oci/registry.h"

#include <algorithm>
#include <array>
#include <thread>

#include "base/json.h"
#include "base/text.h"

namespace hone::oci {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_token = std::size_t{64} << 10;
constexpr std::chrono::milliseconds longest_wait{8'000};

std::string text_in(const Json* object, std::string_view key) {
  const Json* found = object != nullptr ? object->find(key) : nullptr;
  return found != nullptr && found->as_string() != nullptr ? *found->as_string() : "";
}

// The registry's first error: {"errors": [{"code", "message", "detail"}]}.
Json first_error(const HttpResponse& response) {
  const auto body = Json::parse(response.body);
  const Json* errors = body ? body->find("errors") : nullptr;
  const Json::Array* list = errors != nullptr ? errors->as_array() : nullptr;
  return list != nullptr && !list->empty() ? list->front() : Json();
}

bool is_disk_full(const HttpResponse& response) {
  if (response.status == 507) return true;
  const std::string body = lowercase(response.body);
  // The last is how Go's registry writes ENOSPC into its JSON.
  constexpr std::array signs = {"no space left on device", "disk quota exceeded", "\"err\":28"};
  return response.status >= 500 && std::ranges::any_of(signs, [&](const char* sign) {
           return body.find(sign) != std::string::npos;
         });
}

std::string words_of(const HttpResponse& response) {
  const Json error = first_error(response);
  std::string words = "HTTP " + std::to_string(response.status);
  const std::string code = text_in(&error, "code");
  const std::string message = text_in(&error, "message");
  if (!code.empty()) words += " " + code;
  if (!message.empty()) words += ": " + message;
  if (code.empty() && !response.body.empty()) words += ": " + response.body.substr(0, 300);
  return printable(words);
}

HttpSettings http_settings(const PublisherSettings& settings) {
  HttpSettings made;
  made.trust = settings.trust;
  made.proxy = settings.proxy;
  made.silence = settings.patience;
  return made;
}

}  // namespace

std::string error_code(const HttpResponse& response) {
  const Json error = first_error(response);
  return text_in(&error, "code");
}

bool is_passing(const HttpResponse& response) {
  return (response.status >= 500 && !is_disk_full(response)) || response.status == 429;
}

Failure refused(const std::string& what, const HttpResponse& response) {
  const std::string words = words_of(response);
  if (is_disk_full(response))
    return fail(Fault::runtime, what + ": the registry's disk is full", words,
                "make room there, then go on");
  if (response.status == 401)
    return fail(Fault::runtime, what + ": the registry wants to know who asks", words,
                "docker login, or a token");
  if (response.status == 403)
    return fail(Fault::runtime, what + ": the registry does not let us", words,
                "ask for the right to write to this repository");
  if (response.status == 404) return fail(Fault::not_found, what + ": it is not there", words);
  return fail(Fault::runtime, what + ": the registry refused", words);
}

Registry::Registry(Repository repository, std::optional<Credentials> credentials,
                   const PublisherSettings& settings)
    : repository_(std::move(repository)),
      credentials_(std::move(credentials)),
      client_(http_settings(settings)),
      attempts_(settings.attempts),
      first_wait_(settings.first_wait),
      authorization_(settings.token.empty() ? "" : "Bearer " + settings.token),
      has_given_token_(!settings.token.empty()) {}

void Registry::set_deadline(std::chrono::milliseconds from_now) {
  deadline_ = Clock::now() + from_now;
}

bool Registry::is_late() const { return deadline_ && Clock::now() >= *deadline_; }

Url Registry::url(std::string_view rest) const {
  Url made = repository_.home;
  made.target = "/v2/" + repository_.name + "/" + std::string(rest);
  return made;
}

bool Registry::may_try_again(int attempt) {
  if (attempt >= attempts_) return false;
  const auto wait = std::min(first_wait_ * (1 << std::min(attempt - 1, 10)), longest_wait);
  if (deadline_ && Clock::now() + wait >= *deadline_) return false;
  std::this_thread::sleep_for(wait);
  return true;
}

Status Registry::fetch_token(const Challenge& challenge) {
  HttpRequest request;
  HONE_TRY(request.url, resolve_url(repository_.home, challenge.realm));
  const std::string scope =
      challenge.scope.empty() ? "repository:" + repository_.name + ":pull,push" : challenge.scope;
  request.url.target += request.url.target.find('?') == std::string::npos ? "?" : "&";
  request.url.target += "scope=" + percent_encoded(scope);
  if (!challenge.service.empty())
    request.url.target += "&service=" + percent_encoded(challenge.service);
  if (credentials_) request.authorization = basic_authorization(*credentials_);
  request.deadline = deadline_;
  HONE_TRY(const HttpResponse response, client_.send(request));
  if (!response.is_success()) {
    was_denied_ = response.status == 401 || response.status == 403 || response.status == 400;
    return refused("no token from " + request.url.without_query(), response);
  }
  const auto body = Json::parse(response.body);
  std::string token = body ? text_in(&*body, "token") : "";
  if (token.empty() && body) token = text_in(&*body, "access_token");
  if (token.empty() || token.size() > longest_token || !is_header_value(token))
    return fail(Fault::runtime, request.url.without_query() + " answers with no token");
  authorization_ = "Bearer " + token;
  return done();
}

Status Registry::authorize(const Challenge& challenge) {
  if (challenge.scheme == "bearer") return fetch_token(challenge);
  authorization_ = basic_authorization(*credentials_);
  return done();
}

Result<HttpResponse> Registry::ask_once(HttpRequest request) {
  was_denied_ = false;
  request.deadline = deadline_;
  // An upload may be sent to another server; what it knows of us is in the address it was given.
  const bool is_home = request.url.has_origin_of(repository_.home);
  if (is_home) request.authorization = authorization_;
  HONE_TRY(HttpResponse response, client_.send(request));
  const auto challenge = challenge_of(response);
  const bool can_answer = challenge && (challenge->scheme == "bearer" || credentials_);
  if (response.status == 401 && is_home && can_answer && !has_given_token_) {
    HONE_TRY_DO(authorize(*challenge));
    request.authorization = authorization_;
    HONE_TRY(response, client_.send(request));
  }
  was_denied_ = response.status == 401 || response.status == 403;
  return response;
}

Result<HttpResponse> Registry::ask(const HttpRequest& request) {
  for (int attempt = 1;; ++attempt) {
    auto response = ask_once(request);
    const bool may_pass = response ? is_passing(*response) : is_transient(response.error());
    if (!may_pass || !may_try_again(attempt)) return response;
  }
}

Result<std::optional<Url>> next_page(const HttpResponse& response, const Url& page) {
  const std::string_view link = response.header("Link");
  const std::size_t end = link.find('>');
  const bool is_next = link.starts_with('<') && end != std::string_view::npos &&
                       lowercase(link.substr(end)).find("next") != std::string::npos;
  if (!is_next) return std::optional<Url>{};
  HONE_TRY(Url next, resolve_url(page, link.substr(1, end - 1)));
  if (!next.has_origin_of(page))
    return fail(Fault::runtime, "cannot list what is in the repository",
                "it continues at another registry");
  return std::optional(std::move(next));
}

}  // namespace hone::oci
