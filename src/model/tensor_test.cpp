#include "model/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;

TEST(ElementType, EveryOneHasANameThatLeadsBackToIt) {
  for (int number = 0; number <= 26; ++number) {
    const auto type = static_cast<ElementType>(number);
    EXPECT_EQ(element_type_named(name_of(type)), type);
  }
  EXPECT_EQ(name_of(static_cast<ElementType>(99)), "type 99");
  EXPECT_EQ(element_type_named("float31"), std::nullopt);
}

TEST(ElementType, SmallTypesArePackedIntoBytes) {
  EXPECT_EQ(bytes_of(ElementType::int4, 3), 2u);
  EXPECT_EQ(bytes_of(ElementType::uint2, 5), 2u);
  EXPECT_EQ(bytes_of(ElementType::float32, 3), 12u);
}

TEST(Shape, ASizeThatDoesNotFitIsNoSize) {
  EXPECT_EQ(count_elements({1ll << 40, 1ll << 40}), std::nullopt);
  EXPECT_EQ(count_elements({2, -1}), std::nullopt);
  EXPECT_EQ(count_elements({}), 1u);
  EXPECT_EQ(bytes_of(ElementType::float64, 1ull << 62), std::nullopt);
}

TEST(Type, ReadsAsPeopleWriteIt) {
  Shape shape = shape_of({3, 0});
  shape[1].value.reset();
  shape[1].symbol = "N";
  shape.emplace_back();
  EXPECT_EQ(to_string(Type::tensor(ElementType::float16, shape)), "float16[3,N,?]");
  EXPECT_EQ(to_string(Type::tensor(ElementType::float32)), "float[...]");
  Type sequence;
  sequence.kind = Type::Kind::sequence;
  sequence.inner = std::make_shared<const Type>(Type::tensor(ElementType::int64, Shape{}));
  EXPECT_EQ(to_string(sequence), "seq(int64[])");
}

TEST(Tensor, ReadsIntegersOfEveryWidth) {
  const auto small =
      make_tensor("w", ElementType::int8, {2}, Blob::own(std::string("\x05\xFE", 2)));
  EXPECT_THAT(*to_ints(*small), ElementsAre(5, -2));
  const auto packed =
      make_tensor("w", ElementType::int4, {3}, Blob::own(std::string("\xF1\x07", 2)));
  EXPECT_THAT(*to_ints(*packed), ElementsAre(1, -1, 7));
  const auto unsigned_packed =
      make_tensor("w", ElementType::uint4, {3}, Blob::own(std::string("\xF1\x07", 2)));
  EXPECT_THAT(*to_ints(*unsigned_packed), ElementsAre(1, 15, 7));
  const auto tiny = make_tensor("w", ElementType::int2, {4}, Blob::own(std::string("\xE4", 1)));
  EXPECT_THAT(*to_ints(*tiny), ElementsAre(0, 1, -2, -1));
}

TEST(Tensor, ReadsHalvesExactly) {
  // 1, -2, the largest, the smallest subnormal
  const auto halves = make_tensor("h", ElementType::float16, {4},
                                  Blob::own(std::string("\x00\x3C\x00\xC0\xFF\x7B\x01\x00", 8)));
  EXPECT_THAT(*to_doubles(*halves), ElementsAre(1.0, -2.0, 65504.0, 0x1p-24));
  const auto brains =
      make_tensor("b", ElementType::bfloat16, {1}, Blob::own(std::string("\xC0\x3F", 2)));
  EXPECT_THAT(*to_doubles(*brains), ElementsAre(1.5));
}

TEST(Tensor, TheWrongKindOfNumberIsAnErrorThatNamesTheTensor) {
  const float one[] = {1};
  const auto ints = to_ints(*make_float_tensor("w", one));
  ASSERT_FALSE(ints);
  EXPECT_EQ(ints.error().what, "tensor 'w' is float, which does not fit a signed integer");
}

TEST(Tensor, AbsentBytesAreAnErrorThatSaysWhichFileIsMissing) {
  Tensor tensor;
  tensor.name = "w";
  tensor.absent = true;
  tensor.external = ExternalData{"net.weights", 0, 4, {}};
  EXPECT_EQ(tensor.bytes().error().what,
            "the data of tensor 'w' is not there: 'net.weights' is missing beside the model");
  EXPECT_NE(tensor.bytes().error().hint.find("hone hydrate"), std::string::npos);
}

}  // namespace
}  // namespace hone
