#include "base/unfinished_files.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/unfinished_folders.h"

namespace hone {
namespace {

enum State : int { empty, filling, listed };

struct Slot {
  std::atomic<int> state{empty};
  std::atomic<pid_t> owner{0};  // a child that was forked and did not start its program has none
  std::array<char, PATH_MAX> path{};
};

// A command writes one or two files at a time. What finds no slot is written all the same; only an
// interruption would leave it.
std::array<Slot, 16> slots;
std::array<Slot, 64> folders;

template <std::size_t count>
int take_slot(std::array<Slot, count>& list, const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    int expected = empty;
    if (!list[i].state.compare_exchange_strong(expected, filling)) continue;
    std::memcpy(list[i].path.data(), path.c_str(), path.size() + 1);
    list[i].owner = ::getpid();
    list[i].state = listed;
    return static_cast<int>(i);
  }
  return -1;
}

// What the kernel writes for each entry of a folder.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

bool is_link_to_folder(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

// By system calls alone: opendir() takes memory, and a signal may have come in the middle of that.
// Links are removed and not followed.
void empty_folder(int folder, int depth) {
  constexpr int deepest = 16;
  if (depth > deepest) return;
  alignas(Entry) std::array<char, 4096> buffer{};
  while (true) {
    const long bytes = ::syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (bytes <= 0) return;
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer.data() + at);
      at += entry->length;
      const char* name = buffer.data() + (at - entry->length) + offsetof(Entry, name);
      if (is_link_to_folder(name) || ::unlinkat(folder, name, 0) == 0) continue;
      const int inner = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (inner < 0) continue;
      empty_folder(inner, depth + 1);
      ::close(inner);
      ::unlinkat(folder, name, AT_REMOVEDIR);
    }
  }
}

void remove_folder(const char* path) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  empty_folder(folder, 0);
  ::close(folder);
  ::rmdir(path);
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) : slot_(take_slot(slots, path)) {}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : slot_(std::exchange(other.slot_, -1)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  if (this != &other) {
    release();
    slot_ = std::exchange(other.slot_, -1);
  }
  return *this;
}

UnfinishedFile::~UnfinishedFile() { release(); }

void UnfinishedFile::release() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(std::exchange(slot_, -1))].state = empty;
}

void list_unfinished_folder(const std::string& path) { (void)take_slot(folders, path); }

void forget_unfinished_folder(const std::string& path) {
  for (Slot& slot : folders)
    if (slot.state == listed && path == slot.path.data()) slot.state = empty;
}

void remove_unfinished_files() {
  for (Slot& slot : slots) {
    if (slot.state == listed) ::unlink(slot.path.data());
  }
  for (Slot& slot : folders) {
    if (slot.state == listed && slot.owner == ::getpid()) remove_folder(slot.path.data());
  }
}

}  // namespace hone
