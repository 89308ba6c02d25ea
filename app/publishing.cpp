#include "app/publishing.h"

#include <cstdlib>

namespace hone::app {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The first of these that is set, in the order in which curl looks.
std::string first_of(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = environment(name); !value.empty()) return value;
  return {};
}

Path docker_folder() {
  if (const std::string own = environment("DOCKER_CONFIG"); !own.empty()) return own;
  const std::string home = environment("HOME");
  return home.empty() ? Path() : Path(home) / ".docker";
}

}  // namespace

PublisherSettings publisher_settings() {
  PublisherSettings settings;
  settings.trust = {.file = environment("SSL_CERT_FILE"), .folder = environment("SSL_CERT_DIR")};
  settings.proxy = {.address = first_of({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}),
                    .except = first_of({"no_proxy", "NO_PROXY"})};
  settings.docker_config = docker_folder();
  settings.token = environment("HONE_REGISTRY_TOKEN");
  return settings;
}

}  // namespace hone::app
