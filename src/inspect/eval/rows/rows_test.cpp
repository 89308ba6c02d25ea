#include "inspect/eval/rows/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/eval/rows/class_files.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Rows : public testing::Test {
 protected:
  // Each row as "LINE {columns}" or "LINE problem"; or why there are none.
  std::vector<std::string> read(const std::string& name, const std::string& content) {
    const Path file = folder_.path() / name;
    EXPECT_TRUE(write_file(file, content));
    const auto rows = open_rows(file);
    if (!rows) return {rows.error().what + ": " + rows.error().cause};
    std::vector<std::string> all;
    while (true) {
      const auto row = (*rows)->next();
      if (!row || !*row) return all;
      all.push_back(std::to_string((*row)->line) + " " +
                    ((*row)->problem.empty() ? (*row)->columns.dump(-1) : (*row)->problem));
    }
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("rows");
};

TEST_F(Rows, OfCsvMayHaveQuotesSeparatorsAndLineEndsInTheirFields) {
  EXPECT_THAT(read("a.csv", "text,label\n\"one, \"\"two\"\"\nthree\",1\nfour,2\r\n\n\"\",3"),
              ElementsAre(R"(2 {"text":"one, \"two\"\nthree","label":"1"})",
                          R"(4 {"text":"four","label":"2"})", R"(6 {"text":"","label":"3"})"));
}

TEST_F(Rows, OfCsvThatAreBrokenAreNamedByTheirLineAndTheOthersGoOn) {
  EXPECT_THAT(
      read("a.csv", "text,label\na,1\nb\nc,2,3\n\"d\"e,4\nf,5\n"),
      ElementsAre(R"(2 {"text":"a","label":"1"})", "3 it has 1 field, and there are 2 columns",
                  "4 it has 3 fields, and there are 2 columns",
                  "5 there is text behind the quotes of a field", R"(6 {"text":"f","label":"5"})"));
}

TEST_F(Rows, SayWhichQuoteIsNeverClosed) {
  EXPECT_THAT(read("a.csv", "text\na\n\"b\nc\n"),
              ElementsAre(R"(2 {"text":"a"})", "3 the quote on line 3 is never closed"));
}

TEST_F(Rows, OfCsvThatAreLongerThan64MiBAreNamedAndTheOthersGoOn) {
  // Without a quote, and of fields that hold nothing.
  for (const std::string& row : {std::string(70 << 20, 'x'), std::string(70 << 20, ',')})
    EXPECT_THAT(read("a.csv", "text\n" + row + "\nb\n"),
                ElementsAre("2 it is longer than 64 MiB", R"(3 {"text":"b"})"));
}

TEST_F(Rows, OfTabsAreFieldsBetweenTabs) {
  EXPECT_THAT(read("a.tsv",
                   "\xEF\xBB\xBF"
                   "audio\ttext\na.wav\tHello, there\n"),
              ElementsAre(R"(2 {"audio":"a.wav","text":"Hello, there"})"));
}

TEST_F(Rows, OfCsvNeedNamesThatDiffer) {
  EXPECT_THAT(read("a.csv", "a,a\n1,2\n"),
              ElementsAre(HasSubstr("does not begin with names of columns: two columns are called "
                                    "'a'")));
}

TEST_F(Rows, OfJsonLinesAreObjects) {
  const auto rows = read("a.jsonl", "{\"a\": 1}\n\n[1]\n{\"a\":\n{\"a\": 2}");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], R"(1 {"a":1})");
  EXPECT_EQ(rows[1], "3 it is an array, not an object");
  EXPECT_THAT(rows[2], testing::StartsWith("4 "));
  EXPECT_EQ(rows[3], R"(5 {"a":2})");
}

TEST_F(Rows, OfSquadAreQuestions) {
  EXPECT_THAT(read("a.json", R"({"data": [{"paragraphs": [{"context": "C", "qas": [
      {"question": "Q", "answers": [{"text": "A", "answer_start": 0}]}]}]}]})"),
              ElementsAre(R"(1 {"question":"Q","context":"C","answers":["A"]})"));
}

TEST_F(Rows, OfCocoArePicturesWithTheirObjects) {
  EXPECT_THAT(read("a.json", R"({"images": [{"id": 7, "file_name": "x.jpg"},
      {"id": 8, "file_name": "y.jpg"}], "categories": [{"id": 3, "name": "cat"}],
      "annotations": [{"image_id": 7, "category_id": 3, "bbox": [1, 2, 3, 4], "iscrowd": 1},
                      {"image_id": 7, "category_id": 4, "bbox": [0, 0, 1, 1], "area": 0.5}]})"),
              ElementsAre(R"(1 {"image":"x.jpg","objects":[{"label":"cat","box":[1,2,3,4],)"
                          R"("iscrowd":1},{"label":4,"box":[0,0,1,1],"area":0.5}]})",
                          R"(2 {"image":"y.jpg","objects":[]})"));
}

TEST_F(Rows, ThatAreNoneAreRefused) {
  EXPECT_THAT(read("a.json", "{}"), ElementsAre(HasSubstr("holds no rows: it holds no rows")));
  EXPECT_THAT(read("a.json", "{"), ElementsAre(HasSubstr("holds no rows")));
  EXPECT_FALSE(open_rows(folder_.path()));
}

TEST_F(Rows, OfASplitAreInTheFileOfItsName) {
  for (const char* name : {"test.csv", "train.jsonl", "notes.txt"})
    ASSERT_TRUE(write_file(folder_.path() / name, ""));
  EXPECT_EQ(find_table(folder_.path(), {}, "")->filename(), "test.csv");
  EXPECT_EQ(find_table(folder_.path(), {}, "train")->filename(), "train.jsonl");
  EXPECT_EQ(find_table(folder_.path(), {{"dev", "notes.csv"}}, "dev")->filename(), "notes.csv");
  const auto none = find_table(folder_.path(), {}, "dev");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().cause, HasSubstr("test, train"));
}

}  // namespace
}  // namespace hone
