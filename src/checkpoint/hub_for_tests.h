#pragma once
// A hub on loopback that answers as the real one does, with a second server for large files, and
// keeps what it was asked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/folder.h"
#include "base/git_blob.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/server_for_tests.h"
#include "checkpoint/hub.h"

namespace hone::testing {

// The files and links below a folder.
inline std::vector<std::string> files_of(const Path& folder) {
  std::vector<std::string> names;
  const auto entries = walk_folder(folder);
  if (entries)
    for (const FolderEntry& entry : *entries)
      if (!entry.is_folder()) names.push_back(entry.name);
  return names;
}

inline bool asks_for(const ServedRequest& request, std::string_view method, std::string_view part) {
  return request.method == method && request.target.find(part) != std::string::npos;
}

struct HubAnswer {
  std::string bytes;
  bool is_end = false;  // the connection ends after it
};

class ScriptedHub {
 public:
  // Answers in the place of the hub, or leaves it to the hub. Asked by both servers.
  using Script = std::function<std::optional<HubAnswer>(const ServedRequest&)>;

  explicit ScriptedHub(Script script = [](const ServedRequest&) { return std::nullopt; })
      : script_(std::move(script)),
        store_([this](Peer& peer) {
          serve(peer, stored_, [this](const auto& request) { return answer_of_store(request); });
        }),
        server_([this](Peer& peer) {
          serve(peer, asked_, [this](const auto& request) { return answer_of_hub(request); });
        }) {}

