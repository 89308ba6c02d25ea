#pragma once
// Temporary folders, for remove_unfinished_files(): whoever is interrupted leaves none behind.

#include <string>

namespace hone {

// On the list it goes with all that is in it.
void list_unfinished_folder(const std::string& path);
void forget_unfinished_folder(const std::string& path);

}  // namespace hone
