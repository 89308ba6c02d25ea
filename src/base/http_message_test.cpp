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
  EXPECT_EQ(parse_http_head("HTTP/1.0 200 OK\r\nX: a\r\n\r\n")->headers.size(), 1u);
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

bool has_one_length(const std::string& headers) {
  return check_body_length(*parse_http_head("HTTP/1.1 200 OK" + headers)).has_value();
}

TEST(BodyLength, IsSaidOnceOrTwiceTheSame) {
  EXPECT_TRUE(has_one_length("\r\nContent-Length: 7"));
  EXPECT_TRUE(has_one_length("\r\nContent-Length: 7\r\nContent-Length: 7"));
  EXPECT_TRUE(has_one_length("\r\nTransfer-Encoding: Chunked"));
  EXPECT_TRUE(has_one_length(""));
}

TEST(BodyLength, IsNotTwoTruths) {
  EXPECT_FALSE(has_one_length("\r\nContent-Length: 7\r\nContent-Length: 8"));
  EXPECT_FALSE(has_one_length("\r\nContent-Length: 7\r\nTransfer-Encoding: chunked"));
  EXPECT_FALSE(has_one_length("\r\nTransfer-Encoding: gzip, chunked"));
}

TEST(BodyLength, IsANumber) {
  for (const char* length : {"-1", "+1", "1e3", "0x10", "", "99999999999999999999", "7, 7"}) {
    EXPECT_FALSE(has_one_length("\r\nContent-Length: " + std::string(length))) << length;
  }
}

}  // namespace
}  // namespace hone
