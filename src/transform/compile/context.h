#pragma once
// What a compiled model holds, and whether it fits this machine.

#include <vector>

#include "model/model.h"
#include "record/compile.h"

namespace hone {

// The EPContext nodes of a model; none: it is not compiled. Blobs are looked for beside the model's
// source, and never outside of its folder.
Result<std::vector<ContextNode>> read_contexts(const Model& model);

// The name of a blob beside a model: "bert.0123456789abcdef.bin", after the model and its own
// bytes.
std::string blob_name(const std::string& stem, const std::string& sha256,
                      const std::string& extension);

// Removes the blobs that have this model's name and that no model of its folder reads: of models
// that it replaced, and of one that was killed before it had its place.
void remove_unused_blobs(const Path& output);

// The SHA-256 of the canonical form.
std::string key_of(const CompileIdentity& identity);

// The identity travels in the model's metadata.
void store_identity(const CompileIdentity& identity, Model& model);
std::optional<CompileIdentity> stored_identity(const Model& model);

// What a compiled model says against what is here. The source is not compared: it may be elsewhere.
ContextCheck check_context(const Model& model, const CompileIdentity& here);

}  // namespace hone
