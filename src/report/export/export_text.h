#pragma once
// What was exported, for people.

#include <string>

#include "record/export.h"
#include "report/style.h"

namespace hone {

// `explains`: which switches decided what was written, and what was left over.
std::string describe_export(const ExportResult& made, const Style& style, bool explains);

}  // namespace hone
