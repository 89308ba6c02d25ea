#pragma once
// One TCP connection whose every wait has an end. A connection that fails or is cut is Fault::io,
// one that says nothing for too long Fault::timeout; both may do better the next time.

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"
#include "base/url.h"

namespace hone {

struct Patience {
  std::chrono::milliseconds silence{30'000};  // without a byte in either direction
  std::optional<std::chrono::steady_clock::time_point> deadline;  // of all there is to do
};

class Socket {
 public:
  // Without TLS only an address that is truly this machine's is connected to.
  static Result<Socket> connect(const Url& url, const Patience& patience);

  Status send(std::string_view bytes, const Patience& patience);
  // How many bytes came; 0 is the end of what the other side has to say.
  Result<std::size_t> receive(std::span<char> into, const Patience& patience);
  // Something is there to be received at once, be it the end.
  bool has_input() const;

 private:
  explicit Socket(Descriptor socket) : socket_(std::move(socket)) {}
  Descriptor socket_;
};

}  // namespace hone
