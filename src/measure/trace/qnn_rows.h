#pragma once
// The rows of a QNN profiling CSV. The EP escapes nothing: an identifier may hold commas, so the
// last column is the rest of the line. A file that was empty before has no header.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace hone {

// Views into the file's text.
struct QnnRow {
  std::string_view message;  // NODE, EXECUTE, BACKEND, ...
  std::string_view unit;     // CYCLES, US, COUNT, ...
  std::string_view level;    // ROOT, SUB-EVENT
  std::string_view identifier;
  std::optional<double> time;  // null where it is no number that makes sense
};

class QnnRows {
 public:
  // `skip` bytes at the start are not read as rows, except for the header. Fails on a text that is
  // no such file and says which columns it lacks.
  static Result<QnnRows> open(std::string_view text, std::uint64_t skip = 0);

  // The next row that has all columns; null at the end.
  std::optional<QnnRow> next();
  // Lines that were no rows.
  std::int64_t unreadable() const { return unreadable_; }

 private:
  struct Columns {
    std::size_t count = 7;
    std::size_t message = 1;
    std::size_t time = 2;
    std::size_t unit = 3;
    std::size_t level = 5;
    std::size_t identifier = 6;
  };

  struct Header {
    Columns columns;
    bool is_row = false;  // there is no header: the first line is a row already
  };

  QnnRows(std::string_view rest, Columns columns) : rest_(rest), columns_(columns) {}
  static Result<Header> read_header(std::string_view line);
  std::optional<QnnRow> read_row(std::string_view line) const;

  std::string_view rest_;
  Columns columns_;
  std::int64_t unreadable_ = 0;
};

}  // namespace hone
