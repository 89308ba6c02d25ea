#include "base/url.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Url, IsTakenApart) {
  const auto url = parse_url("https://Registry.Example:5000/v2/a?n=1#part");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->secure);
  EXPECT_EQ(url->host, "registry.example");
  EXPECT_EQ(url->port, 5000);
  EXPECT_EQ(url->target, "/v2/a?n=1");
  EXPECT_EQ(url->authority(), "registry.example:5000");
  EXPECT_EQ(url->without_query(), "https://registry.example:5000/v2/a");
}

TEST(Url, HasTheUsualPortAndPath) {
  EXPECT_EQ(parse_url("https://a")->port, 443);
  EXPECT_EQ(parse_url("http://a?x")->port, 80);
  EXPECT_EQ(parse_url("http://a?x")->target, "/?x");
  EXPECT_EQ(parse_url("http://[::1]:80/")->authority(), "[::1]");
}

TEST(Url, IsRefusedWhereItCouldMeanAnotherPlace) {
  for (const char* text :
       {"", "ftp://a", "a/b", "https://", "https:///path", "https://user@host/", "https://a:b/",
        "https://a:0/", "https://a:70000/", "https://[::1/", "https://[nonsense]/", "https://a b/",
        "https://a/ b", "https://a/\r\nHost: b", "https://-a/", "https://a\\b/"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(Url, LeadsOnFromWhereItStands) {
  const Url base = *parse_url("https://host:5000/v2/repo/list?n=1");
  EXPECT_EQ(resolve_url(base, "/other?x")->without_query(), "https://host:5000/other");
  EXPECT_EQ(resolve_url(base, "?last=a")->target, "/v2/repo/list?last=a");
  EXPECT_EQ(resolve_url(base, "more")->target, "/v2/repo/more");
  EXPECT_EQ(resolve_url(base, "https://cdn.example/blob")->host, "cdn.example");
}

TEST(Url, NeverLeadsFromTlsToPlainHttp) {
  const Url base = *parse_url("https://host/");
  EXPECT_FALSE(resolve_url(base, "http://host/"));
  EXPECT_FALSE(resolve_url(base, "http://127.0.0.1/"));
  EXPECT_FALSE(resolve_url(base, "//other/"));
  EXPECT_FALSE(resolve_url(base, ""));
  EXPECT_FALSE(resolve_url(base, "/a b"));
}

TEST(Url, TellsOriginsApart) {
  const Url base = *parse_url("https://host/a");
  EXPECT_TRUE(base.has_origin_of(*parse_url("https://HOST:443/b")));
  EXPECT_FALSE(base.has_origin_of(*parse_url("https://host:444/a")));
  EXPECT_FALSE(base.has_origin_of(*parse_url("http://host:443/a")));
  EXPECT_FALSE(base.has_origin_of(*parse_url("https://host.evil/a")));
}

TEST(Loopback, IsThisMachineAndNothingThatSoundsLikeIt) {
  for (const char* host : {"localhost", "127.0.0.1", "127.3.2.1", "::1"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"127.0.0.1.evil.example", "localhost.evil.example", "128.0.0.1",
                           "0.0.0.0", "10.0.0.1", "::2", "127.1", ""}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

TEST(PercentEncoding, LeavesNoByteThatMeansSomething) {
  EXPECT_EQ(percent_encoded("a-b_c.~9"), "a-b_c.~9");
  EXPECT_EQ(percent_encoded("sha256:a/b &?%\n\xC3"), "sha256%3Aa%2Fb%20%26%3F%25%0A%C3");
}

}  // namespace
}  // namespace hone
