#include "measure/trace/qnn_rows.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr std::string_view header =
    "Msg Timestamp,Message,Time,Unit of Measurement,Timing Source,Event Level,Event Identifier\n";

std::vector<QnnRow> all_rows(std::string_view text, std::uint64_t skip = 0) {
  auto rows = QnnRows::open(text, skip);
  EXPECT_TRUE(rows);
  std::vector<QnnRow> read;
  while (const auto row = rows->next()) read.push_back(*row);
  return read;
}

std::string problem_of(std::string_view text) {
  const auto rows = QnnRows::open(text);
  return rows ? "none" : rows.error().what;
}

TEST(QnnRows, AreReadByTheNamesOfTheirColumns) {
  const auto rows = all_rows(
      "Event Level,Time,Message,Unit of Measurement,Event Identifier\n"
      "ROOT,12.5,EXECUTE,US,QNN (execute) time\n");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].message, "EXECUTE");
  EXPECT_EQ(rows[0].time, 12.5);
  EXPECT_EQ(rows[0].unit, "US");
  EXPECT_EQ(rows[0].level, "ROOT");
  EXPECT_EQ(rows[0].identifier, "QNN (execute) time");
}

TEST(QnnRows, KeepCommasOfAnIdentifier) {
  const std::string text =
      std::string(header) + "0,NODE,5,CYCLES,BACKEND,SUB-EVENT,a,b:OpId_1 (cycles)\n";
  EXPECT_EQ(all_rows(text).at(0).identifier, "a,b:OpId_1 (cycles)");
}

TEST(QnnRows, NeedNoHeaderBecauseTheEpWritesNoneIntoAnEmptyFile) {
  const auto rows = all_rows("0,NODE,5,CYCLES,BACKEND,SUB-EVENT,x:OpId_1 (cycles)\n");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].message, "NODE");
}

TEST(QnnRows, MayEndLikeWindowsAndStartWithAByteOrderMark) {
  std::string text = "\xEF\xBB\xBF" + std::string(header);
  text.insert(text.size() - 1, "\r");
  text += "\r\n0,NODE,5,CYCLES,BACKEND,SUB-EVENT,x:OpId_1 (cycles)\r\n";
  EXPECT_EQ(all_rows(text).at(0).identifier, "x:OpId_1 (cycles)");
}

TEST(QnnRows, HaveNoTimeWhereThereIsNoneThatMakesSense) {
  for (const std::string time : {"UNKNOWN", "", "-1", "nan", "inf", "1e99", "12x"}) {
    const std::string text = std::string(header) + "0,NODE," + time + ",CYCLES,BACKEND,ROOT,x\n";
    EXPECT_FALSE(all_rows(text).at(0).time) << time;
  }
}

TEST(QnnRows, AreCountedWhereALineIsNone) {
  const std::string text = std::string(header) + "garbage\n0,NODE,5,CYCLES,BACKEND,ROOT,x\n\nmore";
  auto rows = QnnRows::open(text);
  ASSERT_TRUE(rows);
  while (rows->next()) {
  }
  EXPECT_EQ(rows->unreadable(), 2);
}

TEST(QnnRows, PassOverAHeaderInTheMiddle) {
  const std::string row = "0,NODE,5,CYCLES,BACKEND,ROOT,x\n";
  EXPECT_EQ(all_rows(std::string(header) + row + std::string(header) + row).size(), 2u);
}

TEST(QnnRows, FromBeforeTheSessionAreSkipped) {
  const std::string row = "0,NODE,5,CYCLES,BACKEND,ROOT,x\n";
  const std::string old = std::string(header) + row;
  EXPECT_EQ(all_rows(old + row + row, old.size()).size(), 2u);
  EXPECT_EQ(all_rows(old + row, old.size() - 3).size(), 1u) << "half a row is none";
  EXPECT_EQ(all_rows(old, old.size() + 100).size(), 0u);
  EXPECT_EQ(all_rows(old, 5).size(), 1u) << "a header that was there is still the header";
}

TEST(QnnRows, ComeFromAFileThatNamesTheColumnsItLacks) {
  EXPECT_EQ(problem_of("Msg Timestamp,Message,Timing Source,Event Level\n"),
            "the header lacks: Time, Unit of Measurement, Event Identifier");
  EXPECT_EQ(problem_of("{\"a\": 1}\n"),
            "the first line is no header and no row of a QNN profile: '{\"a\": 1}'");
}

}  // namespace
}  // namespace hone
