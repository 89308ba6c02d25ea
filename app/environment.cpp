#include "app/environment.h"

#include <cstdlib>

namespace hone::app {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string first_of(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = environment(name); !value.empty()) return value;
  return {};
}

// In the order in which curl looks.
HttpSettings http_settings() {
  HttpSettings settings;
  settings.trust = {.file = environment("SSL_CERT_FILE"), .folder = environment("SSL_CERT_DIR")};
  settings.proxy = {.address = first_of({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}),
                    .except = first_of({"no_proxy", "NO_PROXY"})};
  return settings;
}

}  // namespace hone::app
