#include "checkpoint/own_weights.h"

#include <gtest/gtest.h>

#include <map>

#include "checkpoint/export.h"
#include "checkpoint/safetensors.h"
#include "model/elements.h"

namespace hone {
namespace {

constexpr auto checkpoint = "tests/fixtures/hf/bert";

std::map<std::string, TensorPtr> weights_of_checkpoint() {
  std::map<std::string, TensorPtr> all;
  const std::vector<TensorPtr> tensors = read_checkpoint_tensors(checkpoint).value();
  for (const TensorPtr& tensor : tensors) all[tensor->name] = tensor;
  return all;
}

// Rounded as the type has them.
std::vector<double> numbers_as(ElementType type, const Tensor& tensor) {
  std::vector<double> numbers = to_doubles(tensor).value();
  std::string bytes(numbers.size() * 8, '\0');
  encode_elements(type, numbers, bytes.data());
  decode_elements(type, bytes, numbers);
  return numbers;
}

std::vector<double> turned(const std::vector<double>& numbers, const Tensor& tensor) {
  const auto rows = static_cast<std::size_t>(tensor.dims[0]);
  const auto columns = static_cast<std::size_t>(tensor.dims[1]);
  std::vector<double> turned(numbers.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      turned[column * rows + row] = numbers[row * columns + column];
  return turned;
}

class OwnWeightsIn : public testing::TestWithParam<ElementType> {};

TEST_P(OwnWeightsIn, AreThoseOfTheCheckpointAsTheGraphTakesThem) {
  const TemporaryFolder folder = TemporaryFolder::create("own").value();
  ExportChoice choice;
  choice.net.type = GetParam();
  auto exported = export_checkpoint(checkpoint, choice);
  ASSERT_TRUE(exported);
  Model& model = exported->graphs.front().model;
  const auto made = give_own_weights(model, folder.path() / "m.onnx.data", {});
  ASSERT_TRUE(made) << made.error().what << made.error().cause;
  EXPECT_GT(made->turned, 0U);
  ASSERT_TRUE(save_model(model, folder.path() / "m.onnx",
                         {.placement = DataPlacement::keep, .data_file = {}, .overwrite = false}));

  const Model saved = load_model(folder.path() / "m.onnx").value();
  const auto originals = weights_of_checkpoint();
  std::size_t compared = 0;
  for (const Value* value : saved.graph->initializers()) {
    const auto at = originals.find(value->name());
    if (at == originals.end()) continue;
    const Tensor& own = *value->initializer();
    const std::vector<double> expected = numbers_as(GetParam(), *at->second);
    ASSERT_EQ(own.type, GetParam()) << own.name;
    ASSERT_FALSE(own.absent) << own.name;
    const std::vector<double> numbers = to_doubles(own).value();
    const bool is_as_it_was = own.dims == at->second->dims && numbers == expected;
    EXPECT_TRUE(is_as_it_was || numbers == turned(expected, *at->second)) << own.name;
    ++compared;
  }
  EXPECT_EQ(compared, originals.size());
}

INSTANTIATE_TEST_SUITE_P(All, OwnWeightsIn,
                         testing::Values(ElementType::float32, ElementType::float16,
                                         ElementType::bfloat16),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace hone
