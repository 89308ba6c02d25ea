#pragma once
// Servers that tests write: on loopback, on a port of their own, gone with the object.

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "base/system_files.h"
#include "base/text.h"

namespace hone::testing {

struct ServedRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;  // names in lowercase
  std::string body;
};

// One connection that somebody opened to us.
class Peer {
 public:
  explicit Peer(Descriptor socket) : socket_(std::move(socket)) {}

  // Nothing when the other side has left.
  std::optional<ServedRequest> next_request() {
    const auto head = read_until_empty_line();
    if (!head) return std::nullopt;
    ServedRequest request;
    const std::vector<std::string> lines = split(*head, '\n');
    const std::vector<std::string> words = split(lines.front(), ' ');
    request.method = words.at(0);
    request.target = words.at(1);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::size_t colon = lines[i].find(':');
      if (colon == std::string::npos) continue;
      request.headers[lowercase(lines[i].substr(0, colon))] = trimmed(lines[i].substr(colon + 1));
    }
    const auto length = parse_number<std::size_t>(request.headers["content-length"]);
    while (length && unread_.size() < *length) {
      if (!read_more()) return std::nullopt;
    }
    request.body = unread_.substr(0, length.value_or(0));
    unread_.erase(0, length.value_or(0));
    return request;
  }

  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  // Up to that many bytes; empty when the other side has left.
  std::string read(std::size_t most) {
    if (!unread_.empty()) return std::exchange(unread_, {});
    std::string bytes(most, '\0');
    const ssize_t count = ::recv(socket_.get(), bytes.data(), most, 0);
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }
  int descriptor() const { return socket_.get(); }
  void end() { ::shutdown(socket_.get(), SHUT_RDWR); }

 private:
  bool read_more() {
    std::string bytes(65536, '\0');
    const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    unread_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  std::optional<std::string> read_until_empty_line() {
    std::size_t end = 0;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) return std::nullopt;
    }
    std::string head = unread_.substr(0, end);
    unread_.erase(0, end + 4);
    std::erase(head, '\r');
    return head;
  }
  Descriptor socket_;
  std::string unread_;
};

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// Empty when nobody listens.
inline Descriptor connected_to(std::uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  const bool is_open =
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  return is_open ? std::move(socket) : Descriptor();
}

// Passes bytes from each to the other until one ends, and asks before each piece: false ends both.
// The pieces are small, so that an end can be anywhere.
inline void pass_on(Peer& client, Peer& server,
                    const std::function<bool(bool is_from_client, std::string_view piece)>& may) {
  for (;;) {
    pollfd waiting[2] = {{client.descriptor(), POLLIN, 0}, {server.descriptor(), POLLIN, 0}};
    if (::poll(waiting, 2, -1) < 0) return;
    const bool from_client = waiting[0].revents != 0;
    const std::string piece = (from_client ? client : server).read(4096);
    if (piece.empty() || !may(from_client, piece)) return server.end();
    if (!(from_client ? server : client).write(piece)) return;
  }
}

// Handles every connection in a thread of its own.
class TestServer {
 public:
  using Handler = std::function<void(Peer&)>;

  explicit TestServer(Handler handler) : handler_(std::move(handler)) {
    socket_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    HONE_CHECK(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    HONE_CHECK(::listen(socket_.get(), 64) == 0);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    accepting_ = std::jthread([this](const std::stop_token& stop) { accept_until(stop); });
  }
  ~TestServer() {
    accepting_.request_stop();
    accepting_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int open : open_) ::shutdown(open, SHUT_RDWR);
    }
    handling_.clear();
  }

  std::uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  int connections() const { return connections_; }

 private:
  void accept_until(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd waiting{socket_.get(), POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int accepted = ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (accepted < 0) continue;
      ++connections_;
      const std::lock_guard lock(mutex_);
      open_.push_back(accepted);
      handling_.emplace_back([this, accepted] {
        Peer peer{Descriptor(accepted)};
        handler_(peer);
        peer.end();
        const std::lock_guard forget(mutex_);
        std::erase(open_, accepted);
      });
    }
  }

  Handler handler_;
  Descriptor socket_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::jthread> handling_;
  std::jthread accepting_;
};

// A server that answers each request with what the function returns: a whole response.
inline TestServer::Handler answering(
    std::function<std::string(const ServedRequest&)> answer_of_request) {
  return [answer_of_request = std::move(answer_of_request)](Peer& peer) {
    while (const auto request = peer.next_request()) {
      if (!peer.write(answer_of_request(*request))) return;
    }
  };
}

inline std::string response(int status, std::string_view body = {}, std::string_view headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " Said\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace hone::testing
