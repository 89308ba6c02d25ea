#pragma once
// Tables of samples, one row at a time: CSV, TSV, JSON lines, lists in JSON, and COCO's files. A
// row that cannot be read is a row with a problem, not the end: who reads them counts it.

#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/json.h"

namespace hone {

struct Row {
  Json columns = Json::object();
  std::uint64_t line = 0;  // of the file, from 1; or the number of the entry
  std::string problem{};   // why there are no columns
};

class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  // The next row, or nothing at the end. Memory is that of one row, but for JSON that is one value.
  virtual Result<std::optional<Row>> next() = 0;
  // "line" or "entry": what Row::line counts.
  virtual std::string_view counted_by() const { return "line"; }
};

// By its name: .csv, .tsv, .jsonl and .ndjson, .json.
bool is_row_file(const Path& file);
Result<std::unique_ptr<RowSource>> open_rows(const Path& file);

// The first record names the columns. Fields may be quoted, and then hold separators, quotes
// (doubled) and line ends. Tabs: the same with tabs between fields.
Result<std::unique_ptr<RowSource>> open_csv(const Path& file, char separator);
// An object per line; empty lines are none.
Result<std::unique_ptr<RowSource>> open_json_lines(const Path& file);
// A list of objects; SQuAD's {"data": ...}, a row per question; or COCO's {"images": ...,
// "annotations": ...}, a row per picture with its objects.
Result<std::unique_ptr<RowSource>> open_json_rows(const Path& file);

}  // namespace hone
