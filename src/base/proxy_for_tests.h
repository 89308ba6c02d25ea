#pragma once
// A proxy on loopback that knows names nobody else does, and keeps what it was asked.

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/server_for_tests.h"

namespace hone::testing {

class TestProxy {
 public:
  // To which port of this machine a name leads: {"registry.example:443", 5000}. Others are refused.
  explicit TestProxy(std::map<std::string, std::uint16_t> names)
      : names_(std::move(names)), server_([this](Peer& client) { serve(client); }) {}

  std::string address() const { return "http://" + server_.address(); }
  // In the order they came.
  std::vector<ServedRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::uint64_t bytes() const { return bytes_; }  // that passed, in both directions

 private:
  void serve(Peer& client) {
    const auto request = client.next_request();
    if (!request) return;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(*request);
    }
    const auto known = names_.find(request->target);
    Descriptor there = known != names_.end() ? connected_to(known->second) : Descriptor();
    if (request->method != "CONNECT" || !there) {
      client.write(response(403));
      return;
    }
    client.write("HTTP/1.1 200 Connected\r\n\r\n");
    Peer server(std::move(there));
    pass_on(client, server, [this](bool, std::string_view piece) {
      bytes_ += piece.size();
      return true;
    });
  }

  std::map<std::string, std::uint16_t> names_;
  mutable std::mutex mutex_;
  std::vector<ServedRequest> requests_;
  std::atomic<std::uint64_t> bytes_ = 0;
  TestServer server_;  // the last member: it uses the others
};

}  // namespace hone::testing
