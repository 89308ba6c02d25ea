#include "base/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/server_for_tests.h"

namespace hone {
namespace {

using testing::answering;
using ::testing::HasSubstr;
using testing::Peer;
using testing::response;
using testing::ServedRequest;
using testing::TestServer;

HttpClient impatient_client() {
  HttpSettings settings;
  settings.connect = std::chrono::milliseconds(2000);
  settings.silence = std::chrono::milliseconds(300);
  return HttpClient(settings);
}

HttpRequest get(const TestServer& server, const std::string& target = "/") {
  HttpRequest request;
  request.url = *parse_url("http://" + server.address() + target);
  return request;
}

// What the client makes of these bytes, after which the connection ends.
Result<HttpResponse> hear(std::string bytes) {
  const TestServer server([bytes](Peer& peer) {
    peer.next_request();
    peer.write(bytes);
  });
  return impatient_client().send(get(server));
}

TEST(Http, AsksAndIsAnswered) {
  const TestServer server(answering([](const ServedRequest& request) {
    return response(
        200, request.method + " " + request.target + " " + std::string(request.headers.at("host")));
  }));
  const auto answer = impatient_client().send(get(server, "/a?b=c"));
  ASSERT_TRUE(answer) << answer.error().cause;
  EXPECT_EQ(answer->body, "GET /a?b=c " + server.address());
}

TEST(Http, UsesAConnectionAgain) {
  const TestServer server(answering([](const auto&) { return response(200, "ok"); }));
  HttpClient client = impatient_client();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(client.send(get(server)));
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http, OpensAnotherConnectionWhereTheServerClosedTheFirst) {
  const TestServer server([](Peer& peer) {
    if (peer.next_request()) peer.write(response(200, "ok"));
  });
  HttpClient client = impatient_client();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.send(get(server)));
  EXPECT_EQ(server.connections(), 3);
}

TEST(Http, SendsARangeOfAFile) {
  const auto folder = TemporaryFolder::create("http");
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i % 251);
  ASSERT_TRUE(write_file(folder->path() / "file", bytes));
  const TestServer server(
      answering([](const ServedRequest& request) { return response(200, request.body); }));
  HttpRequest request = get(server);
  request.method = "PUT";
  request.body = FileRange{folder->path() / "file", 17, 290'000};
  std::uint64_t sent = 0;
  request.on_sent = [&](std::uint64_t count) { sent += count; };
  const auto answer = impatient_client().send(request);
  ASSERT_TRUE(answer) << answer.error().cause;
  EXPECT_EQ(answer->body, bytes.substr(17, 290'000));
  EXPECT_EQ(sent, 290'000u);
}

TEST(Http, SaysSoWhenTheFileIsShorterThanWhatShouldBeSent) {
  const auto folder = TemporaryFolder::create("http");
  ASSERT_TRUE(write_file(folder->path() / "file", "short"));
  const TestServer server(answering([](const auto&) { return response(200); }));
  HttpRequest request = get(server);
  request.method = "PUT";
  request.body = FileRange{folder->path() / "file", 0, 100};
  const auto answer = impatient_client().send(request);
  ASSERT_FALSE(answer);
  EXPECT_FALSE(is_transient(answer.error()));
  EXPECT_THAT(answer.error().cause, HasSubstr("became shorter"));
}

TEST(Http, HearsARefusalThatComesBeforeAllWasSent) {
  const auto folder = TemporaryFolder::create("http");
  ASSERT_TRUE(write_file(folder->path() / "file", std::string(32 << 20, 'x')));
  const TestServer server([](Peer& peer) {
    peer.read(100);
    peer.write(response(401, "no"));
    // What is still on its way must not become a reset that swallows the answer.
    while (!peer.read(1 << 20).empty()) {
    }
  });
  HttpRequest request = get(server);
  request.method = "PUT";
  request.body = FileRange{folder->path() / "file", 0, 32 << 20};
  const auto answer = impatient_client().send(request);
  ASSERT_TRUE(answer) << answer.error().cause;
  EXPECT_EQ(answer->status, 401);
}

// What the sink was handed.
Result<std::string> sunk(const std::string& answer) {
  const TestServer server(answering([&](const auto&) { return answer; }));
  std::string bytes;
  HttpRequest request = get(server);
  request.sink = [&](std::string_view piece) -> Status {
    bytes += piece;
    return done();
  };
  HONE_TRY_DO(impatient_client().send(request));
  return bytes;
}

TEST(Http, HandsABodyOnAsItComes) {
  EXPECT_EQ(
      *sunk("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            "4\r\nWiki\r\n6;name=value\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nA: b\r\n\r\n"),
      "Wikipedia in \r\n\r\nchunks.");
  EXPECT_EQ(*sunk(response(200, "whole")), "whole");
}

TEST(Http, HandsNoErrorPageOn) { EXPECT_EQ(*sunk(response(404, "not here")), ""); }

TEST(Http, ShowsTheHeadOfASuccessBeforeItsBody) {
  const TestServer server(answering([](const ServedRequest& request) {
    if (request.target == "/moved") return response(302, "there", "Location: /part\r\n");
    return response(request.target == "/part" ? 206 : 404, "bytes");
  }));
  std::vector<std::string> seen;
  HttpRequest request = get(server);
  request.redirects = 1;
  request.on_head = [&](const HttpHead& head) -> Status {
    seen.push_back(std::to_string(head.status));
    return done();
  };
  request.sink = [&](std::string_view bytes) -> Status {
    seen.emplace_back(bytes);
    return done();
  };
  request.url.target = "/moved";
  EXPECT_TRUE(impatient_client().send(request));
  request.url.target = "/nothing";
  EXPECT_TRUE(impatient_client().send(request));
  EXPECT_EQ(seen, (std::vector<std::string>{"206", "bytes"}));
  request.url.target = "/part";
  request.on_head = [](const HttpHead&) { return Status(fail(Fault::runtime, "not this part")); };
  EXPECT_FALSE(impatient_client().send(request));
  EXPECT_EQ(seen.size(), 2U);
}

TEST(Http, EndsWhereTheSinkCannotGoOn) {
  const TestServer server(answering([](const auto&) { return response(200, "bytes"); }));
  HttpRequest request = get(server);
  request.sink = [](std::string_view) -> Status {
    return fail(Fault::runtime, "the disk is full");
  };
  const auto answer = impatient_client().send(request);
  ASSERT_FALSE(answer);
  EXPECT_FALSE(is_transient(answer.error()));
  EXPECT_THAT(answer.error().cause, HasSubstr("the disk is full"));
}

TEST(Http, CallsACutTransient) {
  for (const char* bytes :
       {"", "HTTP/1.1 200 OK\r\nConte", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"}) {
    const auto answer = hear(bytes);
    ASSERT_FALSE(answer) << bytes;
    EXPECT_TRUE(is_transient(answer.error())) << answer.error().cause;
  }
}

TEST(Http, CallsASilentServerTransient) {
  const TestServer server([](Peer& peer) {
    while (!peer.read(100).empty()) {
    }
  });
  const auto answer = impatient_client().send(get(server));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::timeout);
}

TEST(Http, KeepsItsDeadlineWithAServerThatDrips) {
  const TestServer server([](Peer& peer) {
    peer.next_request();
    peer.write("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.write("a")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  HttpRequest request = get(server);
  request.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(150);
  const auto answer = impatient_client().send(request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::timeout);
}

TEST(Http, SaysWhenNobodyListens) {
  std::string address;
  {
    address = TestServer([](Peer&) {}).address();
  }
  HttpRequest request;
  request.url = *parse_url("http://" + address);
  const auto answer = impatient_client().send(request);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(is_transient(answer.error()));
  EXPECT_THAT(answer.error().cause, HasSubstr("Connection refused"));
}

TEST(Http, EndsEndlessHeaders) {
  const TestServer server([](Peer& peer) {
    peer.next_request();
    peer.write("HTTP/1.1 200 OK\r\n");
    while (peer.write("X-More: " + std::string(1000, 'x') + "\r\n")) {
    }
  });
  const auto answer = impatient_client().send(get(server));
  ASSERT_FALSE(answer);
  EXPECT_FALSE(is_transient(answer.error()));
  EXPECT_THAT(answer.error().cause, HasSubstr("its headers are too long"));
}

TEST(Http, EndsEndlessInterimAnswers) {
  const TestServer server([](Peer& peer) {
    peer.next_request();
    while (peer.write("HTTP/1.1 100 Continue\r\n\r\n")) {
    }
  });
  EXPECT_THAT(impatient_client().send(get(server)).error().cause, HasSubstr("announcing"));
}

TEST(Http, RefusesABodyBeyondItsLimit) {
  const TestServer server([](Peer& peer) {
    peer.next_request();
    peer.write("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.write(std::string(65536, 'x'))) {
    }
  });
  HttpRequest request = get(server);
  request.most_bytes = 1 << 20;
  const auto answer = impatient_client().send(request);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().cause, HasSubstr("too long"));
}

TEST(Http, EndsEndlessTrailers) {
  const TestServer server([](Peer& peer) {
    peer.next_request();
    peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n");
    while (peer.write("Trailer: " + std::string(1000, 'x') + "\r\n")) {
    }
  });
  const auto answer = impatient_client().send(get(server));
  ASSERT_FALSE(answer);
  EXPECT_FALSE(is_transient(answer.error()));
}

TEST(Http, EndsALineOfAHeadThatDoesNot) {
  const TestServer server([](Peer& peer) {
    peer.next_request();
    peer.write("HTTP/1.1 200 OK\r\nX-More: ");
    while (peer.write(std::string(65536, 'x'))) {
    }
  });
  const auto answer = impatient_client().send(get(server));
  ASSERT_FALSE(answer);
  EXPECT_FALSE(is_transient(answer.error()));
}

TEST(Http, RefusesBadChunksAndGarbage) {
  for (const char* bytes :
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11111111111111111\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab",
        "HTTP/1.1 200 OK\r\na: b\rc\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "SSH-2.0-OpenSSH_9\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nab"}) {
    const auto answer = hear(bytes);
    ASSERT_FALSE(answer) << bytes;
    EXPECT_FALSE(is_transient(answer.error())) << bytes;
  }
}

TEST(Http, DoesNotFollowARedirectUnasked) {
  const auto answer = hear(response(302, "", "Location: /elsewhere\r\n"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 302);
}

TEST(Http, FollowsRedirectsWithoutTakingCredentialsToAnotherHost) {
  std::string seen_elsewhere = "never asked";
  const TestServer elsewhere(answering([&](const ServedRequest& request) {
    seen_elsewhere = request.headers.contains("authorization") ? "credentials" : "none";
    return response(200, "the blob");
  }));
  std::vector<std::string> seen_at_home;
  const TestServer home(answering([&](const ServedRequest& request) {
    seen_at_home.push_back(request.headers.at("authorization"));
    return response(307, "",
                    request.target == "/"
                        ? "Location: /second\r\n"
                        : "Location: http://" + elsewhere.address() + "/blob\r\n");
  }));
  HttpRequest request = get(home);
  request.authorization = "Bearer secret";
  request.redirects = 3;
  const auto answer = impatient_client().send(request);
  ASSERT_TRUE(answer) << answer.error().cause;
  EXPECT_EQ(answer->body, "the blob");
  EXPECT_THAT(seen_at_home, ::testing::ElementsAre("Bearer secret", "Bearer secret"));
  EXPECT_EQ(seen_elsewhere, "none");
}

TEST(Http, FollowsNoCircle) {
  const TestServer server(
      answering([](const auto&) { return response(302, "", "Location: /again\r\n"); }));
  HttpRequest request = get(server);
  request.redirects = 5;
  EXPECT_THAT(impatient_client().send(request).error().cause, HasSubstr("from place to place"));
}

TEST(Http, RefusesPlainHttpToAnotherMachine) {
  HttpRequest request;
  request.url = *parse_url("http://registry.example/v2/");
  const auto answer = impatient_client().send(request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::bad_input);
  EXPECT_THAT(answer.error().what, HasSubstr("plain HTTP to 'registry.example' is refused"));
}

TEST(Http, NeedsNoOtherMachineForPlainHttp) {
  // A proxy that refuses all: it is not asked.
  const TestServer proxy(answering([](const auto&) { return response(403); }));
  const TestServer server(answering([](const auto&) { return response(200, "direct"); }));
  HttpSettings settings;
  settings.proxy.address = "http://" + proxy.address();
  EXPECT_EQ(HttpClient(settings).send(get(server))->body, "direct");
  EXPECT_EQ(proxy.connections(), 0);
}

TEST(Http, AsksForWhatTheUrlSaysAndNothingElse) {
  const TestServer server(
      answering([](const ServedRequest& request) { return response(200, request.target); }));
  EXPECT_EQ(impatient_client().send(get(server, "/v2/../a//b/./c?d=%2e&e"))->body,
            "/v2/../a//b/./c?d=%2e&e");
}

TEST(Http, SendsABodyOnceEvenWhereTheConnectionWasKept) {
  // The second request finds the connection open, and closed once it was sent.
  const TestServer server([](Peer& peer) {
    if (peer.next_request()) peer.write(response(200));
    peer.next_request();
  });
  HttpClient client = impatient_client();
  ASSERT_TRUE(client.send(get(server)));
  HttpRequest request = get(server);
  request.method = "PATCH";
  request.body = std::string("a chunk");
  const auto answer = client.send(request);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(is_transient(answer.error())) << answer.error().cause;
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http, SmugglesNoLineIntoARequest) {
  const TestServer server(answering([](const auto&) { return response(200); }));
  HttpRequest request = get(server);
  request.authorization = "Bearer x\r\nX-Evil: 1";
  EXPECT_EQ(impatient_client().send(request).error().fault, Fault::bad_input);
}

}  // namespace
}  // namespace hone
