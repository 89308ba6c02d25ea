#pragma once
// Where the knowledge of families is kept: the shipped files in the program, a user's own in a
// folder, FAMILY.json. A user's copy of a shipped family takes its place.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.h"
#include "base/file.h"
#include "record/model_knowledge.h"

namespace hone {

std::span<const EmbeddedFile> embedded_families();

// Shipped families in the order of their files, then those that are only the user's, by name. A
// folder that is not there holds none.
Result<std::vector<ListedFamily>> load_families(const Path& user_folder);

// The one of that name; the error names the nearest.
Result<const ListedFamily*> find_family(std::span<const ListedFamily> families,
                                        std::string_view family);

// Writes FAMILY.json as a whole or not at all, and makes the folder. Refuses one with problems, and
// one that does not hold all that the file, else the shipped one of that name, holds.
Result<Path> save_family(const Path& folder, const FamilyKnowledge& knowledge);

}  // namespace hone
