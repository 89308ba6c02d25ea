#include "app/publishing.h"

#include <cstdlib>

namespace hone::app {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
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
  settings.docker_config = docker_folder();
  settings.token = environment("HONE_REGISTRY_TOKEN");
  return settings;
}

}  // namespace hone::app
