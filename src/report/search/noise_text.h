#pragma once
// A noise certificate, for people at a terminal.

#include <string>

#include "record/search.h"

namespace hone {

std::string describe_certificate(const NoiseCertificate& certificate);

}  // namespace hone
