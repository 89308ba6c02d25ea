#pragma once
// What a server sends, taken apart: the head of a response, how long its body is, and chunks. All
// of it is hostile: sizes are limited, and what can be read in two ways is refused.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpHead {
  int status = 0;
  bool keeps_alive = true;
  std::vector<HttpHeader> headers;
  // The first of that name, whatever its case; empty when there is none.
  std::string_view header(std::string_view name) const;
};

inline constexpr std::size_t most_head_bytes = std::size_t{64} << 10;
inline constexpr std::size_t most_headers = 200;

// `text` is all up to the empty line, which is not part of it.
Result<HttpHead> parse_http_head(std::string_view text);

struct BodyLength {
  bool is_chunked = false;
  std::optional<std::uint64_t> bytes;  // neither: the body ends with the connection
};
Result<BodyLength> body_length_of(const HttpHead& head, std::string_view method);

using ByteSink = std::function<Status(std::string_view bytes)>;

// Chunked transfer coding. Trailers are read and dropped.
class ChunkReader {
 public:
  // Takes `bytes` from the front of what came, and hands the data in them on. What is left in
  // `bytes` behind the last chunk is not ours.
  Status take(std::string_view& bytes, const ByteSink& sink);
  bool is_done() const { return state_ == State::done; }

 private:
  enum class State { size, data, data_end, trailer, done };
  // The line that is complete now, without its end; nothing yet where it is not.
  Result<std::optional<std::string>> take_line(std::string_view& bytes);
  Status take_size(std::string_view line);

  State state_ = State::size;
  std::string line_;
  std::uint64_t left_ = 0;  // of the chunk
  std::size_t trailer_bytes_ = 0;
};

// A header's value and a method must not smuggle a line into the request.
bool is_header_value(std::string_view text);
bool is_http_token(std::string_view text);

}  // namespace hone
