#include "inspect/eval/similarity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "inspect/eval/dataset.h"

namespace hone {
namespace {

using Numbers = std::vector<double>;

Tensor tensor(const Numbers& numbers, std::vector<std::int64_t> dims = {}) {
  if (dims.empty()) dims = {static_cast<std::int64_t>(numbers.size())};
  return *make_float_input("y", std::move(dims), numbers);
}

Numbers random_numbers(Random& random, std::size_t count) {
  Numbers numbers(count);
  for (double& number : numbers) number = static_cast<float>(2 * random.uniform() - 1);
  return numbers;
}

// As they are: make_float_input keeps infinities out.
Tensor raw_tensor(const std::vector<float>& numbers) {
  std::string bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  return *make_tensor("y", ElementType::float32, {static_cast<std::int64_t>(numbers.size())},
                      Blob::own(std::move(bytes)));
}

TEST(Similarity, OfATensorWithItselfIsIdenticalAndHasNoNoise) {
  const auto same = compare_tensors(tensor({1, -2, 3}), tensor({1, -2, 3}));
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->identical);
  EXPECT_EQ(same->max_abs, 0);
  EXPECT_DOUBLE_EQ(same->cosine, 1);
  EXPECT_FALSE(same->sqnr_db);
  EXPECT_FALSE(same->psnr_db);
}

TEST(Similarity, IsTheRatioOfSignalToNoise) {
  // Signal 100, noise 1, of four elements whose largest is 8.
  const auto near = compare_tensors(tensor({6, 8, 0, 0}), tensor({6, 8, 1, 0}));
  ASSERT_TRUE(near);
  EXPECT_NEAR(*near->sqnr_db, 20, 1e-9);
  EXPECT_NEAR(*near->psnr_db, 10 * std::log10(64 * 4), 1e-9);
  EXPECT_DOUBLE_EQ(near->max_abs, 1);
}

TEST(Similarity, DoesNotChangeWhenBothSidesAreScaled) {
  Random random(2);
  for (int round = 0; round < 50; ++round) {
    Numbers a = random_numbers(random, 32);
    Numbers b = random_numbers(random, 32);
    const auto before = compare_tensors(tensor(a), tensor(b));
    for (double& number : a) number *= 8;
    for (double& number : b) number *= 8;
    const auto after = compare_tensors(tensor(a), tensor(b));
    EXPECT_NEAR(*before->sqnr_db, *after->sqnr_db, 1e-9);
    EXPECT_NEAR(*before->psnr_db, *after->psnr_db, 1e-9);
    EXPECT_NEAR(before->cosine, after->cosine, 1e-12);
    EXPECT_NEAR(before->max_abs * 8, after->max_abs, 1e-9);
  }
}

TEST(Similarity, FallsByTwentyDecibelsWhenTheErrorGrowsTenfold) {
  Random random(4);
  const Numbers reference = random_numbers(random, 64);
  Numbers near = reference;
  Numbers far = reference;
  for (std::size_t i = 0; i < near.size(); ++i) {
    near[i] += i % 2 == 0 ? 0.0625 : -0.0625;
    far[i] += i % 2 == 0 ? 0.625 : -0.625;
  }
  EXPECT_NEAR(*compare_tensors(tensor(reference), tensor(near))->sqnr_db -
                  *compare_tensors(tensor(reference), tensor(far))->sqnr_db,
              20, 1e-3);
}

TEST(Similarity, IsSamenessWhereOnlyRoundingDiffers) {
  const float next = std::nextafter(100.0F, 200.0F);
  EXPECT_TRUE(is_same_but_for_rounding(tensor({100, 0}), tensor({next, 0})));
  EXPECT_FALSE(is_same_but_for_rounding(tensor({100, 0}), tensor({100, 0.1})));
  EXPECT_FALSE(is_same_but_for_rounding(tensor({1, 1}), tensor({1, 1}, {1, 2})));
  EXPECT_TRUE(is_same_but_for_rounding(tensor({0, 0}), tensor({0, 0})));
}

TEST(Cosine, OfZerosIsOneWithZerosAndZeroWithAnythingElse) {
  EXPECT_EQ(cosine_of(Numbers{0, 0}, Numbers{0, 0}), 1);
  EXPECT_EQ(cosine_of(Numbers{0, 0}, Numbers{0, 1}), 0);
  EXPECT_EQ(cosine_of(Numbers{1, 0}, Numbers{-1, 0}), -1);
}

TEST(Similarity, CountsRowsWhoseLargestElementIsAtTheSamePlace) {
  const Numbers reference = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0};
  const Numbers other = {2, 1, 0, 0, 1, 0, 3, 0, 1, 1, 0, 0};
  const auto seen = compare_tensors(tensor(reference, {1, 4, 3}), tensor(other, {1, 4, 3}));
  ASSERT_TRUE(seen && seen->top1_agreement);
  EXPECT_DOUBLE_EQ(*seen->top1_agreement, 0.75);
}

