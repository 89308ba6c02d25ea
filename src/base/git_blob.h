#pragma once
// The name git gives to a file's content: SHA-1 over "blob <size>" and the bytes. It is what a hub
// says of files that it keeps in git itself; nothing of ours is called by it.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hone {

class GitBlobHash {
 public:
  explicit GitBlobHash(std::uint64_t size);

  GitBlobHash& add(std::string_view bytes);
  // 40 digits. REQUIRES: `size` bytes were added, and nothing is asked of it afterwards.
  std::string finish();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

}  // namespace hone
