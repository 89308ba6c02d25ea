#pragma once
// Files of what is known of families of models, checked: each by itself, and beside the version
// before, which it may only add to.

#include <string>
#include <vector>

#include "base/file.h"
#include "record/knowledge.h"

namespace hone {

struct FamilyCheckOrder {
  std::vector<std::string> paths;  // files and folders; none: what is shipped, and the user's own
  std::string against;             // the version before, a file or folder; empty: what is shipped
  Path folder;
};
Result<KnowledgeCheck> check_families(const FamilyCheckOrder& order);

}  // namespace hone
