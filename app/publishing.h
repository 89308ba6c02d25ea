#pragma once
// What publishers need of the environment: whom to trust, which way to go, and who we are.

#include "catalog/publisher.h"

namespace hone::app {

// The way there (app/environment.h), DOCKER_CONFIG (else ~/.docker) and HONE_REGISTRY_TOKEN.
PublisherSettings publisher_settings();

}  // namespace hone::app
