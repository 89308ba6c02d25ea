#include "flow/search/champion.h"

#include "base/folder.h"
#include "base/replace_folder.h"
#include "pipeline/build.h"

namespace hone {
namespace {

// Of a champion that is made, and of one that goes.
constexpr auto leaving_name = ".champion.new";

Failure cannot_keep(const Path& place, std::string cause) {
  return fail(Fault::io, "cannot keep the champion in '" + place.string() + "'", std::move(cause));
}

Status copy_files(const Path& from, const Path& to) {
  HONE_TRY(const std::vector<Path> files, files_in(from));
  std::error_code problem;
  for (const Path& file : files) {
    std::filesystem::copy_file(file, to / file.filename(), problem);
    if (problem) return fail(Fault::io, "cannot copy '" + file.string() + "'", problem.message());
  }
  return done();
}

}  // namespace

Path champion_of(const Path& folder) { return folder / "champion"; }

Status keep_champion(const Path& build, const Path& folder, const std::string& sha256) {
  const Path place = champion_of(folder);
  const Path fresh = folder / leaving_name;
  std::error_code problem;
  std::filesystem::remove_all(fresh, problem);
  std::filesystem::create_directories(fresh, problem);
  if (problem) return cannot_keep(place, problem.message());
  const Status copied = copy_files(build, fresh);
  if (!copied) return cannot_keep(place, copied.error().what + ": " + copied.error().cause);
  const auto hash = hash_of_model_files(fresh / "model.onnx");
  if (!hash || *hash != sha256)
    return fail(Fault::io, "the copy of the champion is not what was measured", place.string());
  return replace_folder(fresh, place);
}

Status drop_champion(const Path& folder) {
  const Path champion = champion_of(folder);
  const Status dropped = drop_folder(champion, folder / leaving_name);
  if (dropped) return done();
  return fail(Fault::io, "cannot remove the champion of an earlier search", dropped.error().cause,
              "remove '" + champion.string() + "': the baseline ships");
}

}  // namespace hone
