#include "record/csv.h"

#include <gtest/gtest.h>

#include "record/machine.h"
#include "record/model_facts.h"

namespace hone {
namespace {

TEST(Csv, TheHeaderNamesTheFields) {
  EXPECT_EQ(csv_header<Machine>(), "os,kernel,arch,cpu,cores,memory_bytes");
}

TEST(Csv, ARowHasOneCellPerField) {
  Machine machine;
  machine.os = "Debian";
  machine.cpu = "Xeon, 2.0 GHz";
  machine.cores = 2;
  EXPECT_EQ(csv_row(machine), "Debian,,,\"Xeon, 2.0 GHz\",2,0");
}

TEST(Csv, TabsSeparateAsWell) {
  Machine machine;
  machine.os = "a\tb";
  EXPECT_EQ(csv_row(machine, '\t'), "\"a\tb\"\t\t\t\t0\t0");
}

TEST(Csv, QuotesWhatWouldBreakTheRow) {
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_cell("plain text"), "plain text");
}

TEST(Csv, ListsAreCompactJsonInTheirCell) {
  const ValueFacts value{.name = "x", .type = "float32", .shape = std::vector<Json>{1, "N"}};
  EXPECT_EQ(csv_row(value), R"(x,float32,"[1,""N""]")");
}

TEST(Csv, NullIsAnEmptyCell) { EXPECT_EQ(csv_value(Json()), ""); }

}  // namespace
}  // namespace hone
