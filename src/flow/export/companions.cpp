#include "flow/export/companions.h"

#include <algorithm>
#include <array>

#include "base/folder.h"

namespace hone {
namespace {

// Vocabularies are some MB; the largest of published ones has 35.
constexpr std::uint64_t most_bytes = std::uint64_t{128} << 20;

constexpr auto endings = std::to_array<std::string_view>(
    {".json", ".txt", ".model", ".spm", ".jinja", ".bpe", ".codes", ".tiktoken"});

bool is_companion(const std::string& name) {
  const bool is_index = name.ends_with(".index.json");
  return !is_index && !name.starts_with('.') &&
         std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); });
}

}  // namespace

Result<std::vector<std::string>> copy_companions(const Path& checkpoint, const Path& folder) {
  HONE_TRY(const std::vector<FolderEntry> entries, list_folder(checkpoint));
  std::vector<std::string> names;
  for (const FolderEntry& entry : entries) {
    if (!entry.is_file() || !is_companion(entry.name)) continue;
    HONE_TRY(const std::uint64_t bytes, size_of_file(entry.path));
    if (bytes > most_bytes) continue;
    HONE_TRY_DO(clone_file(entry.path, folder / entry.name));
    names.push_back(entry.name);
  }
  return names;
}

}  // namespace hone
