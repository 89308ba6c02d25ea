#pragma once
// What libcurl says of a transfer that came to nothing, as an error of ours. Private to base.

#include <curl/curl.h>

#include <string>

#include "base/http_settings.h"
#include "base/url.h"

namespace hone {

struct CurlProblem {
  CURLcode code = CURLE_OK;
  std::string words{};                // libcurl's own
  long system_error = 0;              // errno, where it was one
  long proxy_status = 0;              // how a proxy answered CONNECT
  curl_off_t connected_after_us = 0;  // 0: it never was
  bool is_late = false;               // the deadline is over
};

Error error_of(const CurlProblem& problem, const Url& url, const HttpSettings& settings);

}  // namespace hone
