#include "model/npz/zip.h"

#include <zlib.h>

#include <cstring>
#include <limits>
#include <optional>

#include "base/text.h"

namespace hone {
namespace {

constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t entry_signature = 0x02014b50;
constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::size_t end_size = 22;
constexpr std::size_t entry_size = 46;
constexpr std::size_t local_size = 30;
constexpr std::uint32_t in_zip64 = 0xFFFFFFFF;

template <class T>
T read_at(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Failure broken(std::string why) {
  return fail(Fault::bad_input, "this is not a readable zip archive", std::move(why));
}

struct Entry {
  std::string name;
  std::uint16_t method = 0;
  std::uint64_t packed = 0;
  std::uint64_t unpacked = 0;
  std::uint64_t offset = 0;
};

// Sizes above 4 GiB are in an extra field, in this order, each only when its 32-bit form is all
// ones.
void read_zip64(std::string_view extra, Entry& entry) {
  while (extra.size() >= 4) {
    const auto kind = read_at<std::uint16_t>(extra, 0);
    const auto length = read_at<std::uint16_t>(extra, 2);
    if (extra.size() < 4u + length) return;
    std::string_view body = extra.substr(4, length);
    extra.remove_prefix(4u + length);
    if (kind != 1) continue;
    for (std::uint64_t* field : {&entry.unpacked, &entry.packed, &entry.offset}) {
      if (*field != in_zip64 || body.size() < 8) continue;
      *field = read_at<std::uint64_t>(body, 0);
      body.remove_prefix(8);
    }
  }
}

Result<std::size_t> find_end(std::string_view bytes) {
  constexpr std::size_t longest_comment = 65535;
  if (bytes.size() < end_size) return broken("it is too short");
  const std::size_t last = bytes.size() - end_size;
  const std::size_t first = last > longest_comment ? last - longest_comment : 0;
  for (std::size_t at = last + 1; at-- > first;) {
    if (read_at<std::uint32_t>(bytes, at) == end_signature) return at;
  }
  return broken("it has no directory");
}

Result<std::vector<Entry>> read_directory(std::string_view bytes) {
  HONE_TRY(const std::size_t end, find_end(bytes));
  const auto count = read_at<std::uint16_t>(bytes, end + 10);
  std::uint64_t at = read_at<std::uint32_t>(bytes, end + 16);
  std::vector<Entry> entries;
  for (int i = 0; i < count; ++i) {
    if (at > bytes.size() || bytes.size() - at < entry_size ||
        read_at<std::uint32_t>(bytes, at) != entry_signature) {
      return broken("its directory is damaged");
    }
    const auto name_length = read_at<std::uint16_t>(bytes, at + 28);
    const auto extra_length = read_at<std::uint16_t>(bytes, at + 30);
    const auto comment_length = read_at<std::uint16_t>(bytes, at + 32);
    if (bytes.size() - at - entry_size < std::size_t{name_length} + extra_length)
      return broken("its directory is damaged");
    Entry& entry = entries.emplace_back();
    entry.method = read_at<std::uint16_t>(bytes, at + 10);
    entry.packed = read_at<std::uint32_t>(bytes, at + 20);
    entry.unpacked = read_at<std::uint32_t>(bytes, at + 24);
    entry.offset = read_at<std::uint32_t>(bytes, at + 42);
    entry.name = std::string(bytes.substr(at + entry_size, name_length));
    read_zip64(bytes.substr(at + entry_size + name_length, extra_length), entry);
    at += entry_size + name_length + extra_length + comment_length;
  }
  return entries;
}

Result<std::string> inflate_entry(std::string_view packed, const Entry& entry) {
  // deflate cannot do better than about 1:1032, so a larger claim is a lie and gets no memory.
  if (entry.unpacked / 1100 > packed.size())
    return broken("'" + printable(entry.name) + "' claims an impossible size");
  std::string out(entry.unpacked, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return broken("zlib cannot start");
  std::size_t given = 0;
  std::size_t taken = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const auto in = static_cast<uInt>(std::min(most, packed.size() - given));
    const auto room = static_cast<uInt>(std::min(most, out.size() - taken));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + given));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + taken);
    stream.avail_out = room;
    state = inflate(&stream, Z_NO_FLUSH);
    given += in - stream.avail_in;
    taken += room - stream.avail_out;
    if (in == stream.avail_in && room == stream.avail_out) break;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || taken != entry.unpacked)
    return broken("'" + printable(entry.name) + "' is damaged");
  return out;
}

