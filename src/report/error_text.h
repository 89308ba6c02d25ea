#pragma once
// An error for people.

#include <string>

#include "base/result.h"

namespace hone {

// What stands behind "error:", each line with its newline:
//    cannot read 'model.onnx'
//     No such file or directory
//     try: ...
std::string describe_error(const Error& error);

}  // namespace hone
