#include "checkpoint/weight_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace hone {
namespace {

using testing::HasSubstr;

TensorPtr matrix(std::int64_t rows, std::int64_t columns) {
  std::vector<float> numbers(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 2039) - 1000;
  const TensorPtr flat = make_float_tensor("w", numbers);
  return make_tensor("w", ElementType::float32, {rows, columns}, flat->dense);
}

std::vector<double> turned(const Tensor& tensor) {
  const std::vector<double> numbers = to_doubles(tensor).value();
  const auto rows = static_cast<std::size_t>(tensor.dims[0]);
  const auto columns = static_cast<std::size_t>(tensor.dims[1]);
  std::vector<double> made(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    made[i % columns * rows + i / columns] = numbers[i];
  return made;
}

std::vector<double> numbers_of(const WeightForm& form) {
  const TensorPtr made =
      make_tensor("w", form.type, dims_of(form), Blob::own(read_weight(form).value()));
  return to_doubles(*made).value();
}

using Dims = std::pair<std::int64_t, std::int64_t>;
class MatricesOf : public testing::TestWithParam<Dims> {};

// Whole numbers below 2048 are the same in all these types.
TEST_P(MatricesOf, AreTurnedInEveryType) {
  const TensorPtr source = matrix(GetParam().first, GetParam().second);
  for (const ElementType type :
       {ElementType::float32, ElementType::float16, ElementType::float64}) {
    EXPECT_EQ(numbers_of({source, type, true}), turned(*source)) << name_of(type);
    EXPECT_EQ(numbers_of({source, type, false}), to_doubles(*source).value()) << name_of(type);
  }
}

INSTANTIATE_TEST_SUITE_P(AnySize, MatricesOf,
                         testing::Values(Dims{1, 1}, Dims{1, 40}, Dims{40, 1}, Dims{16, 16},
                                         Dims{17, 35}, Dims{48, 300}, Dims{0, 4}),
                         [](const auto& test) {
                           return std::to_string(test.param.first) + "_by_" +
                                  std::to_string(test.param.second);
                         });

// Enough for two threads.
TEST(Weights, LieInTheFileWhereTheyWerePlaced) {
  std::vector<PlacedWeight> all;
  std::uint64_t end = 0;
  for (std::int64_t i = 0; i < 40; ++i) {
    all.push_back({{matrix(200 + i, 640), ElementType::float32, i % 3 != 0}, end + 64});
    end += 64 + bytes_of(all.back().form);
  }
  const TemporaryFolder folder = TemporaryFolder::create("weights").value();
  AtomicFile file = AtomicFile::create(folder.path() / "data").value();
  ASSERT_TRUE(file.pad_to(end));
  ASSERT_TRUE(file.flush());
  std::uint64_t told = 0;
  ASSERT_TRUE(write_weights(file, all, [&](std::uint64_t bytes, std::uint64_t total) {
    EXPECT_GT(bytes, told);
    EXPECT_EQ(total, end);
    told = bytes;
  }));
  EXPECT_EQ(told, end - 64 * all.size());
  ASSERT_TRUE(file.commit());
  const std::string bytes = read_file(folder.path() / "data").value();
  for (const PlacedWeight& one : all)
    EXPECT_EQ(bytes.substr(one.offset, bytes_of(one.form)), read_weight(one.form).value());
}

TEST(Weights, ThatHoldWhatIsNoNumberAreNotCast) {
  std::vector<float> numbers(20'000, 1.0F);
  numbers.back() = std::numeric_limits<float>::quiet_NaN();
  const TensorPtr source = make_float_tensor("w", numbers);
  EXPECT_TRUE(read_weight({source, ElementType::float32, false}));
  const auto cast = read_weight({source, ElementType::float16, false});
  ASSERT_FALSE(cast);
  EXPECT_THAT(cast.error().what, HasSubstr("'w' holds what is no number"));
}

}  // namespace
}  // namespace hone
