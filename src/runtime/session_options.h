#pragma once
// The session options a user may set. ONNX Runtime accepts any key and ignores the ones it does not
// know, so a typing error would silently measure the default: we keep the list.

#include <map>
#include <string>

#include "base/result.h"
#include "record/system.h"
#include "runtime/runtime.h"

namespace hone {

using OptionMap = std::map<std::string, std::string>;

// Every option there is: our own short names first, then the keys of ONNX Runtime.
std::vector<SessionOption> known_session_options();

// Refuses unknown keys (with the nearest known one) and values our own keys cannot take.
Status check_session_options(const OptionMap& options);

// REQUIRES: check_session_options(options).
Status apply_session_options(const Runtime& runtime, ort::OrtSessionOptions* target,
                             const OptionMap& options);

// "k=v" words into a map; a word without '=' and a key given twice are errors.
Result<OptionMap> parse_options(const std::vector<std::string>& words, std::string_view flag);

}  // namespace hone