TEST(Similarity, KnowsNoClassesInPictures) {
  const auto seen =
      compare_tensors(tensor({1, 2, 3, 4}, {1, 1, 2, 2}), tensor({1, 2, 3, 4}, {1, 1, 2, 2}));
  EXPECT_FALSE(seen->top1_agreement);
}

TEST(Similarity, IsNotToldWhereShapesDifferOrOneSideIsNotFinite) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with_nan = [](double number) {
    const auto value = static_cast<float>(number);
    std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
    return *make_tensor("y", ElementType::float32, {1}, Blob::own(bytes));
  };
  EXPECT_FALSE(compare_tensors(tensor({1, 2}), tensor({1, 2, 3})));
  EXPECT_FALSE(compare_tensors(with_nan(1), with_nan(nan)));
  EXPECT_TRUE(compare_tensors(with_nan(nan), with_nan(nan)));
}

TEST(Similarity, OfFlagsIsThatOfZerosAndOnes) {
  const auto flags = [](std::string bytes) {
    const auto count = static_cast<std::int64_t>(bytes.size());
    return *make_tensor("y", ElementType::boolean, {count}, Blob::own(std::move(bytes)));
  };
  const Tensor reference = flags({1, 0, 1, 1});
  const auto same = compare_tensors(reference, reference);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->identical);
  const auto apart = compare_tensors(reference, flags({1, 0, 1, 0}));
  ASSERT_TRUE(apart);
  EXPECT_FALSE(apart->identical);
  EXPECT_EQ(apart->max_abs, 1);
  EXPECT_NEAR(apart->cosine, std::sqrt(2.0 / 3), 1e-12);
}

TEST(Similarity, OfTextsIsKnownWhereTheyAreTheSame) {
  const auto texts = [](std::vector<std::string> words) {
    Tensor tensor;
    tensor.type = ElementType::string;
    tensor.dims = {static_cast<std::int64_t>(words.size())};
    tensor.strings = std::move(words);
    return tensor;
  };
  const auto same = compare_tensors(texts({"cat", "dog"}), texts({"cat", "dog"}));
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->identical);
  EXPECT_FALSE(compare_tensors(texts({"cat", "dog"}), texts({"cat", "cow"})));
  EXPECT_EQ(why_not_comparable(texts({"cat", "dog"}), texts({"cat", "cow"})),
            "1 of 2 texts are others");
}

TEST(Similarity, SaysWhyItIsNotTold) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(why_not_comparable(tensor({1, 2, 3}, {1, 3}), tensor({1, 2, 3, 4}, {2, 2})),
            "[2,2] where the reference has [1,3]");
  EXPECT_EQ(why_not_comparable(raw_tensor({1, 2, 3}), raw_tensor({1, nan, inf})),
            "2 of 3 numbers not finite, and finite in the reference");
  EXPECT_EQ(why_not_comparable(raw_tensor({1, nan, 3}), raw_tensor({1, 2, 3})),
            "1 of 3 numbers not finite in the reference alone");
  EXPECT_EQ(why_not_comparable(raw_tensor({1, nan, 3}), raw_tensor({1, inf, 3})),
            "infinities or NaNs that are not the reference's");
}

}  // namespace
}  // namespace hone
