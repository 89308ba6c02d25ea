#pragma once
// The files of a command that writes reports and reads models.

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace hone::app {

// Refused before any work: a file that is there already (unless it may be replaced), one path for
// two outputs, and a path that is read. Empty ones are not asked for.
Status check_outputs(const std::vector<std::string>& outputs, bool overwrite,
                     const std::vector<std::string>& inputs);

// The document in the file that was asked for; empty: none was.
Status write_report(const std::string& file, const Json& document);

}  // namespace hone::app
