#include "knowledge/family_store.h"

#include <algorithm>

#include "base/text.h"
#include "knowledge/family.h"
#include "knowledge/family_check.h"
#include "knowledge/store.h"

namespace hone {
namespace {

std::string name_of_family(const ListedFamily& listed) { return listed.knowledge.family; }

// Two names for one family would give out an id twice.
Result<FamilyKnowledge> read_named(const std::string& name, const std::string& text) {
  HONE_TRY(FamilyKnowledge knowledge, read_family(name, text));
  const std::string stem = Path(name).stem().string();
  if (knowledge.family == stem) return knowledge;
  return fail(Fault::bad_input, "cannot use the model knowledge of '" + printable(name) + "'",
              "it is of the family '" + knowledge.family + "', not of '" + printable(stem) + "'",
              "name it " + knowledge.family + ".json");
}

Result<std::vector<ListedFamily>> load_shipped() {
  std::vector<ListedFamily> shipped;
  for (const EmbeddedFile& file : embedded_families()) {
    HONE_TRY(FamilyKnowledge knowledge, read_named(std::string(file.name), std::string(file.text)));
    shipped.push_back({std::move(knowledge), std::nullopt, false});
  }
  return shipped;
}

Result<std::vector<ListedFamily>> load_own(const Path& folder) {
  std::vector<ListedFamily> own;
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return own;
  HONE_TRY(const std::vector<FindingSource> sources, read_sources(folder));
  for (const FindingSource& source : sources) {
    HONE_TRY(FamilyKnowledge knowledge, read_named(source.name, source.text));
    own.push_back({std::move(knowledge), source.name, false});
  }
  return own;
}

}  // namespace

Result<std::vector<ListedFamily>> load_families(const Path& user_folder) {
  HONE_TRY(std::vector<ListedFamily> all, load_shipped());
  HONE_TRY(std::vector<ListedFamily> own, load_own(user_folder));
  for (ListedFamily& listed : own) {
    const auto shipped = std::ranges::find(all, listed.knowledge.family, name_of_family);
    if (shipped == all.end()) {
      all.push_back(std::move(listed));
    } else {
      listed.replaces_shipped = true;
      *shipped = std::move(listed);
    }
  }
  return all;
}

Result<const ListedFamily*> find_family(std::span<const ListedFamily> families,
                                        std::string_view family) {
  const auto found = std::ranges::find(families, family, name_of_family);
  if (found != families.end()) return &*found;
  std::vector<std::string> names;
  for (const ListedFamily& listed : families) names.push_back(listed.knowledge.family);
  const std::string meant = nearest(family, names);
  return fail(Fault::not_found, "nothing is known of a family '" + printable(family) + "'", {},
              meant.empty() ? "hone kb models list" : "did you mean '" + meant + "'?");
}

Result<Path> save_family(const Path& folder, const FamilyKnowledge& knowledge) {
  const auto refuse = [&](const std::vector<std::string>& problems, std::string hint) {
    return fail(Fault::bad_input, "cannot keep the family '" + printable(knowledge.family) + "'",
                join(problems, "\n"), std::move(hint));
  };
  const std::vector<std::string> problems = problems_of(knowledge);
  if (!problems.empty()) return refuse(problems, "docs/model-knowledge.md describes the format");
  HONE_TRY(const std::vector<ListedFamily> families, load_families(folder));
  if (const auto before = find_family(families, knowledge.family)) {
    const auto rewrites = rewrites_of_history((*before)->knowledge, knowledge);
    if (!rewrites.empty()) {
      return refuse(rewrites, "another hone may have added to it meanwhile: do it again");
    }
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return fail(Fault::io, "cannot make the folder '" + folder.string() + "'", error.message());
  }
  const Path path = folder / (knowledge.family + ".json");
  HONE_TRY(AtomicFile file, AtomicFile::create(path));
  HONE_TRY_DO(file.append(write_family(knowledge)));
  HONE_TRY_DO(file.commit(Durability::disk));
  return path;
}

}  // namespace hone
