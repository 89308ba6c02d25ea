#include "inspect/eval/eval_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "inspect/eval/dataset.h"
#include "model/npz/npz.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TensorPtr one_number(const std::string& name, double value) {
  return make_float_input(name, {1}, std::span(&value, 1));
}

class EvaluationData : public testing::Test {
 protected:
  void write_samples(const std::string& file, std::initializer_list<double> values) {
    std::filesystem::create_directories((folder_.path() / file).parent_path());
    std::vector<TensorPtr> arrays;
    for (const double value : values)
      arrays.push_back(one_number(std::to_string(arrays.size()) + "/x", value));
    ASSERT_TRUE(write_npz(folder_.path() / file, arrays));
  }
  void write_labels(const std::string& labels) {
    ASSERT_TRUE(write_file(folder_.path() / "labels.json",
                           R"({"schema_version": 1, "task": "t", "labels": )" + labels + "}"));
  }
  Result<EvalData> open(std::size_t limit = SampleStream::no_limit) {
    return open_at(folder_.path(), limit);
  }
  Result<EvalData> open_at(const Path& path, std::size_t limit = SampleStream::no_limit) {
    DataRequest request{.data = path, .limit = limit};
    request.encoding.inputs = inputs_;
    return EvalData::open(std::move(request));
  }
  // "1:0 2:1": values with their labels, or what went wrong.
  std::string read(EvalData data) {
    std::string text;
    while (true) {
      const auto next = data.next();
      if (!next) return next.error().what;
      if (!*next) return text;
      text += std::to_string(static_cast<int>(to_doubles(*(*next)->sample.at("x"))->front())) +
              ":" + (*next)->label.dump(-1) + " ";
    }
  }

  const std::vector<Port> inputs_ = {{"x", Type::tensor(ElementType::float32, shape_of({1}))}};
  TemporaryFolder folder_ = *TemporaryFolder::create("eval");
};

TEST_F(EvaluationData, IsSamplesInTheOrderOfTheirFilesEachWithItsLabel) {
  write_samples("b.npz", {3});
  write_samples("a.npz", {1, 2});
  write_labels(R"(["one", "two", "three"])");
  EXPECT_EQ(read(*open()), R"(1:"one" 2:"two" 3:"three" )");
  EXPECT_EQ(open()->size(), 3u);
}

TEST_F(EvaluationData, IsReadUpToALimit) {
  write_samples("a.npz", {1, 2, 3});
  write_labels("[1, 2, 3]");
  EXPECT_EQ(read(*open(2)), "1:1 2:2 ");
}

TEST_F(EvaluationData, WithoutLabelsIsNotLabelled) {
  write_samples("a.npz", {1});
  EXPECT_FALSE(open()->is_labelled());
  EXPECT_EQ(read(*open()), "1:null ");
}

TEST_F(EvaluationData, ThatIsNotThereIsNotTakenForDataWithoutLabels) {
  const Path nowhere = folder_.path() / "nowhere";
  const auto data = open_at(nowhere);
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().what, "cannot read '" + nowhere.string() + "'");
  EXPECT_EQ(data.error().cause, "No such file or directory");
  EXPECT_EQ(data.error().hint,
            "name a folder of samples, or a file of rows or arrays: docs/eval.md");
  ASSERT_TRUE(write_file(folder_.path() / "file", ""));
  EXPECT_EQ(open_at(folder_.path() / "file/below").error().cause, "Not a directory");
}

TEST_F(EvaluationData, WithMoreOrFewerLabelsThanSamplesIsRefused) {
  write_samples("a.npz", {1, 2});
  write_labels("[1]");
  EXPECT_EQ(read(*open()), "the data has more samples than its 1 label");
  write_labels("[1, 2, 3]");
  EXPECT_EQ(read(*open()), "the data has fewer samples than its 3 labels");
}

TEST_F(EvaluationData, WithLabelsThatCannotBeReadIsRefused) {
  write_samples("a.npz", {1});
  write_labels("7");
  const auto data = open();
  ASSERT_FALSE(data);
  EXPECT_THAT(data.error().what, HasSubstr("holds no labels"));
}

TEST_F(EvaluationData, IsAFolderPerClassInTheOrderOfTheirNames) {
  write_samples("dog/1.npz", {5});
  write_samples("cat/1.npz", {6, 7});
  EXPECT_EQ(read(*open()), "6:0 7:0 5:1 ");
}

TEST_F(EvaluationData, TakesNumbersThatFoldersAreCalled) {
  write_samples("7/1.npz", {5});
  write_samples("3/1.npz", {6});
  EXPECT_EQ(read(*open()), "6:3 5:7 ");
}

// --- Rows

// A row is a number and its label.
class NumberEncoder : public Encoder {
 public:
  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    const std::string* text = row.find("x")->as_string();
    const double value =
        text != nullptr ? std::atof(text->c_str()) : row.find("x")->to_double().value_or(0);
    if (value == 13) return fail(Fault::bad_input, "13 is no number for us");
    return std::vector<LabelledSample>{{{{"x", one_number("x", value)}}, *row.find("label")}};
  }
  std::map<std::string, std::string> described() const override { return {{"input", "numbers"}}; }
};

Task number_task() {
  return {.name = "numbers",
          .summary = "Numbers",
          .columns = {{.name = "x", .holds = "a number"}, {.name = "label", .holds = "a label"}},
          .encode = [](const EncoderSettings&) {
            return Result<std::unique_ptr<Encoder>>(std::make_unique<NumberEncoder>());
          }};
}

