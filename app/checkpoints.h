#pragma once
// Models that are checkpoints: exported before the command begins, with a line that says so. The
// flows find them in the cache then.

#include <string>
#include <vector>

#include "app/call.h"
#include "base/result.h"

namespace hone::app {

Status export_checkpoints(const std::vector<std::string>& models, const Call& call);

}  // namespace hone::app
