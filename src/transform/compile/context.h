#pragma once
// What a compiled model holds, and whether it fits this machine.

#include <vector>

#include "model/model.h"
#include "record/compile.h"

namespace hone {

// The EPContext nodes of a model; none: it is not compiled. Blobs are looked for beside the model's
// source, and never outside of its folder.
Result<std::vector<ContextNode>> read_contexts(const Model& model);

// The SHA-256 of the canonical form.
std::string key_of(const CompileIdentity& identity);

// The identity travels in the model's metadata.
void store_identity(const CompileIdentity& identity, Model& model);
std::optional<CompileIdentity> stored_identity(const Model& model);

// What a compiled model says against what is here. The source is not compared: it may be elsewhere.
ContextCheck check_context(const Model& model, const CompileIdentity& here);

}  // namespace hone