class EvaluationRows : public EvaluationData {
 protected:
  Path write(const std::string& name, const std::string& content) {
    EXPECT_TRUE(write_file(folder_.path() / name, content));
    return folder_.path() / name;
  }
  EvalData open_rows_at(const Path& path) {
    DataRequest request = request_;
    request.data = path;
    request.task = &task_;
    request.encoding.inputs = inputs_;
    auto data = EvalData::open(std::move(request));
    EXPECT_TRUE(data) << data.error().what;
    return *std::move(data);
  }
  // All samples, then what was used.
  std::string read_all(EvalData& data) {
    std::string text;
    while (const auto next = data.next().value()) {
      text += std::to_string(static_cast<int>(to_doubles(*next->sample.at("x"))->front())) + ":" +
              next->label.dump(-1) + "@" + std::to_string(next->row) + " ";
    }
    return text;
  }

  const Task task_ = number_task();
  DataRequest request_;
};

TEST_F(EvaluationRows, AreSamplesAndBrokenOnesAreNamedAndCounted) {
  EvalData data = open_rows_at(write("a.csv", "x,label\n1,a\n2\n13,b\n3,c\n"));
  EXPECT_EQ(read_all(data), R"(1:"a"@0 3:"c"@1 )");
  const EvalSamples used = data.used();
  EXPECT_EQ(used.broken, 2u);
  EXPECT_EQ(used.broken_rows[0].where, "a.csv, line 3");
  EXPECT_EQ(used.broken_rows[0].why, "it has 1 field, and there are 2 columns");
  EXPECT_EQ(used.broken_rows[1].where, "a.csv, line 4");
  EXPECT_EQ(used.broken_rows[1].why, "13 is no number for us");
}

TEST_F(EvaluationRows, HaveTheHashOfTheirContentWhereverItLies) {
  EvalData csv = open_rows_at(write("a.csv", "label,x\na,1\nb,2\n"));
  EvalData json = open_rows_at(write("b.jsonl", R"({"x": "1", "label": "a"}
{"x": "2", "label": "b", "else": 1})"));
  EvalData other = open_rows_at(write("c.csv", "label,x\na,1\nb,3\n"));
  EXPECT_EQ(read_all(csv), read_all(json));
  read_all(other);
  EXPECT_EQ(csv.used().sha256.size(), 64u);
  EXPECT_EQ(csv.used().sha256, json.used().sha256);
  EXPECT_NE(csv.used().sha256, other.used().sha256);
}

TEST_F(EvaluationRows, TakeTheirColumnsFromWhatWasSaidOrTheCard) {
  write("a.csv", "value,stars\n1,a\n");
  write("dataset.json", R"({"schema_version": 1, "files": {"test": "a.csv"},
      "columns": {"x": "value", "label": "value"}, "labels": {}})");
  request_.columns = {{"label", "stars"}};
  EvalData data = open_rows_at(folder_.path());
  EXPECT_EQ(read_all(data), R"(1:"a"@0 )");
}

TEST_F(EvaluationRows, WithoutAColumnThatIsNeededAreBroken) {
  EvalData data = open_rows_at(write("a.csv", "value,label\n1,a\n"));
  EXPECT_EQ(read_all(data), "");
  EXPECT_EQ(data.used().broken_rows[0].why,
            "it has no column 'x' (--columns x=NAME says which one it is)");
}

TEST_F(EvaluationRows, AreDrawnFromAllOfThemBySeedInTheirOrder) {
  std::string text = "x,label\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(100 + i) + ",a\n";
  const Path file = write("a.csv", text);
  request_.shuffle = true;
  request_.limit = 20;
  std::vector<std::string> drawn;
  for (const std::uint64_t seed : {1u, 1u, 2u}) {
    request_.seed = seed;
    EvalData data = open_rows_at(file);
    drawn.push_back(read_all(data));
  }
  EXPECT_EQ(drawn[0], drawn[1]);
  EXPECT_NE(drawn[0], drawn[2]);
  EXPECT_EQ(std::ranges::count(drawn[0], '@'), 20);
  EXPECT_GT(drawn[0].find(":\"a\"@19"), 0u);
}

TEST_F(EvaluationData, ThatIsWrittenIsReadAgain) {
  auto writer = DatasetWriter::create(folder_.path() / "made", false);
  for (int i = 0; i < 130; ++i) ASSERT_TRUE(writer->add({{"x", one_number("x", i)}}, Json(i)));
  ASSERT_TRUE(writer->finish("t", Json()));
  EXPECT_EQ(writer->files(), 3u);
  auto data = open_at(folder_.path() / "made");
  ASSERT_TRUE(data);
  EXPECT_EQ(data->task(), "t");
  for (int i = 0; i < 130; ++i) EXPECT_EQ((*data->next())->label, Json(i));
  EXPECT_FALSE(*data->next());
}

TEST_F(EvaluationData, ThatIsThereIsReplacedOnlyOnRequest) {
  write_samples("samples-00007.npz", {1});
  const auto refused = DatasetWriter::create(folder_.path(), false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("there is data in"));
  EXPECT_TRUE(DatasetWriter::create(folder_.path(), true));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "samples-00007.npz"));
}

}  // namespace
}  // namespace hone
