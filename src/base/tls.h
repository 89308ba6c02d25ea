#pragma once
// TLS over a Socket. The server's certificate is always checked, against its name and against the
// authorities we trust; nothing turns that off.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "base/socket.h"

namespace hone {

// The authorities whose certificates are believed. What is empty is looked for where systems keep
// it (/etc/ssl, /etc/pki).
struct TrustStore {
  Path file;    // PEM
  Path folder;  // with OpenSSL's hashed names
};

class TlsContext {
 public:
  static Result<TlsContext> create(const TrustStore& trust);

 private:
  friend class TlsConnection;
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

class TlsConnection {
 public:
  // Shakes hands. A certificate that is not believed is Fault::runtime, and says why.
  static Result<TlsConnection> open(const TlsContext& context, Socket socket,
                                    const std::string& host, const Patience& patience);

  Status send(std::string_view bytes, const Patience& patience);
  // 0 is the end the server announced. One it did not announce is a cut: Fault::io.
  Result<std::size_t> receive(std::span<char> into, const Patience& patience);
  // Something is there beyond TLS's own messages, be it the end.
  bool has_input();

 private:
  struct Free {
    void operator()(void* session) const;
  };
  explicit TlsConnection(Socket socket) : socket_(std::move(socket)) {}
  Status shake_hands(const std::string& host, const Patience& patience);
  // Hands what TLS has to say to the socket.
  Status flush(const Patience& patience);
  // Takes in what the socket has; false at its end.
  Result<bool> fill(const Patience& patience);

  Socket socket_;
  std::unique_ptr<void, Free> session_;
};

}  // namespace hone
