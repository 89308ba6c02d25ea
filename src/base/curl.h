#pragma once
// libcurl, loaded when the first request is made and never linked (ARCHITECTURE.md, decision 13).
// Private to base.
//
// Its rules, and how they are kept: it is set up once, before any handle, by whichever thread comes
// first. A handle belongs to one thread at a time, as HttpClient says of itself. It raises no
// signal and waits for none. A child of ours always becomes another program, so that no handle is
// used on both sides of a fork; sockets are closed on the way.

#include <curl/curl.h>

#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace hone {

struct Curl {
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_reset) easy_reset = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_perform) easy_perform = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
};

// Of the first of these libraries that is there, set up.
Result<Curl> load_curl(std::span<const std::string> names);

// That of this machine, the same for everybody.
Result<const Curl*> this_curl();

}  // namespace hone
