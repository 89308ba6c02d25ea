#pragma once
// A file descriptor that closes itself, and what the operating system says about an error number.

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/result.h"

namespace hone {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~Descriptor() { reset(); }

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  void reset() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

// "No such file or directory" for ENOENT; safe to call from any thread.
inline std::string system_message(int error_number) {
  return std::generic_category().message(error_number);
}

// What the system's number says of the machine.
inline Trouble trouble_of(int error_number) {
  if (error_number == ENOSPC || error_number == EDQUOT) return Trouble::disk_full;
  return error_number == ENOMEM ? Trouble::no_memory : Trouble::other;
}

}  // namespace hone
