#pragma once
// How a failure reaches the user: three lines of text, a document for scripts, an exit code.

#include <string>

#include "app/call.h"
#include "app/command.h"
#include "base/json.h"
#include "base/result.h"

namespace hone::app {

ExitCode exit_code_for(Fault fault);

//   error: cannot read 'model.onnx'
//     No such file or directory
//     try: ...
std::string to_text(const Error& error, const Style& style);

// {"schema_version": 1, "error": {"fault", "what", "cause", "hint"}}; null where nothing is known.
Json to_document(const Error& error);

// Text to stderr; with --format json the document to stdout as well, so that a script always finds
// one document there.
ExitCode report(const Error& error, const Settings& settings);

}  // namespace hone::app
