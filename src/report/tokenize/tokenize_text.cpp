#include "report/tokenize/tokenize_text.h"

#include "base/counted.h"
#include "base/text.h"
#include "report/table.h"

namespace hone {
namespace {

constexpr std::size_t most_rows = 200;

std::string range(const std::vector<std::uint64_t>& span) {
  return std::to_string(span[0]) + "-" + std::to_string(span[1]);
}

std::string remark(const TokenRow& row) {
  if (row.is_padding) return "padding";
  if (row.is_special) return "special";
  return row.sequence == 1 ? "second text" : "";
}

text_form::Row row_text(const TokenRow& row, std::size_t number) {
  const bool is_from_text = row.sequence.has_value();
  return {std::to_string(number),
          printable(row.token),
          std::to_string(row.id),
          is_from_text ? range(row.characters) : "-",
          is_from_text ? range(row.bytes) : "-",
          row.word ? std::to_string(*row.word) : "-",
          remark(row)};
}

}  // namespace

std::string describe_tokens(const TokenizeReport& report) {
  std::string text = printable(report.tokenizer) + "  " + report.kind + ", " +
                     format_count(report.vocabulary) + " ids\n";
  if (report.decoded) return text + printable(*report.decoded) + "\n";
  text += counted(report.tokens.size(), "token") + ", " + counted(report.words, "word") + ", " +
          counted(report.characters, "character") + "\n";
  if (report.further_windows > 0) {
    text += "truncated: " + counted(report.further_windows, "further window") + "\n";
  }
  if (report.tokens.empty()) return text;
  text_form::Rows rows{{"", "token", "id", "characters", "bytes", "word", ""}};
  for (std::size_t i = 0; i < report.tokens.size(); ++i) {
    rows.push_back(row_text(report.tokens[i], i));
  }
  return text + text_form::table(rows, {.right = "0235", .most_rows = most_rows + 1});
}

}  // namespace hone
