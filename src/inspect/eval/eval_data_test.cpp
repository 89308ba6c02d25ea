#include "inspect/eval/eval_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    return EvalData::open(folder_.path(), inputs_, {}, limit);
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
  const auto data = EvalData::open(nowhere, inputs_);
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().what, "cannot read '" + nowhere.string() + "'");
  EXPECT_EQ(data.error().cause, "No such file or directory");
  EXPECT_EQ(data.error().hint, "name a folder of samples or an .npz file: docs/eval.md");
  ASSERT_TRUE(write_file(folder_.path() / "file", ""));
  EXPECT_EQ(EvalData::open(folder_.path() / "file/below", inputs_).error().cause,
            "Not a directory");
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

TEST_F(EvaluationData, ThatIsWrittenIsReadAgain) {
  auto writer = DatasetWriter::create(folder_.path() / "made", false);
  for (int i = 0; i < 130; ++i) ASSERT_TRUE(writer->add({{"x", one_number("x", i)}}, Json(i)));
  ASSERT_TRUE(writer->finish("t", Json()));
  EXPECT_EQ(writer->files(), 3u);
  auto data = EvalData::open(folder_.path() / "made", inputs_);
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
