#pragma once
// The temporary files that are being written, in a form that a signal handler may read: whoever is
// interrupted can leave no half-written file behind.

#include <string>

namespace hone {

// Keeps a file on the list while it lives.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(const std::string& path);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  ~UnfinishedFile();

 private:
  void release();
  int slot_ = -1;
};

// Removes every file on the list. Safe in a signal handler, from any thread.
void remove_unfinished_files();

}  // namespace hone