Result<Blob> extract(const Blob& archive, const Entry& entry, std::uint64_t max_bytes) {
  const std::string_view bytes = archive.view();
  const std::string name = "'" + printable(entry.name) + "'";
  if (entry.offset > bytes.size() || bytes.size() - entry.offset < local_size ||
      read_at<std::uint32_t>(bytes, entry.offset) != local_signature) {
    return broken(name + " is not where the directory says");
  }
  const std::uint64_t start = entry.offset + local_size +
                              read_at<std::uint16_t>(bytes, entry.offset + 26) +
                              read_at<std::uint16_t>(bytes, entry.offset + 28);
  if (start > bytes.size() || bytes.size() - start < entry.packed)
    return broken(name + " is cut short");
  if (entry.unpacked > max_bytes)
    return broken(name + " would unpack to " + format_bytes(entry.unpacked));
  if (entry.method == 0) {
    if (entry.packed != entry.unpacked) return broken(name + " says two different sizes");
    return archive.slice(start, entry.packed);
  }
  if (entry.method != Z_DEFLATED) {
    return broken(name + " is packed by method " + std::to_string(entry.method) +
                  "; only deflate is read");
  }
  HONE_TRY(std::string unpacked, inflate_entry(bytes.substr(start, entry.packed), entry));
  return Blob::own(std::move(unpacked));
}

class Header {
 public:
  template <class T>
  Header& put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Header& put_text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// The 26 bytes that the local header and the directory entry share. 33 = the first of January 1980:
// no clock enters.
void put_common(Header& header, const ZipEntry& entry, std::uint32_t crc) {
  const auto size = static_cast<std::uint32_t>(entry.bytes.size());
  header.put<std::uint16_t>(20)
      .put<std::uint16_t>(0)
      .put<std::uint16_t>(0)
      .put<std::uint16_t>(0)
      .put<std::uint16_t>(33);
  header.put(crc)
      .put(size)
      .put(size)
      .put(static_cast<std::uint16_t>(entry.name.size()))
      .put<std::uint16_t>(0);
}

}  // namespace

Result<std::vector<ZipEntry>> read_zip(const Blob& archive, std::uint64_t max_entry_bytes) {
  HONE_TRY(const std::vector<Entry> directory, read_directory(archive.view()));
  std::vector<ZipEntry> entries;
  for (const Entry& entry : directory) {
    HONE_TRY(Blob bytes, extract(archive, entry, max_entry_bytes));
    entries.push_back({entry.name, std::move(bytes)});
  }
  return entries;
}

Status write_zip(const Path& path, const std::vector<ZipEntry>& entries) {
  HONE_TRY(AtomicFile file, AtomicFile::create(path));
  Header directory;
  for (const ZipEntry& entry : entries) {
    if (entry.bytes.size() >= in_zip64 || file.size() >= in_zip64 || entry.name.size() > 65535 ||
        entries.size() > 65535) {
      return fail(Fault::unsupported,
                  "'" + path.string() + "' would be larger than a plain zip archive can be");
    }
    const std::uint32_t crc = checksum(entry.bytes.view());
    const auto offset = static_cast<std::uint32_t>(file.size());
    Header local;
    local.put(local_signature);
    put_common(local, entry, crc);
    local.put_text(entry.name);
    HONE_TRY_DO(file.append(local.bytes()));
    HONE_TRY_DO(file.append(entry.bytes));
    directory.put(entry_signature).put<std::uint16_t>(20);
    put_common(directory, entry, crc);
    directory.put<std::uint16_t>(0)
        .put<std::uint16_t>(0)
        .put<std::uint16_t>(0)
        .put<std::uint32_t>(0)
        .put(offset);
    directory.put_text(entry.name);
  }
  const auto count = static_cast<std::uint16_t>(entries.size());
  Header end;
  end.put(end_signature).put<std::uint16_t>(0).put<std::uint16_t>(0).put(count).put(count);
  end.put(static_cast<std::uint32_t>(directory.bytes().size()))
      .put(static_cast<std::uint32_t>(file.size()));
  end.put<std::uint16_t>(0);
  HONE_TRY_DO(file.append(directory.bytes()));
  HONE_TRY_DO(file.append(end.bytes()));
  return file.commit();
}

}  // namespace hone
