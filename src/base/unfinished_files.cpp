#include "base/unfinished_files.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <utility>

namespace hone {
namespace {

enum State : int { empty, filling, listed };

struct Slot {
  std::atomic<int> state{empty};
  std::array<char, PATH_MAX> path{};
};

// A command writes one or two files at a time. What finds no slot is written all the same; only an
// interruption would leave it.
std::array<Slot, 16> slots;

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int expected = empty;
    if (!slots[i].state.compare_exchange_strong(expected, filling)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].state = listed;
    slot_ = static_cast<int>(i);
    return;
  }
}

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

void remove_unfinished_files() {
  for (Slot& slot : slots) {
    if (slot.state == listed) ::unlink(slot.path.data());
  }
}

}  // namespace hone
