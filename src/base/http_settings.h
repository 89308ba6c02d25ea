#pragma once
// How to reach servers: whom to believe, which way to go, how long to wait. Only the program knows:
// nothing below it reads the environment, and libcurl is told not to.

#include <chrono>
#include <string>

#include "base/file.h"

namespace hone {

// The authorities whose certificates are believed. What is empty is where libcurl was built to look
// for it: where this system keeps it.
struct TrustStore {
  Path file{};    // PEM
  Path folder{};  // with OpenSSL's hashed names
};

// The way to servers that cannot be reached directly. Only what is asked over TLS takes it: plain
// HTTP does not leave this machine.
struct ProxySettings {
  std::string address{};  // "http://proxy:3128", https://, socks5h://, with a name and a password
  std::string except{};  // who is reached without it, as in no_proxy: "localhost,.example,10.0.0.1"
};

struct HttpSettings {
  TrustStore trust{};
  ProxySettings proxy{};
  std::chrono::milliseconds connect{10'000};  // until TLS is agreed on
  // Without a byte in either direction. Counted in whole seconds, and noticed a few later.
  std::chrono::milliseconds silence{60'000};
};

}  // namespace hone
