#include "flow/version.h"

namespace hone {

std::string version_number() { return HONE_VERSION; }

}  // namespace hone
