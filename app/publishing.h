#pragma once
// What publishers need of the environment: whom to trust, which way to go, and who we are.

#include "catalog/publisher.h"

namespace hone::app {

// SSL_CERT_FILE and SSL_CERT_DIR; https_proxy (else all_proxy) and no_proxy, in small or in capital
// letters; DOCKER_CONFIG (else ~/.docker) and HONE_REGISTRY_TOKEN. There is no http_proxy: plain
// HTTP does not leave the machine.
PublisherSettings publisher_settings();

}  // namespace hone::app
