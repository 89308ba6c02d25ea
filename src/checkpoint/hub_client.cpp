#include "checkpoint/hub_client.h"

#include <algorithm>
#include <set>
#include <thread>

#include "base/json.h"
#include "base/system_files.h"
#include "base/text.h"
#include "checkpoint/hub_cache.h"
#include "checkpoint/hub_files.h"
#include "checkpoint/hub_problem.h"

namespace hone::hub {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t most_listing_bytes = std::uint64_t{64} << 20;
constexpr std::size_t most_listed_files = 100'000;
constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 50;
constexpr std::size_t longest_token = 4'096;
constexpr int most_redirects = 5;
constexpr milliseconds longest_wait{8'000};
constexpr milliseconds longest_asked_wait{60'000};

// A path keeps its slashes.
std::string encoded_path(std::string_view path) {
  std::string encoded;
  for (const std::string& part : split(path, '/'))
    encoded += (encoded.empty() ? "" : "/") + percent_encoded(part);
  return encoded;
}

Failure bad_answer(const Url& url, std::string why) {
  return fail(Fault::runtime, "what " + url.without_query() + " answers cannot be used",
              std::move(why),
              "HF_ENDPOINT names the hub; a login page or a proxy may stand before it");
}

const std::string* text_in(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  return found != nullptr ? found->as_string() : nullptr;
}

bool is_digest(std::string_view text) {
  return is_commit(text) ||
         (text.size() == 64 && is_commit(text.substr(0, 40)) && is_commit(text.substr(24)));
}

// "W/\"digest\"" is the digest.
std::string without_quotes(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  if (tag.size() >= 2 && tag.starts_with('"') && tag.ends_with('"'))
    tag = tag.substr(1, tag.size() - 2);
  return std::string(tag);
}

bool leads_on(int status) { return status >= 300 && status < 400 && status != 304; }

Result<std::vector<std::string>> read_names(const Json& json, const Url& url) {
  const Json* siblings = json.find("siblings");
  const Json::Array* list = siblings != nullptr ? siblings->as_array() : nullptr;
  if (list == nullptr) return bad_answer(url, "it has no list 'siblings'");
  if (list->size() > most_listed_files)
    return bad_answer(url, "it lists " + format_count(list->size()) + " files");
  std::set<std::string> names;
  for (const Json& each : *list) {
    const std::string* name = text_in(each, "rfilename");
    if (name == nullptr) return bad_answer(url, "a file in 'siblings' has no name");
    if (!is_file_name(*name))
      return bad_answer(url, "it lists '" + printable(name->substr(0, 200)) +
                                 "', which is no name of a file below a folder");
    names.insert(*name);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

// What the head of an answer says of a file.
Result<RemoteFile> read_description(const HttpResponse& head, const std::string& file,
                                    const Url& url, const std::string& commit) {
  const std::string_view said = head.header("X-Repo-Commit");
  if (!said.empty() && said != commit)
    return bad_answer(
        url, "it is of commit '" + printable(said.substr(0, 80)) + "' instead of " + commit);
  const std::string_view linked = head.header("X-Linked-Etag");
  std::string digest = without_quotes(linked.empty() ? head.header("ETag") : linked);
  if (!is_digest(digest))
    return bad_answer(url, "it does not say what '" + file + "' has to be: its ETag is '" +
                               printable(digest.substr(0, 80)) + "', and no digest");
  std::string_view size = head.header("X-Linked-Size");
  if (size.empty() && !leads_on(head.status)) size = head.header("Content-Length");
  const auto bytes = parse_number<std::uint64_t>(size);
  if (!bytes || *bytes > most_file_bytes)
    return bad_answer(url, "it does not say how large '" + file + "' is, but '" +
                               printable(size.substr(0, 80)) + "'");
  return RemoteFile{.name = file, .digest = std::move(digest), .bytes = *bytes};
}

}  // namespace

bool may_pass(int status) {
  return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

HubClient::HubClient(HubId id, HubSettings settings, HubWatch watch, Url home)
    : id_(std::move(id)),
      settings_(std::move(settings)),
      watch_(std::move(watch)),
      home_(std::move(home)),
      http_(settings_.http) {}

Result<HubClient> HubClient::open(const HubId& id, const HubSettings& settings,
                                  const HubWatch& watch) {
  auto home = parse_url(settings.endpoint);
  if (!home)
    return fail(Fault::bad_input, "the hub cannot be asked: " + home.error().what,
                home.error().cause, "HF_ENDPOINT names it: " + std::string(usual_hub));
  home->target = home->target.substr(0, home->target.find('?'));
  while (home->target.ends_with('/')) home->target.pop_back();
  const bool is_token =
      settings.token.size() <= longest_token &&
      std::ranges::all_of(settings.token, [](char c) { return c > ' ' && c < 127; });
  if (!is_token)
    return fail(Fault::bad_input, "HF_TOKEN is no token", "it has bytes that no token has",
                "it is one word: copy it again, without what stands around it");
  return HubClient(id, settings, watch, *home);
}

Url HubClient::at(std::string_view path) const {
  Url url = home_;
  url.target += path;
  return url;
}

std::string HubClient::authorization() const {
  return settings_.token.empty() ? "" : "Bearer " + settings_.token;
}

bool HubClient::may_try_again(int attempt, const HttpHead* answer) const {
  if (attempt >= settings_.attempts || is_stopped()) return false;
  auto wait = std::min(settings_.first_wait * (1 << std::min(attempt - 1, 10)), longest_wait);
  const auto asked =
      answer != nullptr ? parse_number<unsigned>(answer->header("Retry-After")) : std::nullopt;
  if (asked)
    wait = std::max(wait, std::min(milliseconds(std::uint64_t{*asked} * 1000), longest_asked_wait));
  const auto until = std::chrono::steady_clock::now() + wait;
  while (std::chrono::steady_clock::now() < until && !is_stopped())
    std::this_thread::sleep_for(std::min(wait, milliseconds(20)));
  return !is_stopped();
}

Result<HttpResponse> HubClient::ask(const HttpRequest& request) {
  for (int attempt = 1;; ++attempt) {
    auto response = http_.send(request);
    was_answered_ = was_answered_ || response.has_value();
    const bool passes = response ? may_pass(response->status) : is_transient(response.error());
    if (!passes || !may_try_again(attempt, response ? &*response : nullptr)) return response;
  }
}

Result<Listing> HubClient::list() {
  HttpRequest request{
      .url = at("/api/models/" + id_.repository + "/revision/" + percent_encoded(id_.revision))};
  request.authorization = authorization();
  request.most_bytes = most_listing_bytes;
  request.redirects = most_redirects;
  HONE_TRY(const HttpResponse response, ask(request));
  if (!response.is_success()) return refused("cannot ask for '" + id_.repository + "'", response);
  const auto json = Json::parse(response.body);
  if (!json) return bad_answer(request.url, "it is no JSON: " + json.error().what);
  Listing listing{.repository = id_.repository, .commit = {}, .files = {}};
  const std::string* commit = text_in(*json, "sha");
  if (commit == nullptr || !is_commit(*commit))
    return bad_answer(request.url, "its 'sha' is no commit");
  listing.commit = *commit;
  if (is_commit(id_.revision) && listing.commit != id_.revision)
    return bad_answer(request.url, "it is of commit " + listing.commit);
  HONE_TRY(listing.files, read_names(*json, request.url));
  // Who was renamed is found under both names, and a redirect for each file is saved.
  const std::string* name = text_in(*json, "id");
  const auto named = name != nullptr ? parse_hub_id(*name) : Result<HubId>(id_);
  if (named && name != nullptr && named->repository == *name) listing.repository = *name;
  return listing;
}

// Follows what stays at the hub; where it leads away, the answer that says so is the one that knows
// the file. `url` becomes the place that answered.
Result<HttpResponse> HubClient::head_of(Url& url) {
  for (int followed = 0;; ++followed) {
    HttpRequest request{.method = "HEAD", .url = url};
    request.headers.push_back({"Accept-Encoding", "identity"});
    if (url.has_origin_of(home_)) request.authorization = authorization();
    HONE_TRY(HttpResponse response, ask(request));
    if (!leads_on(response.status) || !response.header("X-Linked-Etag").empty()) return response;
    HONE_TRY(Url next, resolve_url(url, response.header("Location")));
    if (!next.has_origin_of(home_)) return response;
    if (followed == most_redirects) return bad_answer(url, "it sends us from place to place");
    url = std::move(next);
  }
}

Result<RemoteFile> HubClient::describe(const Listing& listing, const std::string& file) {
  const Url url =
      at("/" + listing.repository + "/resolve/" + listing.commit + "/" + encoded_path(file));
  Url answered = url;
  HONE_TRY(const HttpResponse head, head_of(answered));
  if (!head.is_success() && !leads_on(head.status))
    return refused("cannot ask for '" + file + "'", head);
  HONE_TRY(RemoteFile described, read_description(head, file, answered, listing.commit));
  described.url = url;
  return described;
}

Result<HttpResponse> HubClient::get(const RemoteFile& file, HttpRequest request) {
  request.url = file.url;
  request.authorization = authorization();
  request.redirects = most_redirects;
  request.headers.push_back({"Accept-Encoding", "identity"});
  return http_.send(request);
}

// For a hint: whatever goes wrong, there is none.
Json HubClient::asked_in_passing(const std::string& path) {
  HttpRequest request{.url = at(path)};
  request.authorization = authorization();
  request.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  const auto response = http_.send(request);
  if (!response || !response->is_success()) return {};
  return Json::parse(response->body).value_or(Json());
}

std::string HubClient::similar_repository() {
  std::vector<std::string> there = Cache(settings_.cache, id_.repository).repositories();
  const std::string name = id_.repository.substr(id_.repository.find('/') + 1);
  const Json found = asked_in_passing("/api/models?limit=20&search=" + percent_encoded(name));
  if (found.as_array() != nullptr)
    for (const Json& each : *found.as_array())
      if (const std::string* id = text_in(each, "id"); id != nullptr && parse_hub_id(*id))
        there.push_back(*id);
  const std::string near = nearest(id_.repository, there);
  return near == id_.repository ? "" : near;
}

std::string HubClient::similar_revision() {
  std::vector<std::string> there;
  const Json refs = asked_in_passing("/api/models/" + id_.repository + "/refs");
  for (const char* kind : {"branches", "tags"}) {
    const Json* list = refs.find(kind);
    if (list == nullptr || list->as_array() == nullptr) continue;
    for (const Json& each : *list->as_array())
      if (const std::string* name = text_in(each, "name"); name != nullptr)
        there.push_back(printable(name->substr(0, 200)));
  }
  return nearest(id_.revision, there);
}

Failure HubClient::refused(const std::string& doing, const HttpResponse& response) {
  Url page = at("/" + id_.repository);
  const Asked asked{.repository = id_.repository,
                    .revision = id_.revision,
                    .page = page.without_query(),
                    .hub = home_.authority(),
                    .has_token = !settings_.token.empty()};
  const Refusal refusal = refusal_of(response, asked);
  std::string similar;
  if (refusal == Refusal::no_repository) similar = similar_repository();
  if (refusal == Refusal::no_revision) similar = similar_revision();
  return fail(error_of(doing, response, asked, similar));
}

}  // namespace hone::hub
