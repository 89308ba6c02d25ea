#pragma once
// A registry in memory that does as the spec says, unless a test says otherwise.

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/server_for_tests.h"

namespace hone::testing {

class ScriptedRegistry {
 public:
  // Answers in the place of the registry; an empty answer leaves it to the registry.
  using Script = std::function<std::string(const ServedRequest&)>;

  explicit ScriptedRegistry(Script script = [](const ServedRequest&) { return std::string(); })
      : script_(std::move(script)),
        server_(answering([this](const ServedRequest& request) { return answer(request); })) {}

  std::string address() const { return server_.address(); }
  std::string repository() const { return "oci://" + address() + "/models"; }
  // "PATCH /v2/...", in the order they came.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  int count(std::string_view method) const {
    int found = 0;
    for (const std::string& request : requests()) found += request.starts_with(method) ? 1 : 0;
    return found;
  }

 private:
  static std::string last_part(const std::string& target) {
    const std::string path = target.substr(0, target.find('?'));
    return path.substr(path.rfind('/') + 1);
  }
  static std::string range(std::size_t bytes) {
    return "Range: 0-" + std::to_string(bytes == 0 ? 0 : bytes - 1) + "\r\n";
  }
  static std::string decoded_digest(const std::string& target) {
    return "sha256:" + target.substr(target.find("digest=sha256%3A") + 16, 64);
  }

  std::string answer(const ServedRequest& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request.method + " " + request.target);
    const std::string scripted = script_(request);
    return scripted.empty() ? serve(request) : scripted;
  }
  std::string serve(const ServedRequest& request) {
    if (request.target == "/v2/") return response(200, "{}");
    if (request.target.find("/manifests/") != std::string::npos) return serve_manifest(request);
    if (request.target.find("/uploads/") != std::string::npos) return serve_upload(request);
    if (request.target.find("/blobs/") != std::string::npos)
      return found(blobs_, last_part(request.target), request.method);
    return response(404, R"({"errors":[{"code":"UNSUPPORTED"}]})");
  }
  static std::string found(const std::map<std::string, std::string>& held, const std::string& name,
                           const std::string& method) {
    const auto entry = held.find(name);
    if (entry == held.end()) return response(404, method == "HEAD" ? "" : R"({"errors":[]})");
    if (method != "HEAD") return response(200, entry->second);
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(entry->second.size()) +
           "\r\n\r\n";
  }
  std::string serve_manifest(const ServedRequest& request) {
    const std::string name = last_part(request.target);
    if (request.method != "PUT") return found(manifests_, name, request.method);
    manifests_[name] = request.body;
    return response(201, "",
                    "Docker-Content-Digest: sha256:" + sha256(request.body).hex() + "\r\n");
  }
  std::string serve_upload(const ServedRequest& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const std::string location = path.ends_with("/") ? path + "one" : path;
    const std::string place = "Location: " + location + "?state=opaque\r\n";
    if (request.method == "POST") upload_.clear();
    if (request.method == "PATCH") upload_ += request.body;
    if (request.method == "DELETE") return response(204);
    if (request.method == "GET") return response(204, "", place + range(upload_.size()));
    if (request.method != "PUT") return response(202, "", place + range(upload_.size()));
    const std::string digest = "sha256:" + sha256(upload_).hex();
    if (digest != decoded_digest(request.target))
      return response(400, R"({"errors":[{"code":"DIGEST_INVALID","message":"no"}]})");
    blobs_[digest] = upload_;
    return response(201, "", "Docker-Content-Digest: " + digest + "\r\n");
  }

  Script script_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::map<std::string, std::string> blobs_;
  std::map<std::string, std::string> manifests_;
  std::string upload_;
  TestServer server_;  // the last member: it uses the others
};

}  // namespace hone::testing