  // Before anybody asks. Weights are kept by the second server, as large files are.
  std::string repository = "org/tiny";
  std::string commit = "0123456789abcdef0123456789abcdef01234567";
  std::map<std::string, std::string> files = {{"config.json", "{\"model_type\": \"bert\"}"},
                                              {"tokenizer.json", "{}"},
                                              {"README.md", "read me"},
                                              {"pytorch_model.bin", "a pickle"},
                                              {"model.safetensors", std::string(300'000, 'w')}};

  std::string endpoint() const { return "http://" + server_.address(); }
  static bool is_large(const std::string& name) {
    return name.ends_with(".safetensors") || name.find(".onnx") != std::string::npos;
  }
  std::string digest_of(const std::string& name) const {
    const std::string& bytes = files.at(name);
    return is_large(name) ? sha256(bytes).hex() : GitBlobHash(bytes.size()).add(bytes).finish();
  }
  // "GET /api/models/...", in the order they came; of the second server's likewise.
  std::vector<ServedRequest> asked() const { return copy_of(asked_); }
  std::vector<ServedRequest> stored() const { return copy_of(stored_); }
  std::size_t count(std::string_view method, std::string_view part) const {
    std::size_t found = 0;
    for (const auto& list : {asked(), stored()})
      for (const ServedRequest& request : list)
        found += request.method == method && request.target.find(part) != std::string::npos;
    return found;
  }

  // A content, or the rest of it where a Range asks for that.
  static std::string part_of(const std::string& bytes, const ServedRequest& request,
                             const std::string& headers = {}) {
    const auto range = request.headers.find("range");
    if (range == request.headers.end()) return head_or_all(200, bytes, headers, request);
    const auto start =
        parse_number<std::size_t>(range->second.substr(6, range->second.find('-') - 6));
    if (!start || *start >= bytes.size()) return response(416);
    return head_or_all(206, bytes.substr(*start),
                       headers + "Content-Range: bytes " + std::to_string(*start) + "-" +
                           std::to_string(bytes.size() - 1) + "/" + std::to_string(bytes.size()) +
                           "\r\n",
                       request);
  }

  std::string listing() const {
    Json siblings = Json::array();
    for (const auto& [name, bytes] : files) {
      Json sibling = Json::object();
      sibling.set("rfilename", name);
      siblings.push(std::move(sibling));
    }
    Json answer = Json::object();
    answer.set("id", repository).set("sha", commit).set("siblings", std::move(siblings));
    return answer.dump();
  }

 private:
  static std::string head_or_all(int status, const std::string& bytes, const std::string& headers,
                                 const ServedRequest& request) {
    std::string whole = response(status, bytes, headers);
    return request.method == "HEAD" ? whole.substr(0, whole.find("\r\n\r\n") + 4) : whole;
  }

  template <class Answer>
  void serve(Peer& peer, std::vector<ServedRequest>& log, const Answer& answer) {
    while (const auto request = peer.next_request()) {
      {
        const std::lock_guard lock(mutex_);
        log.push_back(*request);
      }
      const auto scripted = script_(*request);
      if (!peer.write(scripted ? scripted->bytes : answer(*request))) return;
      if (scripted && scripted->is_end) return;
    }
  }

  std::string answer_of_store(const ServedRequest& request) const {
    for (const auto& [name, bytes] : files)
      if (request.target == "/" + sha256(bytes).hex() + "?signed=yes")
        return part_of(bytes, request);
    return response(404);
  }

  std::string answer_of_hub(const ServedRequest& request) const {
    if (request.target.starts_with("/api/models/" + repository + "/revision/")) {
      const std::string revision = request.target.substr(request.target.rfind('/') + 1);
      if (revision == "main" || revision == commit || revision == "refs%2Fpr%2F1")
        return response(200, listing());
      return response(404, "{}", "X-Error-Code: RevisionNotFound\r\n");
    }
    const std::string start = "/" + repository + "/resolve/" + commit + "/";
    if (!request.target.starts_with(start)) {
      return response(404, "{}", "X-Error-Code: RepoNotFound\r\n");
    }
    const auto file = files.find(request.target.substr(start.size()));
    if (file == files.end()) return response(404, "", "X-Error-Code: EntryNotFound\r\n");
    const std::string known = "X-Repo-Commit: " + commit + "\r\n";
    if (!is_large(file->first))
      return part_of(file->second, request, known + "ETag: \"" + digest_of(file->first) + "\"\r\n");
    const std::string digest = digest_of(file->first);
    return response(302, "",
                    known + "ETag: \"of the redirect\"\r\nX-Linked-Etag: \"" + digest +
                        "\"\r\nX-Linked-Size: " + std::to_string(file->second.size()) +
                        "\r\nLocation: http://" + store_.address() + "/" + digest +
                        "?signed=yes\r\n");
  }

  std::vector<ServedRequest> copy_of(const std::vector<ServedRequest>& list) const {
    const std::lock_guard lock(mutex_);
    return list;
  }

  Script script_;
  mutable std::mutex mutex_;
  std::vector<ServedRequest> asked_;
  std::vector<ServedRequest> stored_;
  TestServer store_;
  TestServer server_;  // the last members: they use the others
};

// A cache of its own, and who asks.
struct HubVisitor {
  explicit HubVisitor(const std::string& endpoint) {
    settings.cache = folder.path() / "hub";
    settings.endpoint = endpoint;
    settings.first_wait = std::chrono::milliseconds(1);
    settings.attempts = 3;
  }
  Path model(const std::string& name = "models--org--tiny") const { return settings.cache / name; }
  Result<Path> fetch(const std::string& id = "org/tiny") {
    HubWatch watch;
    watch.progress = [this](std::uint64_t done, std::uint64_t total) { told = {done, total}; };
    watch.note = [this](const std::string& note) { notes.push_back(note); };
    watch.stop = stop;
    HONE_TRY(const HubId named, parse_hub_id(id));
    return fetch_checkpoint(named, settings, watch);
  }
  // All that an error says.
  std::string failure(const std::string& id = "org/tiny") {
    const auto fetched = fetch(id);
    if (fetched) return "it went well";
    const Error& error = fetched.error();
    return error.what + " | " + error.cause + " | " + error.hint;
  }

  TemporaryFolder folder = *TemporaryFolder::create("hub");
  HubSettings settings{};
  std::pair<std::uint64_t, std::uint64_t> told{};
  std::vector<std::string> notes;
  const std::atomic<bool>* stop = nullptr;
};

}  // namespace hone::testing
