#include "app/publishing.h"

#include "app/environment.h"

namespace hone::app {
namespace {

Path docker_folder() {
  if (const std::string own = environment("DOCKER_CONFIG"); !own.empty()) return own;
  const std::string home = environment("HOME");
  return home.empty() ? Path() : Path(home) / ".docker";
}

}  // namespace

PublisherSettings publisher_settings() {
  PublisherSettings settings;
  const HttpSettings http = http_settings();
  settings.trust = http.trust;
  settings.proxy = http.proxy;
  settings.docker_config = docker_folder();
  settings.token = environment("HONE_REGISTRY_TOKEN");
  return settings;
}

}  // namespace hone::app
