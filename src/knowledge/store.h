#pragma once
// Where findings are kept: the shipped ones in the program, a user's own in a folder with one file
// per finding, ID.json. A user's copy of a shipped finding takes its place.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.h"
#include "base/file.h"
#include "record/finding.h"

namespace hone {

std::span<const EmbeddedFile> embedded_findings();

struct StoredFinding {
  Finding finding;
  Path file{};                    // empty: shipped
  bool replaces_shipped = false;  // a user's copy of a shipped one
  bool is_shipped() const { return file.empty(); }
};

// Shipped findings in the order of their files, then those that are only the user's, by name. A
// folder that is not there holds none.
Result<std::vector<StoredFinding>> load_stored(const std::optional<Path>& user_folder);
Result<std::vector<Finding>> load_knowledge(const std::optional<Path>& user_folder);

// The findings of a file, or of all .json files of a folder.
struct FindingSource {
  std::string name;
  std::string text;
};
Result<std::vector<FindingSource>> read_sources(const Path& path);

// The one of that id; the error names the nearest.
Result<const StoredFinding*> find_finding(std::span<const StoredFinding> findings,
                                          std::string_view id);

// What was confirmed and is open again, because one of `seen` was measured against it.
std::vector<Finding> reopened(std::span<const StoredFinding> stored, std::span<const Finding> seen,
                              const std::string& at);

// The one of that id, confirmed, or what is missing: what others were measured against it counts.
Result<Finding> promoted_among(std::span<const StoredFinding> stored, std::string_view id,
                               const std::string& at);

// Writes ID.json as a whole or not at all, and makes the folder. Refuses a finding with problems,
// and one whose history does not go on where that of the file ends: what happened stays told.
Result<Path> save_finding(const Path& folder, const Finding& finding);

}  // namespace hone
