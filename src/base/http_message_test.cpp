#include "base/http_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(HttpHead, TellsStatusAndHeadersWhateverTheirCase) {
  const auto head = parse_http_head("HTTP/1.1 206 Partial Content\r\ncontent-LENGTH:  12 \r\nX: a");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 206);
  EXPECT_EQ(head->header("Content-Length"), "12");
  EXPECT_EQ(head->header("missing"), "");
  EXPECT_TRUE(head->keeps_alive);
}

TEST(HttpHead, KnowsWhenTheConnectionEnds) {
  EXPECT_FALSE(parse_http_head("HTTP/1.0 200 OK")->keeps_alive);
  EXPECT_FALSE(parse_http_head("HTTP/1.1 200 OK\r\nConnection: Close")->keeps_alive);
  EXPECT_TRUE(parse_http_head("HTTP/1.0 200 OK\r\nConnection: keep-alive")->keeps_alive);
}

TEST(HttpHead, RefusesWhatIsNoHttp) {
  for (const char* text :
       {"", "SSH-2.0-OpenSSH", "HTTP/2 200", "HTTP/1.1 20x OK", "HTTP/1.1 099 No", "HTTP/1.1 2000",
        "HTTP/1.1 -20 OK", "HTTP/1.1 200 OK\r\nno colon", "HTTP/1.1 200 OK\r\n: nameless",
        "HTTP/1.1 200 OK\r\na b: c", "HTTP/1.1 200 OK\r\n folded: c",
        "HTTP/1.1 200 OK\r\na: b\rc"}) {
    EXPECT_FALSE(parse_http_head(text)) << text;
  }
  EXPECT_FALSE(parse_http_head(std::string("HTTP/1.1 200 OK\r\na: \0b", 22)));
}

TEST(HttpHead, HasALimitedNumberOfHeaders) {
  std::string text = "HTTP/1.1 200 OK";
  for (std::size_t i = 0; i < most_headers; ++i) text += "\r\na: b";
  EXPECT_TRUE(parse_http_head(text));
  EXPECT_FALSE(parse_http_head(text + "\r\na: b"));
  EXPECT_FALSE(parse_http_head("HTTP/1.1 200 OK\r\na: " + std::string(most_head_bytes, 'b')));
}

Result<BodyLength> length_of(const std::string& headers, std::string_view method = "GET",
                             int status = 200) {
  return body_length_of(*parse_http_head("HTTP/1.1 " + std::to_string(status) + " OK" + headers),
                        method);
}

TEST(BodyLength, FollowsTheHeaders) {
  EXPECT_EQ(length_of("\r\nContent-Length: 7")->bytes, 7u);
  EXPECT_EQ(length_of("\r\nContent-Length: 7\r\nContent-Length: 7")->bytes, 7u);
  EXPECT_TRUE(length_of("\r\nTransfer-Encoding: Chunked")->is_chunked);
  EXPECT_EQ(length_of("")->bytes, std::nullopt);
}

TEST(BodyLength, IsNoneWhereThereIsNoBody) {
  EXPECT_EQ(length_of("\r\nContent-Length: 7", "HEAD")->bytes, 0u);
  EXPECT_EQ(length_of("\r\nTransfer-Encoding: chunked", "GET", 204)->bytes, 0u);
}

TEST(BodyLength, RefusesTwoTruths) {
  EXPECT_FALSE(length_of("\r\nContent-Length: 7\r\nContent-Length: 8"));
  EXPECT_FALSE(length_of("\r\nContent-Length: 7\r\nTransfer-Encoding: chunked"));
  EXPECT_FALSE(length_of("\r\nTransfer-Encoding: gzip, chunked"));
}

TEST(BodyLength, RefusesWhatIsNoLength) {
  for (const char* length : {"-1", "+1", "1e3", "0x10", "", "99999999999999999999", "7, 7"}) {
    EXPECT_FALSE(length_of("\r\nContent-Length: " + std::string(length))) << length;
  }
}

// What chunks say when they arrive in pieces of that size; an error is its cause.
std::string dechunked(std::string_view text, std::size_t piece, std::string* rest = nullptr) {
  ChunkReader reader;
  std::string data;
  while (!text.empty() && !reader.is_done()) {
    std::string_view bytes = text.substr(0, piece);
    const std::size_t before = bytes.size();
    const Status status = reader.take(bytes, [&](std::string_view part) -> Status {
      data += part;
      return done();
    });
    if (!status) return status.error().cause;
    text.remove_prefix(before - bytes.size());
  }
  if (rest != nullptr) *rest = text;
  return reader.is_done() ? data : "not done";
}

TEST(Chunks, AreJoinedHoweverTheyArrive) {
  constexpr std::string_view text =
      "4\r\nWiki\r\n6;name=value\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nA: b\r\n\r\nHTTP";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    std::string rest;
    EXPECT_EQ(dechunked(text, piece, &rest), "Wikipedia in \r\n\r\nchunks.");
    EXPECT_EQ(rest, "HTTP");
  }
}

TEST(Chunks, WithWrongSizesAreRefused) {
  for (const char* text :
       {"x\r\n", "-1\r\nabc", "\r\nabc", "0x3\r\nabc", "11111111111111111\r\n", "3 4\r\nabc"}) {
    EXPECT_THAT(dechunked(text, 100), ::testing::HasSubstr("is no size of a chunk")) << text;
  }
  EXPECT_EQ(dechunked("3\r\nabcdef\r\n", 100), "a chunk is longer than its size");
  EXPECT_EQ(dechunked(std::string(10000, '1'), 100), "a line between chunks is too long");
  std::string endless = "0\r\n";
  for (int i = 0; i < 10000; ++i) endless += "Trailer: more\r\n";
  EXPECT_EQ(dechunked(endless, 4096), "its trailers are too long");
}

TEST(Chunks, ThatEndEarlyAreNotDone) {
  EXPECT_EQ(dechunked("5\r\nabc", 100), "not done");
  EXPECT_EQ(dechunked("3\r\nabc\r\n0\r\n", 100), "not done");
}

}  // namespace
}  // namespace hone
