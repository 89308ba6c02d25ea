#pragma once
// Ahead-of-time compilation by an EP: a model whose compiled parts are EPContext nodes.

#include "base/file.h"
#include "base/result.h"
#include "runtime/session.h"

namespace hone {

struct CompileRequest {
  Path model;
  Path output;  // must not be there
  bool embeds = false;
};

// Fails when the EP compiles no node. An EP may crash or hang here: run it in a worker.
Status compile_model(const Runtime& runtime, const CompileRequest& request,
                     const SessionSettings& settings);

}  // namespace hone
