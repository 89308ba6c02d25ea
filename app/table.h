#pragma once
// Text in columns, as commands print it.

#include "report/table.h"

namespace hone::app {

using text_form::Rows;
using text_form::table;

}  // namespace hone::app
