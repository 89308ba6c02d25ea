#pragma once
// A message being written: small pieces are collected in buffers, large ones stay where they are.
// Building the message of a 500 MB model therefore costs the graph, and writing it can copy file to
// file.

#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace hone::writing {

class Rope {
 public:
  std::uint64_t size() const { return size_; }
  const std::vector<Blob>& pieces() {
    flush();
    return pieces_;
  }

  void add_varint(std::uint32_t field, std::uint64_t value) {
    put_tag(field, protozero::pbf_wire_type::varint);
    put_varint(value);
  }
  void add_int(std::uint32_t field, std::int64_t value) {
    add_varint(field, static_cast<std::uint64_t>(value));
  }
  void add_float(std::uint32_t field, float value);
  void add_bytes(std::uint32_t field, std::string_view bytes) {
    put_length(field, bytes.size());
    put(bytes);
  }
  // proto3 leaves out what is empty.
  void add_text(std::uint32_t field, std::string_view text) {
    if (!text.empty()) add_bytes(field, text);
  }
  void add_blob(std::uint32_t field, const Blob& blob) {
    put_length(field, blob.size());
    put(blob);
  }
  void add_message(std::uint32_t field, Rope&& message);
  // Bytes that are fields already: what we did not know when reading.
  void add_raw(const std::vector<Blob>& fields) {
    for (const Blob& blob : fields) put(blob);
  }

 private:
  // Below this, copying is cheaper than one more piece to write.
  static constexpr std::uint64_t large = 16 * 1024;

  void put(std::string_view bytes) {
    buffer_.append(bytes);
    size_ += bytes.size();
  }
  void put(const Blob& blob);
  void put_tag(std::uint32_t field, protozero::pbf_wire_type type) {
    put_varint(field << 3u | static_cast<std::uint32_t>(type));
  }
  void put_varint(std::uint64_t value) {
    const auto before = buffer_.size();
    protozero::write_varint(std::back_inserter(buffer_), value);
    size_ += buffer_.size() - before;
  }
  void put_length(std::uint32_t field, std::uint64_t length) {
    put_tag(field, protozero::pbf_wire_type::length_delimited);
    put_varint(length);
  }
  void flush();

  std::vector<Blob> pieces_;
  std::string buffer_;
  std::uint64_t size_ = 0;
};

}  // namespace hone::writing
