#include "base/replace_folder.h"

#include <fcntl.h>
#include <linux/fs.h>

#include <cerrno>
#include <cstdio>

#include "base/descriptor.h"

namespace hone {
namespace {

Failure cannot(const char* what, const Path& folder, const std::string& why) {
  return fail(Fault::io, std::string("cannot ") + what + " the folder '" + folder.string() + "'",
              why);
}

Status remove_all_of(const Path& folder) {
  std::error_code problem;
  std::filesystem::remove_all(folder, problem);
  return problem ? cannot("remove", folder, problem.message()) : done();
}

}  // namespace

Status replace_folder(const Path& made, const Path& place) {
  const int exchanged =
      ::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE);
  if (exchanged == 0) return remove_all_of(made);
  const bool cannot_exchange = errno == EINVAL || errno == ENOSYS;
  if (!cannot_exchange && errno != ENOENT) return cannot("replace", place, system_message(errno));
  HONE_TRY_DO(remove_all_of(place));
  if (::rename(made.c_str(), place.c_str()) == 0) return done();
  return cannot("replace", place, system_message(errno));
}

Status drop_folder(const Path& folder, const Path& leaving) {
  HONE_TRY_DO(remove_all_of(leaving));
  if (::rename(folder.c_str(), leaving.c_str()) == 0) return remove_all_of(leaving);
  return errno == ENOENT ? done() : cannot("remove", folder, system_message(errno));
}

}  // namespace hone
