// Rows of text files, read as a stream.

#include <fstream>
#include <set>

#include "base/counted.h"
#include "base/text.h"
#include "inspect/eval/rows/rows.h"

namespace hone {
namespace {

// A row that is longer is no row: a quote that is never closed would take the rest of the file.
constexpr std::size_t longest_row = std::size_t{64} << 20;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// A file byte by byte, with the number of the line.
class Bytes {
 public:
  static Result<std::unique_ptr<Bytes>> open(const Path& file) {
    HONE_TRY_DO(size_of_file(file));
    auto bytes = std::make_unique<Bytes>();
    bytes->stream_.open(file, std::ios::binary);
    if (!bytes->stream_) return fail(Fault::io, "cannot read '" + file.string() + "'");
    for (const char mark : byte_order_mark) {
      if (bytes->peek() != static_cast<unsigned char>(mark)) break;
      bytes->take();
    }
    return bytes;
  }
  // -1 at the end.
  int peek() { return stream_.rdbuf()->sgetc(); }
  int take() {
    const int byte = stream_.rdbuf()->sbumpc();
    if (byte == '\n') ++line_;
    return byte;
  }
  std::uint64_t line() const { return line_; }

 private:
  std::ifstream stream_;
  std::uint64_t line_ = 1;
};

struct Record {
  std::vector<std::string> fields;
  std::string problem;
};

class CsvRows : public RowSource {
 public:
  CsvRows(std::unique_ptr<Bytes> bytes, char separator)
      : bytes_(std::move(bytes)), separator_(separator) {}

  Status read_names() {
    skip_empty_lines();
    Record record = read_record();
    if (!record.problem.empty()) return fail(Fault::bad_input, record.problem);
    names_ = std::move(record.fields);
    std::set<std::string_view> known;
    for (const std::string& name : names_) {
      if (!known.insert(name).second)
        return fail(Fault::bad_input, "two columns are called '" + printable(name) + "'");
    }
    return done();
  }

  Result<std::optional<Row>> next() override {
    skip_empty_lines();
    if (bytes_->peek() < 0) return std::optional<Row>();
    Row row;
    row.line = bytes_->line();
    Record record = read_record();
    row.problem = std::move(record.problem);
    if (row.problem.empty() && record.fields.size() != names_.size()) {
      row.problem = "it has " + counted(record.fields.size(), "field") + ", and there are " +
                    counted(names_.size(), "column");
    }
    if (!row.problem.empty()) return std::optional(std::move(row));
    for (std::size_t i = 0; i < names_.size(); ++i)
      row.columns.set(names_[i], std::move(record.fields[i]));
    return std::optional(std::move(row));
  }

 private:
  void skip_empty_lines() {
    while (bytes_->peek() == '\n' || bytes_->peek() == '\r') bytes_->take();
  }

  bool at_end_of_record() {
    if (bytes_->peek() == '\r') bytes_->take();
    if (bytes_->peek() != '\n' && bytes_->peek() >= 0) return false;
    bytes_->take();
    return true;
  }

  Record read_record() {
    Record record;
    std::size_t size = 0;
    while (true) {
      std::string field = bytes_->peek() == '"' ? quoted(record) : plain();
      size += field.size() + 1;
      if (size > longest_row && record.problem.empty()) record.problem = "it is longer than 64 MiB";
      if (record.problem.empty()) record.fields.push_back(std::move(field));
      if (at_end_of_record()) return record;
      const int byte = bytes_->take();
      if (byte == static_cast<unsigned char>(separator_) && record.problem.empty()) continue;
      if (record.problem.empty()) record.problem = "there is text behind the quotes of a field";
      skip_line();
      return record;
    }
  }

  void skip_line() {
    while (bytes_->peek() >= 0 && bytes_->take() != '\n') {
    }
  }

  std::string plain() {
    std::string field;
    while (field.size() <= longest_row) {
      const int byte = bytes_->peek();
      if (byte < 0 || byte == '\n' || byte == static_cast<unsigned char>(separator_)) break;
      field += static_cast<char>(bytes_->take());
    }
    if (!field.empty() && field.back() == '\r' && bytes_->peek() != separator_) field.pop_back();
    return field;
  }

  std::string quoted(Record& record) {
    const std::uint64_t line = bytes_->line();
    std::string field;
    bytes_->take();
    while (field.size() <= longest_row) {
      const int byte = bytes_->take();
      if (byte < 0) {
        record.problem = "the quote on line " + std::to_string(line) + " is never closed";
        return field;
      }
      if (byte == '"') {
        if (bytes_->peek() != '"') return field;
        bytes_->take();
      }
      field += static_cast<char>(byte);
    }
    record.problem = "the quote on line " + std::to_string(line) + " is not closed for 64 MiB";
    return field;
  }

  std::unique_ptr<Bytes> bytes_;
  char separator_;
  std::vector<std::string> names_;
};

class JsonLines : public RowSource {
 public:
  explicit JsonLines(std::unique_ptr<Bytes> bytes) : bytes_(std::move(bytes)) {}

  Result<std::optional<Row>> next() override {
    while (bytes_->peek() >= 0) {
      Row row;
      row.line = bytes_->line();
      const std::string line = read_line(row);
      if (line.find_first_not_of(" \t\r") == std::string::npos && row.problem.empty()) continue;
      if (row.problem.empty()) parse(line, row);
      return std::optional(std::move(row));
    }
    return std::optional<Row>();
  }

 private:
  std::string read_line(Row& row) {
    std::string line;
    while (bytes_->peek() >= 0) {
      const int byte = bytes_->take();
      if (byte == '\n') break;
      if (line.size() < longest_row) line += static_cast<char>(byte);
    }
    if (line.size() == longest_row) row.problem = "it is longer than 64 MiB";
    return line;
  }

  static void parse(const std::string& line, Row& row) {
    auto json = Json::parse(line);
    if (!json) {
      row.problem = json.error().cause.empty() ? json.error().what : json.error().cause;
    } else if (json->as_object() == nullptr) {
      row.problem = "it is " + json->described_kind() + ", not an object";
    } else {
      row.columns = *std::move(json);
    }
  }

  std::unique_ptr<Bytes> bytes_;
};

}  // namespace

Result<std::unique_ptr<RowSource>> open_csv(const Path& file, char separator) {
  HONE_TRY(std::unique_ptr<Bytes> bytes, Bytes::open(file));
  auto rows = std::make_unique<CsvRows>(std::move(bytes), separator);
  if (const Status named = rows->read_names(); !named) {
    return fail(Fault::bad_input, "'" + file.string() + "' does not begin with names of columns",
                named.error().what, "the first line of a CSV file names its columns");
  }
  return std::unique_ptr<RowSource>(std::move(rows));
}

Result<std::unique_ptr<RowSource>> open_json_lines(const Path& file) {
  HONE_TRY(std::unique_ptr<Bytes> bytes, Bytes::open(file));
  return std::unique_ptr<RowSource>(std::make_unique<JsonLines>(std::move(bytes)));
}

}  // namespace hone
