#include "checkpoint/weight_forms.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "base/text.h"
#include "model/elements.h"

namespace hone {
namespace {

// What is made and written by one call stays in a second one.
constexpr std::uint64_t bytes_at_once = std::uint64_t{256} << 10;
// What is read and cast, likewise; on the stack.
constexpr std::size_t elements_at_once = std::size_t{1} << 13;

// The bytes are read and not looked at where they are mapped: what was mapped and looked at stays
// with the process.
Status read_piece(const Tensor& tensor, std::uint64_t from, char* to, std::uint64_t length) {
  if (length == 0) return done();
  const auto& backing = tensor.dense.backing();
  const int file = backing ? backing->file_descriptor() : -1;
  if (file < 0) {
    std::memcpy(to, tensor.dense.view().data() + from, length);
    return done();
  }
  auto offset = static_cast<off_t>(tensor.external->offset + from);
  while (length > 0) {
    const ssize_t count = ::pread(file, to, length, offset);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return fail(Fault::io, "cannot read tensor '" + printable(tensor.name) + "'",
                  count < 0 ? std::strerror(errno) : "its file became shorter");
    }
    to += count;
    offset += count;
    length -= static_cast<std::uint64_t>(count);
  }
  return done();
}

Failure has_no_number(const Tensor& tensor) {
  return fail(Fault::bad_input,
              "tensor '" + printable(tensor.name) + "' holds what is no number, and is to be cast",
              {}, "--weights in-place leaves it as it lies; or fetch the checkpoint again");
}

// Memory that is used again for the next weight, and neither cleared nor given back between them:
// a page that is new costs more than what is put into it.
class Room {
 public:
  char* of(std::uint64_t bytes) {
    if (bytes > size_) bytes_ = std::make_unique_for_overwrite<char[]>(bytes);
    size_ = std::max(size_, bytes);
    return bytes_.get();
  }

 private:
  std::unique_ptr<char[]> bytes_;
  std::uint64_t size_ = 0;
};

// Elements [begin, begin + count) as the form has them, but not turned.
Status read_elements(const WeightForm& form, std::uint64_t begin, std::uint64_t count, char* made) {
  const Tensor& source = *form.source;
  const std::uint64_t from_bytes = bytes_per_element(source.type);
  if (source.type == form.type)
    return read_piece(source, begin * from_bytes, made, count * from_bytes);
  std::array<char, elements_at_once * 8> piece;
  for (std::uint64_t read = 0; read < count; read += elements_at_once) {
    const std::uint64_t now = std::min<std::uint64_t>(elements_at_once, count - read);
    HONE_TRY_DO(read_piece(source, (begin + read) * from_bytes, piece.data(), now * from_bytes));
    if (!cast_elements(source.type, std::string_view(piece.data(), now * from_bytes), form.type,
                       made + read * bytes_per_element(form.type)))
      return has_no_number(source);
  }
  return done();
}

struct Matrix {
  const char* elements;
  std::size_t rows;
  std::size_t columns;
};

// A square of both sides at once, of a size that compilers know: 0.3 to 0.5 ns for an element of
// 3072 x 768 floats, where runs of any length take 3.
constexpr std::size_t side = 16;

template <class Element>
void turn_square(const char* from, std::size_t from_row, char* to, std::size_t to_row) {
  std::array<Element, side * side> square;
  for (std::size_t y = 0; y < side; ++y) {
    std::array<Element, side> run;
    std::memcpy(run.data(), from + y * from_row, sizeof run);
    for (std::size_t x = 0; x < side; ++x) square[x * side + y] = run[x];
  }
  for (std::size_t x = 0; x < side; ++x)
    std::memcpy(to + x * to_row, square.data() + x * side, side * sizeof(Element));
}

// `count` of its columns as rows.
template <class Element>
void turn(const Matrix& matrix, std::size_t first, std::size_t count, char* turned) {
  constexpr std::size_t width = sizeof(Element);
  const std::size_t from_row = matrix.columns * width;
  const std::size_t to_row = matrix.rows * width;
  for (std::size_t row = 0; row < matrix.rows; row += side) {
    for (std::size_t column = 0; column < count; column += side) {
      const char* from = matrix.elements + row * from_row + (first + column) * width;
      char* to = turned + column * to_row + row * width;
      const std::size_t high = std::min(side, matrix.rows - row);
      const std::size_t wide = std::min(side, count - column);
      if (high == side && wide == side) {
        turn_square<Element>(from, from_row, to, to_row);
        continue;
      }
      for (std::size_t x = 0; x < wide; ++x)
        for (std::size_t y = 0; y < high; ++y)
          std::memcpy(to + x * to_row + y * width, from + y * from_row + x * width, width);
    }
  }
}

void turn(const Matrix& matrix, std::size_t width, std::size_t first, std::size_t count,
          char* turned) {
  if (width == 1) return turn<std::uint8_t>(matrix, first, count, turned);
  if (width == 2) return turn<std::uint16_t>(matrix, first, count, turned);
  if (width == 4) return turn<std::uint32_t>(matrix, first, count, turned);
  turn<std::uint64_t>(matrix, first, count, turned);
}

// Weights as graphs take them, in pieces.
class Reading {
 public:
  using Taker = std::function<Status(std::string_view bytes)>;

