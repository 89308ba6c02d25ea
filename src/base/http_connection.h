#pragma once
// One connection of HttpClient, and the two halves of a request on it. Private to base.

#include <variant>

#include "base/http.h"

namespace hone {

class HttpClient::Connection {
 public:
  Connection(std::variant<Socket, TlsConnection> stream, Patience patience)
      : stream_(std::move(stream)), patience_(patience) {}

  void set_patience(const Patience& patience) { patience_ = patience; }
  // Nothing came while nobody asked: neither the end, nor an answer to no question.
  bool is_idle();

  // The head and the body. A server may answer, and even leave, before it has all of the body.
  Status send(const HttpRequest& request, const Url& url);
  Result<HttpResponse> receive(const HttpRequest& request);
  // Whether the next request may use it.
  bool can_be_kept() const { return keeps_alive_; }
  // Whether a byte of an answer has come.
  bool has_answered() const { return has_answered_; }

 private:
  Status send_bytes(std::string_view bytes);
  Status send_body(const HttpRequest& request);
  Status send_file(const FileRange& range, const HttpRequest& request);
  bool has_input();
  Status fill();  // more bytes into unread_; at_end_ when there are no more
  Result<std::string> receive_head_text();
  Result<HttpHead> receive_head();
  Status receive_body(const BodyLength& length, const ByteSink& sink);

  std::variant<Socket, TlsConnection> stream_;
  Patience patience_;
  std::string unread_;
  bool at_end_ = false;
  bool sent_all_ = true;
  bool keeps_alive_ = true;
  bool has_answered_ = false;
};

}  // namespace hone
