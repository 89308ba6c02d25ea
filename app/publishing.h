#pragma once
// What publishers need of the environment: whom to trust, and who we are.

#include "catalog/publisher.h"

namespace hone::app {

// SSL_CERT_FILE, SSL_CERT_DIR, DOCKER_CONFIG (else ~/.docker) and HONE_REGISTRY_TOKEN.
PublisherSettings publisher_settings();

}  // namespace hone::app
