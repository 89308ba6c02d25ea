#pragma once
// What the environment says, for those files of app that read it.

#include <initializer_list>
#include <string>

#include "base/http_settings.h"

namespace hone::app {

// Empty where it is not set.
std::string environment(const char* name);
// The first of these that is set.
std::string first_of(std::initializer_list<const char*> names);

// SSL_CERT_FILE and SSL_CERT_DIR; https_proxy (else all_proxy) and no_proxy, in small or in capital
// letters. There is no http_proxy: plain HTTP does not leave the machine.
HttpSettings http_settings();

}  // namespace hone::app
