#include "knowledge/store.h"

#include <algorithm>

#include "base/folder.h"
#include "base/text.h"
#include "knowledge/check.h"
#include "knowledge/lifecycle.h"

namespace hone {
namespace {

constexpr std::uint64_t largest_file = 16 << 20;

Result<std::vector<Path>> json_files_of(const Path& folder) {
  const auto entries = list_folder(folder);
  if (!entries) {
    return fail(Fault::io, "cannot read the findings in '" + folder.string() + "'",
                entries.error().cause, "--kb takes a folder of findings (ID.json)");
  }
  std::vector<Path> paths;
  for (const FolderEntry& entry : *entries) {
    // What begins with a dot is a write that was not finished.
    const bool is_hidden = entry.name.starts_with('.');
    if (!is_hidden && entry.path.extension() == ".json") paths.push_back(entry.path);
  }
  return paths;
}

// Not the base's read_file alone: a finding of another name would be written beside, not over it.
Result<Finding> read_own(const Path& path) {
  HONE_TRY(const std::string text, read_file(path, largest_file));
  HONE_TRY(std::vector<Finding> findings, read_findings(path.string(), text));
  const bool is_alone = findings.size() == 1 && findings.front().id == path.stem().string();
  if (is_alone) return std::move(findings.front());
  return fail(Fault::bad_input, "'" + path.string() + "' is no file of a knowledge folder",
              "it must hold one finding, with the id '" + path.stem().string() + "'",
              "keep it elsewhere, and `hone kb import` it");
}

Result<std::vector<StoredFinding>> load_own(const std::optional<Path>& folder) {
  std::vector<StoredFinding> own;
  std::error_code error;
  if (!folder || !std::filesystem::exists(*folder, error)) return own;
  HONE_TRY(const std::vector<Path> paths, json_files_of(*folder));
  for (const Path& path : paths) {
    HONE_TRY(Finding finding, read_own(path));
    own.push_back({std::move(finding), path, false});
  }
  return own;
}

Result<std::vector<StoredFinding>> load_shipped() {
  std::vector<StoredFinding> shipped;
  for (const EmbeddedFile& file : embedded_findings()) {
    HONE_TRY(std::vector<Finding> findings, read_findings(file.name, file.text));
    for (Finding& finding : findings) shipped.push_back({std::move(finding), {}, false});
  }
  return shipped;
}

std::string id_of(const StoredFinding& stored) { return stored.finding.id; }

bool goes_on(const std::vector<FindingEvent>& before, const std::vector<FindingEvent>& after) {
  return after.size() >= before.size() && std::equal(before.begin(), before.end(), after.begin());
}

Status check_history(const Path& path, const Finding& finding) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return done();
  HONE_TRY(const Finding before, read_own(path));
  if (goes_on(before.history, finding.history)) return done();
  return fail(Fault::bad_input, "cannot replace '" + path.string() + "'",
              "the history of the new one does not go on where that of the old one ends",
              "another hone may have changed it meanwhile: do it again");
}

}  // namespace

Result<std::vector<StoredFinding>> load_stored(const std::optional<Path>& user_folder) {
  HONE_TRY(std::vector<StoredFinding> all, load_shipped());
  HONE_TRY(std::vector<StoredFinding> own, load_own(user_folder));
  for (StoredFinding& stored : own) {
    const auto shipped = std::ranges::find(all, stored.finding.id, id_of);
    if (shipped == all.end()) {
      all.push_back(std::move(stored));
    } else {
      stored.replaces_shipped = true;
      *shipped = std::move(stored);
    }
  }
  return all;
}

Result<std::vector<Finding>> load_knowledge(const std::optional<Path>& user_folder) {
  HONE_TRY(std::vector<StoredFinding> stored, load_stored(user_folder));
  std::vector<Finding> findings;
  for (StoredFinding& one : stored) findings.push_back(std::move(one.finding));
  return findings;
}

Result<std::vector<FindingSource>> read_sources(const Path& path) {
  std::vector<Path> paths = {path};
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    HONE_TRY(paths, json_files_of(path));
    // It stands beside the findings it describes.
    std::erase_if(paths, [](const Path& one) { return one.filename() == "schema.json"; });
  }
  std::vector<FindingSource> sources;
  for (const Path& one : paths) {
    HONE_TRY(std::string text, read_file(one, largest_file));
    sources.push_back({one.string(), std::move(text)});
  }
  return sources;
}

Result<const StoredFinding*> find_finding(std::span<const StoredFinding> findings,
                                          std::string_view id) {
  const auto found = std::ranges::find(findings, id, id_of);
  if (found != findings.end()) return &*found;
  std::vector<std::string> ids;
  for (const StoredFinding& stored : findings) ids.push_back(stored.finding.id);
  const std::string meant = nearest(id, ids);
  return fail(Fault::not_found, "there is no finding '" + printable(id) + "'", {},
              meant.empty() ? "hone kb list" : "did you mean '" + meant + "'?");
}

std::vector<Finding> reopened(std::span<const StoredFinding> stored, std::span<const Finding> seen,
                              const std::string& at) {
  std::vector<Finding> open;
  for (const StoredFinding& one : stored) {
    if (one.finding.status != FindingStatus::confirmed) continue;
    Finding finding = one.finding;
    for (const Finding& against : seen) finding = contradicted(std::move(finding), against, at);
    if (finding.status != FindingStatus::confirmed) open.push_back(std::move(finding));
  }
  return open;
}

Result<Finding> promoted_among(std::span<const StoredFinding> stored, std::string_view id,
                               const std::string& at) {
  HONE_TRY(const StoredFinding* found, find_finding(stored, id));
  Finding finding = found->finding;
  for (const StoredFinding& other : stored)
    finding = contradicted(std::move(finding), other.finding, at);
  return promoted(std::move(finding), at);
}

Result<Path> save_finding(const Path& folder, const Finding& finding) {
  const std::vector<std::string> problems = problems_of(finding);
  if (!problems.empty()) {
    return fail(Fault::bad_input, "cannot keep the finding '" + printable(finding.id) + "'",
                join(problems, "\n"), "docs/knowledge.md describes the format");
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return fail(Fault::io, "cannot make the folder '" + folder.string() + "'", error.message());
  }
  const Path path = folder / (finding.id + ".json");
  HONE_TRY_DO(check_history(path, finding));
  HONE_TRY(AtomicFile file, AtomicFile::create(path));
  HONE_TRY_DO(file.append(write_findings(std::span(&finding, 1))));
  HONE_TRY_DO(file.commit(Durability::disk));
  return path;
}

}  // namespace hone
