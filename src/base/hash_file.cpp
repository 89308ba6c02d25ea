#include "base/hash_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <thread>

#include "base/descriptor.h"
#include "base/file_inside.h"
#include "base/folder.h"

namespace hone {
namespace {

// Large enough that system calls do not count, small enough to stay in the cache between read and
// hash.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

Failure cannot_read(const Path& path, int error_number) {
  const bool is_missing = error_number == ENOENT || error_number == ENOTDIR;
  return fail(is_missing ? Fault::not_found : Fault::io, "cannot read '" + path.string() + "'",
              system_message(error_number));
}

Result<Digest> hash_of_open_file(const Path& path, const Descriptor& file,
                                 const HashedBytes& hashed) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return cannot_read(path, errno);
  if (!S_ISREG(facts.st_mode)) {
    return fail(Fault::bad_input, "cannot read '" + path.string() + "': it is not a regular file");
  }
  return hash_of_descriptor(file.get(), path, hashed);
}

Result<Digest> hash_counting(const Path& path, const HashedBytes& hashed) {
  // O_NONBLOCK: a pipe nobody writes to must be refused, not waited for.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return cannot_read(path, errno);
  return hash_of_open_file(path, file, hashed);
}

std::uint64_t total_size(const std::vector<Path>& paths) {
  std::uint64_t total = 0;
  for (const Path& path : paths) total += size_of_file(path).value_or(0);
  return total;
}

}  // namespace

Result<Digest> hash_of_descriptor(int descriptor, const Path& path, const HashedBytes& hashed) {
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  const auto piece = std::make_unique_for_overwrite<char[]>(piece_bytes);
  Sha256 hash;
  while (true) {
    const ssize_t count = ::read(descriptor, piece.get(), piece_bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(path, errno);
    if (count == 0) return hash.finish();
    hash.add({piece.get(), static_cast<std::size_t>(count)});
    if (hashed) hashed(static_cast<std::uint64_t>(count));
  }
}

Result<Digest> hash_of_file(const Path& path) { return hash_counting(path, {}); }

Result<Digest> hash_of_file_inside(const Path& folder, const Path& relative) {
  HONE_TRY(const Descriptor file, open_file_inside(folder, relative));
  return hash_of_open_file(folder / relative, file, {});
}

std::vector<Result<Digest>> hash_of_files(const std::vector<Path>& paths,
                                          const ByteProgress& progress) {
  std::vector<Result<Digest>> digests(paths.size(), Digest());
  std::atomic<std::size_t> next{0};
  std::mutex telling;
  std::uint64_t done_bytes = 0;
  const std::uint64_t total = progress ? total_size(paths) : 0;
  const HashedBytes hashed = [&](std::uint64_t bytes) {
    const std::lock_guard one_at_a_time(telling);
    progress(done_bytes += bytes, total);
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) {
      digests[i] = hash_counting(paths[i], progress ? hashed : HashedBytes());
    }
  };
  const std::size_t cpus = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(cpus, paths.size()); ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  return digests;
}

Status add_files(Sha256& hash, const std::vector<Path>& files) {
  for (const Result<Digest>& digest : hash_of_files(files)) {
    if (!digest) return fail(digest.error());
    hash.add_field(digest->view());
  }
  return done();
}

Status add_contents(Sha256& hash, const Path& file_or_folder) {
  std::error_code problem;
  if (!std::filesystem::is_directory(file_or_folder, problem))
    return add_files(hash, {file_or_folder});
  HONE_TRY(const std::vector<Path> files, files_below(file_or_folder));
  const std::vector<Result<Digest>> digests = hash_of_files(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!digests[i]) return fail(digests[i].error());
    hash.add_field(files[i].lexically_relative(file_or_folder).generic_string());
    hash.add_field(digests[i]->view());
  }
  return done();
}

}  // namespace hone
