#pragma once
// Bytes that somebody else owns: a view plus what keeps it alive. A tensor of 500 MB inside a
// mapped file is a Blob of 32 bytes; copying a Blob copies no data.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hone {

// What a Blob stands on. file_descriptor() >= 0 when the bytes are a file's, so that a writer can
// copy file to file without passing the data through this process.
class Backing {
 public:
  virtual ~Backing() = default;
  virtual int file_descriptor() const { return -1; }
  // The backed bytes; a view into these tells its offset in the file.
  virtual std::string_view bytes() const = 0;
};

class Blob {
 public:
  Blob() = default;
  Blob(std::string_view view, std::shared_ptr<const Backing> backing)
      : view_(view), backing_(std::move(backing)) {}

  static Blob own(std::string bytes);
  // For bytes that outlive everything, such as literals.
  static Blob borrow(std::string_view bytes) { return {bytes, nullptr}; }

  std::string_view view() const { return view_; }
  std::uint64_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  const std::shared_ptr<const Backing>& backing() const { return backing_; }

  // REQUIRES: offset + length <= size().
  Blob slice(std::uint64_t offset, std::uint64_t length) const {
    return {view_.substr(offset, length), backing_};
  }

 private:
  std::string_view view_;
  std::shared_ptr<const Backing> backing_;
};

}  // namespace hone
