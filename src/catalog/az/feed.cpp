#include "catalog/az/feed.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/process.h"
#include "base/text.h"
#include "base/url.h"
#include "catalog/publisher.h"

namespace hone::az {
namespace {

constexpr std::chrono::milliseconds usual_timeout{180'000};
// Azure DevOps as what a token is wanted for.
constexpr auto devops_resource = "499b84ac-1321-427f-aa17-267ca6975798";
constexpr int page_size = 100;
constexpr int most_pages = 1000;

// What becomes a word of a command line, and a part of an address: no option, no path.
bool is_feed_name(std::string_view name) {
  constexpr std::string_view others = " ._-";
  return !name.empty() && name.size() <= 256 && name.front() != '-' && name.front() != '.' &&
         std::ranges::all_of(name, [&](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  others.find(c) != std::string_view::npos;
         });
}

std::string organization_url(const Feed& feed) {
  return "https://dev.azure.com/" + feed.organization;
}

std::vector<std::string> universal_words(const Feed& feed, const std::string& verb,
                                         const std::string& version, const Path& folder) {
  return {"artifacts", "universal",    verb,         "--organization", organization_url(feed),
          "--project", feed.project,   "--scope",    "project",        "--feed",
          feed.feed,   "--name",       feed.package, "--version",      version,
          "--path",    folder.string()};
}

std::string packages_url(const Feed& feed) {
  return "https://feeds.dev.azure.com/" + percent_encoded(feed.organization) + "/" +
         percent_encoded(feed.project) + "/_apis/packaging/feeds/" + percent_encoded(feed.feed) +
         "/packages";
}

Failure cannot_ask(const Feed& feed, std::string why) {
  return fail(Fault::io, "cannot ask the feed '" + feed.feed + "' what it has", std::move(why));
}

std::string text_of(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  return found != nullptr && found->as_string() != nullptr ? *found->as_string() : "";
}

Result<Json> get(const Feed& feed, const std::string& url) {
  const End end =
      run(feed, {"rest", "--method", "get", "--resource", devops_resource, "--url", url},
          usual_timeout);
  if (end.exit_code != 0 || end.timed_out)
    return cannot_ask(feed, end.timed_out ? "az did not answer in time" : end.tail);
  auto answer = Json::parse(end.output);
  if (!answer) return cannot_ask(feed, "az answers with no JSON: " + answer.error().what);
  const Json* list = answer->find("value");
  if (list == nullptr || list->as_array() == nullptr)
    return cannot_ask(feed, "az answers without a list");
  return answer;
}

// Everything a listing has, page by page: by its token where it gives one, else by counting.
Result<Json::Array> get_all(const Feed& feed, const std::string& url) {
  Json::Array all;
  std::string token;
  for (int page = 0; page < most_pages; ++page) {
    std::string where = url + "&$top=" + std::to_string(page_size);
    where += token.empty() ? "&$skip=" + std::to_string(all.size())
                           : "&continuationToken=" + percent_encoded(token);
    HONE_TRY(const Json answer, get(feed, where));
    const Json::Array& values = *answer.find("value")->as_array();
    all.insert(all.end(), values.begin(), values.end());
    token = text_of(answer, "continuationToken");
    if (token.empty() && values.size() < page_size) return all;
    if (values.empty()) break;
  }
  return cannot_ask(feed, "its listing has no end");
}

Result<std::string> package_id(const Feed& feed) {
  const std::string url = packages_url(feed) + "?api-version=7.1-preview.1&protocolType=upack" +
                          "&packageNameQuery=" + percent_encoded(feed.package);
  HONE_TRY(const Json::Array packages, get_all(feed, url));
  for (const Json& package : packages) {
    const bool is_it = lowercase(text_of(package, "name")) == lowercase(feed.package) &&
                       lowercase(text_of(package, "protocolType")) == "upack";
    if (is_it && !text_of(package, "id").empty()) return text_of(package, "id");
  }
  return cannot_ask(feed, "its listing does not have the package '" + feed.package + "'");
}

}  // namespace

Result<Feed> parse_feed(std::string_view place, const std::string& program,
                        const std::string& default_package) {
  const std::vector<std::string> parts = split(place, '/');
  const bool fits = (parts.size() == 3 || parts.size() == 4) &&
                    std::ranges::all_of(parts, is_feed_name) && is_feed_name(default_package);
  if (!fits) {
    return misuse("'az://" + std::string(place) + "' names no feed",
                  "az://ORGANIZATION/PROJECT/FEED[/PACKAGE]");
  }
  return Feed{program, parts[0], parts[1], parts[2],
              parts.size() == 4 ? parts[3] : default_package};
}

End run(const Feed& feed, std::vector<std::string> words, std::chrono::milliseconds timeout) {
  words.insert(words.begin(), feed.program);
  ProcessOptions options;
  options.limits.time = timeout;
  const auto ended = run_process(words, options);
  if (!ended) {
    const std::string why = ended.error().what + ": " + ended.error().cause;
    return {.exit_code = 127, .timed_out = false, .output = why, .tail = why};
  }
  const bool has_errors = !ended->standard_error.empty();
  End end;
  end.timed_out = ended->timed_out;
  end.exit_code = ended->ok() ? 0 : std::max(ended->exit_code, 1);
  // A success is read as JSON; a failure says its words on either stream.
  end.output =
      ended->ok() ? ended->standard_output : ended->standard_output + "\n" + ended->standard_error;
  end.tail = last_lines(has_errors ? ended->standard_error : ended->standard_output);
  if (end.tail.empty()) end.tail = "az " + ended->describe();
  return end;
}

Status check_ready(const Feed& feed) {
  const End extension = run(feed, {"extension", "show", "--name", "azure-devops"}, usual_timeout);
  if (extension.exit_code == 127) {
    return fail(Fault::not_found, "there is no program '" + feed.program + "'", extension.tail,
                "install the Azure CLI");
  }
  if (extension.exit_code != 0) {
    const End added = run(feed, {"extension", "add", "--name", "azure-devops"}, usual_timeout);
    if (added.exit_code != 0)
      return fail(Fault::unsupported, "az has no extension azure-devops", added.tail,
                  "az extension add --name azure-devops");
  }
  const End account = run(feed, {"account", "show"}, usual_timeout);
  if (account.exit_code != 0)
    return fail(Fault::runtime, "nobody is logged in to Azure", account.tail, "az login");
  return done();
}

std::vector<std::string> publish_words(const Feed& feed, const std::string& version,
                                       const Path& folder, const std::string& description) {
  std::vector<std::string> words = universal_words(feed, "publish", version, folder);
  words.insert(words.end(), {"--description", description});
  return words;
}

std::vector<std::string> download_words(const Feed& feed, const std::string& version,
                                        const Path& folder, const std::string& filter) {
  std::vector<std::string> words = universal_words(feed, "download", version, folder);
  if (!filter.empty()) words.insert(words.end(), {"--file-filter", filter});
  return words;
}

Result<std::vector<std::string>> list_versions(const Feed& feed) {
  HONE_TRY(const std::string id, package_id(feed));
  const std::string url =
      packages_url(feed) + "/" + percent_encoded(id) + "/versions?api-version=7.1-preview.1";
  HONE_TRY(const Json::Array listed, get_all(feed, url));
  std::vector<std::string> versions;
  for (const Json& entry : listed) {
    const Json* deleted = entry.find("isDeleted");
    const bool is_gone = deleted != nullptr && deleted->as_bool() != nullptr && *deleted->as_bool();
    const std::string version = text_of(entry, "version");
    if (!is_gone && is_version(version)) versions.push_back(version);
  }
  return versions;
}

}  // namespace hone::az
