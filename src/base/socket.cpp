#include "base/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Failure cannot_connect(const Url& url, std::string why, std::string hint = {}) {
  return fail(Fault::io, "cannot connect to " + url.authority(), std::move(why), std::move(hint));
}

Failure said_nothing(const Patience& patience) {
  const bool is_late = patience.deadline && Clock::now() >= *patience.deadline;
  return fail(Fault::timeout,
              is_late ? "the time for this is over" : "the server said nothing for too long",
              is_late ? "" : std::to_string(patience.silence.count()) + " ms");
}

Failure was_cut(int error_number) {
  return fail(Fault::io, "the connection was cut", system_message(error_number));
}

// Milliseconds until patience ends, for poll().
int wait_of(const Patience& patience) {
  auto wait = patience.silence;
  if (patience.deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(*patience.deadline - Clock::now());
    wait = std::clamp(left, std::chrono::milliseconds(0), wait);
  }
  return static_cast<int>(std::min<std::int64_t>(wait.count(), 1 << 30));
}

Status wait_for(int socket, short event, const Patience& patience) {
  pollfd waiting{socket, event, 0};
  int count = -1;
  while ((count = ::poll(&waiting, 1, wait_of(patience))) < 0 && errno == EINTR) {
  }
  if (count < 0) return was_cut(errno);
  if (count == 0) return said_nothing(patience);
  return done();
}

Result<Addresses> look_up(const Url& url) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int problem =
      ::getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &wanted, &found);
  if (problem == EAI_NONAME)
    return fail(Fault::not_found, "there is no host '" + url.host + "'", ::gai_strerror(problem));
  if (problem != 0) return cannot_connect(url, ::gai_strerror(problem));
  return Addresses(found);
}

bool is_loopback_address(const addrinfo& address) {
  if (address.ai_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address.ai_addr);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address.ai_addr);
  return address.ai_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) != 0;
}

Result<Descriptor> connect_to(const addrinfo& address, const Url& url, const Patience& patience) {
  Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return cannot_connect(url, system_message(errno));
  const int at_once = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return socket;
  if (errno != EINPROGRESS) return cannot_connect(url, system_message(errno));
  if (const Status waited = wait_for(socket.get(), POLLOUT, patience); !waited)
    return fail(waited.error().fault, "cannot connect to " + url.authority(),
                waited.error().what + " " + waited.error().cause);
  int problem = 0;
  socklen_t size = sizeof problem;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &problem, &size);
  if (problem != 0) return cannot_connect(url, system_message(problem));
  return socket;
}

}  // namespace

Result<Socket> Socket::connect(const Url& url, const Patience& patience) {
  if (!url.secure && !is_loopback(url.host)) {
    return fail(Fault::bad_input, "plain HTTP to '" + url.host + "' is refused",
                "what is sent could be read and changed on the way",
                "use https://; plain HTTP is for this very machine (localhost, 127.0.0.1, ::1)");
  }
  HONE_TRY(const Addresses addresses, look_up(url));
  Error last{Fault::io, "cannot connect to " + url.authority(), "it has no address we may use", {}};
  for (const addrinfo* address = addresses.get(); address; address = address->ai_next) {
    if (!url.secure && !is_loopback_address(*address)) continue;
    auto connected = connect_to(*address, url, patience);
    if (connected) return Socket(std::move(*connected));
    last = connected.error();
  }
  return fail(std::move(last));
}

Status Socket::send(std::string_view bytes, const Patience& patience) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      HONE_TRY_DO(wait_for(socket_.get(), POLLOUT, patience));
    } else if (errno != EINTR) {
      return was_cut(errno);
    }
  }
  return done();
}

Result<std::size_t> Socket::receive(std::span<char> into, const Patience& patience) {
  for (;;) {
    // A server that always has another byte must not outlive the deadline.
    if (patience.deadline && Clock::now() >= *patience.deadline) return said_nothing(patience);
    const ssize_t count = ::recv(socket_.get(), into.data(), into.size(), 0);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EAGAIN) {
      HONE_TRY_DO(wait_for(socket_.get(), POLLIN, patience));
    } else if (errno != EINTR) {
      return was_cut(errno);
    }
  }
}

bool Socket::has_input() const {
  pollfd waiting{socket_.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

}  // namespace hone