  Status read(const WeightForm& form, const Taker& take) {
    return form.is_turned ? read_turned(form, take) : read_straight(form, take);
  }

 private:
  Status read_straight(const WeightForm& form, const Taker& take) {
    const std::uint64_t width = bytes_per_element(form.type);
    const std::uint64_t count = form.source->element_count();
    const std::uint64_t at_once = bytes_at_once / width;
    for (std::uint64_t begin = 0; begin < count; begin += at_once) {
      const std::uint64_t now = std::min(at_once, count - begin);
      char* piece = piece_.of(bytes_at_once);
      HONE_TRY_DO(read_elements(form, begin, now, piece));
      HONE_TRY_DO(take(std::string_view(piece, now * width)));
    }
    return done();
  }

  Status read_turned(const WeightForm& form, const Taker& take) {
    const std::size_t width = bytes_per_element(form.type);
    const std::uint64_t count = form.source->element_count();
    const Matrix matrix{matrix_.of(count * width), static_cast<std::size_t>(form.source->dims[0]),
                        static_cast<std::size_t>(form.source->dims[1])};
    HONE_TRY_DO(read_elements(form, 0, count, matrix_.of(count * width)));
    if (count == 0) return done();
    const std::size_t at_once = std::max(side, bytes_at_once / (matrix.rows * width) / side * side);
    for (std::size_t first = 0; first < matrix.columns; first += at_once) {
      const std::size_t now = std::min(at_once, matrix.columns - first);
      const std::size_t bytes = now * matrix.rows * width;
      char* piece = piece_.of(bytes);
      turn(matrix, width, first, now, piece);
      HONE_TRY_DO(take(std::string_view(piece, bytes)));
    }
    return done();
  }

  Room matrix_;
  Room piece_;
};

// Goes on with the offset.
Status write_piece(const AtomicFile& file, std::string_view bytes, off_t& offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file.file_descriptor(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno != EINTR)
      return fail(Fault::io, trouble_of(errno), "cannot write '" + file.path().string() + "'",
                  system_message(errno));
    if (count <= 0) continue;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += count;
  }
  return done();
}

// Weights as they lie go through memory, too: they lie at no block's beginning, so that no file
// system shares their blocks, and copying in the kernel was no faster (ext4: 240 to 231 ms of CPU
// for 498 MB without it).
class Placing {
 public:
  Placing(const AtomicFile& file, const std::vector<PlacedWeight>& all,
          const ByteProgress& progress)
      : file_(file), all_(all), progress_(progress) {}

  Status run() {
    // Below it a thread costs more than it brings.
    constexpr std::uint64_t least_shared = std::uint64_t{16} << 20;
    {
      std::optional<std::jthread> helper;
      if (file_.size() >= least_shared) helper.emplace([this] { work(); });
      work();
    }
    return error_ ? Status(fail(*error_)) : done();
  }

 private:
  void work() {
    Reading reading;
    while (const PlacedWeight* next = take_next()) {
      const Status status = write(*next, reading);
      const std::lock_guard lock(mutex_);
      written_ += bytes_of(next->form);
      if (progress_) progress_(written_, file_.size());
      if (!status && !error_) error_ = status.error();
    }
  }

  const PlacedWeight* take_next() {
    const std::lock_guard lock(mutex_);
    return error_ || next_ == all_.size() ? nullptr : &all_[next_++];
  }

  Status write(const PlacedWeight& placed, Reading& reading) const {
    auto offset = static_cast<off_t>(placed.offset);
    return reading.read(placed.form,
                        [&](std::string_view piece) { return write_piece(file_, piece, offset); });
  }

  const AtomicFile& file_;
  const std::vector<PlacedWeight>& all_;
  const ByteProgress& progress_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::uint64_t written_ = 0;
  std::optional<Error> error_;
};

}  // namespace

std::uint64_t bytes_per_element(ElementType type) {
  return static_cast<std::uint64_t>(bits_of(type)) / 8;
}

std::uint64_t bytes_of(const WeightForm& form) {
  return form.source->element_count() * bytes_per_element(form.type);
}

std::vector<std::int64_t> dims_of(const WeightForm& form) {
  std::vector<std::int64_t> dims = form.source->dims;
  if (form.is_turned) std::swap(dims[0], dims[1]);
  return dims;
}

Result<std::string> read_weight(const WeightForm& form) {
  std::string bytes;
  HONE_TRY_DO(Reading().read(form, [&](std::string_view piece) {
    bytes += piece;
    return done();
  }));
  return bytes;
}

Status write_weights(const AtomicFile& file, const std::vector<PlacedWeight>& all,
                     const ByteProgress& progress) {
  return Placing(file, all, progress).run();
}

}  // namespace hone
