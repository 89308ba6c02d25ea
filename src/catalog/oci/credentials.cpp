#include "catalog/oci/credentials.h"

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/json.h"
#include "base/system_files.h"
#include "base/text.h"

namespace hone::oci {
namespace {

constexpr std::uint64_t most_config_bytes = std::uint64_t{1} << 20;

// The names one registry goes by in config.json; docker writes its own in an old way.
std::vector<std::string> names_of(const std::string& host) {
  std::vector<std::string> names = {host, "https://" + host, "https://" + host + "/v1/",
                                    "https://" + host + "/v2/"};
  const bool is_docker_hub = host == "docker.io" || host == "registry-1.docker.io";
  if (is_docker_hub) names.emplace_back("https://index.docker.io/v1/");
  return names;
}

Failure broken_config(const Path& file, std::string why) {
  return fail(Fault::bad_input, "cannot read credentials from '" + file.string() + "'",
              std::move(why), "`docker login` writes it");
}

// The value behind `key=` in "Bearer realm=\"...\",service=...".
std::string parameter(std::string_view text, std::string_view key) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t equals = text.find('=', start);
    if (equals == std::string_view::npos) return {};
    const std::string_view name = trimmed(text.substr(start, equals - start));
    const bool is_quoted = equals + 1 < text.size() && text[equals + 1] == '"';
    const std::size_t from = equals + (is_quoted ? 2 : 1);
    const std::size_t end = std::min(text.find(is_quoted ? '"' : ',', from), text.size());
    if (lowercase(name) == key) return std::string(trimmed(text.substr(from, end - from)));
    const std::size_t comma = text.find(',', end);
    if (comma == std::string_view::npos) return {};
    start = comma + 1;
  }
  return {};
}

}  // namespace

Result<std::optional<Credentials>> docker_credentials(const Path& folder, const std::string& host) {
  const Path file = folder / "config.json";
  std::error_code ignored;
  if (folder.empty() || !std::filesystem::exists(file, ignored))
    return std::optional<Credentials>{};
  HONE_TRY(const std::string text, read_file(file, most_config_bytes));
  const auto config = Json::parse(text);
  if (!config) return broken_config(file, config.error().what);
  const Json* auths = config->find("auths");
  for (const std::string& name : names_of(host)) {
    const Json* entry = auths != nullptr ? auths->find(name) : nullptr;
    const Json* auth = entry != nullptr ? entry->find("auth") : nullptr;
    if (auth == nullptr || auth->as_string() == nullptr) continue;
    const auto decoded = from_base64(*auth->as_string());
    const std::size_t colon = decoded ? decoded->find(':') : std::string::npos;
    if (colon == std::string::npos)
      return broken_config(file, "'auth' of '" + name + "' is no base64 of user:password");
    return std::optional(Credentials{decoded->substr(0, colon), decoded->substr(colon + 1)});
  }
  return std::optional<Credentials>{};
}

std::optional<Challenge> challenge_of(const HttpHead& response) {
  std::optional<Challenge> found;
  for (const HttpHeader& header : response.headers) {
    if (lowercase(header.name) != "www-authenticate") continue;
    const std::string_view value = header.value;
    const std::size_t space = std::min(value.find(' '), value.size());
    const std::string_view rest = value.substr(space);
    const Challenge challenge{lowercase(value.substr(0, space)), parameter(rest, "realm"),
                              parameter(rest, "service"), parameter(rest, "scope")};
    if (challenge.scheme == "bearer" && !challenge.realm.empty()) return challenge;
    if (challenge.scheme == "basic") found = challenge;
  }
  return found;
}

std::string basic_authorization(const Credentials& credentials) {
  return "Basic " + to_base64(credentials.user + ":" + credentials.password);
}

}  // namespace hone::oci
