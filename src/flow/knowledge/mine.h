#pragma once
// Reads what a build left in its folder, for a draft of a finding.

#include <string>

#include "base/file.h"
#include "knowledge/family_draft.h"

namespace hone {

// `perf` is a result of `hone perf` that tells the placement; empty: perf.json of the folder, where
// there is one.
Result<BuildRemains> read_remains(const Path& folder, const std::string& perf);

// A file as evidence: its name and hash.
Result<ModelEvidence> evidence_of(const Path& file);

}  // namespace hone
