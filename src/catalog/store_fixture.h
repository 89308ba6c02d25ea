#pragma once
// A store in a folder of its own, and files to put into it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/hash.h"
#include "catalog/store.h"

namespace hone {

// Root may read and write everything. While this lives, a test that runs as root is another user.
class AsNobody {
 public:
  AsNobody() {
    if (::geteuid() == 0) is_on_ = ::seteuid(65534) == 0;
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() {
    if (!is_on_) return;
    EXPECT_EQ(::seteuid(0), 0);
  }

 private:
  bool is_on_ = false;
};

class StoreTest : public testing::Test {
 protected:
  const Path& folder() const { return folder_.path(); }
  Path root() const { return folder() / "store"; }
  ContentStore open() const {
    auto store = ContentStore::open(root());
    EXPECT_TRUE(store) << store.error().what << ": " << store.error().cause;
    return std::move(store).value();
  }
  Path file(const std::string& name, const std::string& bytes) const {
    const Path path = folder() / name;
    EXPECT_TRUE(write_file(path, bytes));
    return path;
  }
  static HeldFile held(const std::string& path, const StoredBlob& blob) {
    return {path, blob.sha256, blob.bytes};
  }
  Path blob_of(const std::string& bytes) const {
    const std::string hash = sha256(bytes).hex();
    return root() / "blobs/sha256" / hash.substr(0, 2) / hash;
  }
  // As somebody with the rights of root could.
  static void damage(const Path& blob, const std::string& bytes) {
    ::chmod(blob.c_str(), 0644);
    const int descriptor = ::open(blob.c_str(), O_WRONLY | O_TRUNC);
    EXPECT_EQ(::write(descriptor, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(descriptor);
    ::chmod(blob.c_str(), 0444);
  }
  static FileFacts facts(const Path& path) {
    const auto found = facts_of(path);
    EXPECT_TRUE(found && *found) << path;
    return found && *found ? **found : FileFacts();
  }
  static std::size_t files_in(const Path& path) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
  }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::create("store");
};

}  // namespace hone
