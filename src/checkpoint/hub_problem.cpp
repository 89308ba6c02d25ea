#include "checkpoint/hub_problem.h"

#include "base/text.h"

namespace hone::hub {
namespace {

constexpr std::size_t longest_words = 300;

// "HTTP 403 GatedRepo: Access to model org/name is restricted".
std::string words_of(const HttpResponse& response) {
  std::string words = "HTTP " + std::to_string(response.status);
  const std::string_view code = response.header("X-Error-Code");
  std::string_view message = response.header("X-Error-Message");
  if (!code.empty()) words += " " + std::string(code.substr(0, longest_words));
  const bool is_page = response.body.starts_with('<');
  if (message.empty() && code.empty() && !is_page) message = response.body;
  if (!message.empty()) words += ": " + std::string(message.substr(0, longest_words));
  return printable(words);
}

std::string meant(const std::string& similar) {
  return similar.empty() ? "" : "did you mean '" + similar + "'? ";
}

Error gated(const Asked& asked, const std::string& words) {
  return {Fault::runtime, "'" + asked.repository + "' is for those who accepted its licence", words,
          asked.has_token
              ? "accept it at " + asked.page + " as the owner of HF_TOKEN; it may take a while"
              : "accept it at " + asked.page + ", and set HF_TOKEN to a token of your account"};
}

// A hub does not tell a stranger whether a private repository is there.
Error no_repository(const Asked& asked, const std::string& words, const std::string& similar) {
  return {Fault::not_found,
          "there is no '" + asked.repository + "' at " + asked.hub +
              (asked.has_token ? " that HF_TOKEN lets us see" : ", or it is private"),
          words,
          meant(similar) + (asked.has_token ? "look at the name, and at what the token may read"
                                            : "look at the name; for a private one set HF_TOKEN")};
}

Error no_revision(const Asked& asked, const std::string& words, const std::string& similar) {
  return {Fault::not_found, "'" + asked.repository + "' has no revision '" + asked.revision + "'",
          words, meant(similar) + "its branches and tags are at " + asked.page + "/tree/main"};
}

}  // namespace

Refusal refusal_of(const HttpResponse& response, const Asked& asked) {
  const std::string_view code = response.header("X-Error-Code");
  const std::string_view message = response.header("X-Error-Message");
  if (code == "GatedRepo") return Refusal::gated;
  if (code == "RepoNotFound") return Refusal::no_repository;
  if (code == "RevisionNotFound") return Refusal::no_revision;
  if (code == "EntryNotFound") return Refusal::no_file;
  const bool is_about_token = message.find("credentials") != std::string_view::npos ||
                              response.body.find("Invalid credentials") != std::string::npos;
  switch (response.status) {
    case 401:
      return asked.has_token && is_about_token ? Refusal::bad_token : Refusal::no_repository;
    case 403:
      return Refusal::gated;
    case 404:
      return Refusal::no_repository;
    case 429:
      return Refusal::busy;
    default:
      return Refusal::other;
  }
}

Error error_of(const std::string& doing, const HttpResponse& response, const Asked& asked,
               const std::string& similar) {
  const std::string words = words_of(response);
  switch (refusal_of(response, asked)) {
    case Refusal::gated:
      return gated(asked, words);
    case Refusal::bad_token:
      return {Fault::runtime, asked.hub + " does not know the token", words,
              "set HF_TOKEN to one that is not revoked; public models need none"};
    case Refusal::no_repository:
      return no_repository(asked, words, similar);
    case Refusal::no_revision:
      return no_revision(asked, words, similar);
    case Refusal::no_file:
      return {Fault::not_found, doing + ": it is not there any more", words, "ask again"};
    case Refusal::busy:
      return {Fault::io, asked.hub + " has too many requests from here", words,
              asked.has_token ? "wait some minutes"
                              : "wait some minutes; with HF_TOKEN it takes more of them"};
    case Refusal::other:
      return {response.status >= 500 ? Fault::io : Fault::runtime, doing + ": the hub refused",
              words, response.status >= 500 ? "the hub is in trouble: ask again later" : ""};
  }
  return {};
}

}  // namespace hone::hub
