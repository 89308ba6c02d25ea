#include "inspect/run/given_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/run/assign_inputs.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Kind = GivenInput::Kind;

Port port(std::string name, ElementType type, const std::vector<std::int64_t>& dims) {
  return {std::move(name), Type::tensor(type, shape_of(dims))};
}

const std::vector<Port> two = {port("x", ElementType::float32, {1, 3, 8, 8}),
                               port("x=y", ElementType::int64, {1}),
                               port("words", ElementType::string, {1})};

GivenInput parse(const std::string& word) {
  const auto given = parse_inputs({word}, two);
  EXPECT_TRUE(given) << given.error().what;
  EXPECT_THAT(*given, SizeIs(1));
  return given->front();
}

Error refusal(const std::string& word) {
  const auto given = parse_inputs({word}, two);
  EXPECT_FALSE(given) << word;
  return given ? Error{} : given.error();
}

class InputWords : public testing::Test {
 protected:
  std::string touch(const std::string& name) {
    const Path path = folder_.path() / name;
    EXPECT_TRUE(write_file(path, "x"));
    return path.string();
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("words");
};

TEST_F(InputWords, AreTakenApartAtTheLongestNameOfAnInput) {
  EXPECT_EQ(parse("x=cat.PNG").input, "x");
  EXPECT_EQ(parse("x=y=[1]").input, "x=y");
  EXPECT_EQ(parse("x=y:=5").words, "5");
  EXPECT_EQ(parse("x=y:=5").kind, Kind::value);
  EXPECT_EQ(parse("words=text:a=b").words, "a=b");
  EXPECT_EQ(parse("text:no name").input, "");
}

TEST_F(InputWords, HaveAKindByWhatTheyAre) {
  EXPECT_EQ(parse("a.npy").kind, Kind::array);
  EXPECT_EQ(parse("x=a.npz").kind, Kind::archive);
  EXPECT_EQ(parse("a.jpeg").kind, Kind::picture);
  EXPECT_EQ(parse("a.WAV").kind, Kind::sound);
  EXPECT_EQ(parse("[1,2]").kind, Kind::numbers);
}

TEST_F(InputWords, MayBeAFileWithAnEqualsSignInItsName) {
  EXPECT_EQ(parse(touch("a=b.npy")).input, "");
}

TEST_F(InputWords, OfAFolderAreItsFilesInTheOrderOfTheirNames) {
  for (const char* name : {"b.png", "a.png", "notes.txt"}) touch(name);
  const auto given = parse_inputs({"x=" + folder_.path().string()}, two);
  ASSERT_TRUE(given);
  ASSERT_THAT(*given, SizeIs(2));
  EXPECT_THAT(given->front().words, HasSubstr("a.png"));
  EXPECT_EQ(given->back().input, "x");
}

TEST_F(InputWords, ThatMeanNothingAreRefusedWithWhatThereIs) {
  const Error unknown = refusal("wordz=cat.png");
  EXPECT_EQ(unknown.what, "the model has no input 'wordz'");
  EXPECT_EQ(unknown.cause, "its inputs are x: float[1,3,8,8], x=y: int64[1], words: string[1]");
  EXPECT_EQ(unknown.hint, "did you mean 'words'?");
  EXPECT_EQ(refusal("wordz:=5").what, "the model has no input 'wordz'");
  EXPECT_THAT(refusal("x=16000").hint, HasSubstr("--input x:=16000"));
  EXPECT_EQ(refusal("x=nowhere").fault, Fault::not_found);
  EXPECT_THAT(refusal("x=" + touch("a.gif")).hint, HasSubstr("an .npy, .png, .jpg, .bmp or .wav"));
  EXPECT_THAT(refusal("a.npz").hint, HasSubstr("--input-data a.npz"));
  EXPECT_THAT(refusal(folder_.path().string()).what, HasSubstr("there is no input in the folder"));
}

TEST_F(InputWords, WithoutANameGoWhereTheyFit) {
  const auto assigned = assign_inputs(*parse_inputs({"a.png", "b.png", "text:hi"}, two), two);
  ASSERT_TRUE(assigned) << assigned.error().what;
  EXPECT_THAT(assigned->at("x"), SizeIs(2));
  EXPECT_THAT(assigned->at("words"), SizeIs(1));
}

TEST_F(InputWords, WithoutANameGoToTheOnlyInputThatNothingElseIsGivenFor) {
  const auto assigned =
      assign_inputs(*parse_inputs({"x=y=[1]", "words=text:hi", "a.wav"}, two), two);
  ASSERT_TRUE(assigned);
  EXPECT_THAT(assigned->at("x"), SizeIs(1));
}

TEST_F(InputWords, ThatFitNoneOrSeveralAreRefused) {
  const auto none = assign_inputs(*parse_inputs({"a.wav"}, two), two);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "no input of the model takes 'a.wav'");
  const std::vector<Port> pair = {port("left", ElementType::float32, {1, 3, 8, 8}),
                                  port("right", ElementType::float32, {1, 3, 8, 8})};
  const auto both = assign_inputs(*parse_inputs({"a.png"}, pair), pair);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().what, "'a.png' fits more than one input: 'left', 'right'");
  EXPECT_THAT(both.error().hint, HasSubstr("--input left=a.png"));
  const auto twice = assign_inputs(*parse_inputs({"x=y:=1", "x=y:=2"}, two), two);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().what, "the input 'x=y' is given twice");
}

}  // namespace
}  // namespace hone
