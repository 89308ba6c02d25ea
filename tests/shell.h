#pragma once
// Command lines as a person types them, with the program that was just built first in the PATH;
// with $HONE_PROGRAM that one instead, so that what users get can be held to the same words.

#include <string>

#include "base/file.h"
#include "base/process.h"

namespace hone {

// No terminal, no colours, English messages, two minutes at most.
Result<ProcessEnd> run_in_shell(const std::string& command, const Path& folder);

}  // namespace hone
