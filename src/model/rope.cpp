#include "model/rope.h"

#include <bit>
#include <cstring>

namespace hone::writing {

void Rope::add_float(std::uint32_t field, float value) {
  put_tag(field, protozero::pbf_wire_type::fixed32);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  put(std::string_view(bytes, sizeof bytes));
}

void Rope::put(const Blob& blob) {
  if (blob.size() < large) {
    put(blob.view());
    return;
  }
  flush();
  pieces_.push_back(blob);
  size_ += blob.size();
}

void Rope::add_message(std::uint32_t field, Rope&& message) {
  put_length(field, message.size_);
  if (!message.pieces_.empty()) {
    flush();
    for (Blob& piece : message.pieces_) pieces_.push_back(std::move(piece));
  }
  buffer_ += message.buffer_;
  size_ += message.size_;
}

void Rope::flush() {
  if (buffer_.empty()) return;
  pieces_.push_back(Blob::own(std::exchange(buffer_, {})));
}

}  // namespace hone::writing
