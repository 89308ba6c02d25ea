#pragma once
// Compiled models, for people.

#include <string>

#include "record/compile.h"

namespace hone {

std::string describe_compile(const CompileReport& report);
std::string describe_shared(const SharedCompileReport& shared);
std::string describe_context_check(const ContextCheck& check);

}  // namespace hone
