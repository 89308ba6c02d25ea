#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/eval/image_file.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A BMP of two pixels beside each other: red and blue.
std::string red_and_blue() {
  const auto number = [](std::uint32_t value, std::size_t bytes) {
    return std::string(reinterpret_cast<const char*>(&value), bytes);
  };
  const std::string pixels("\x00\x00\xFF\xFF\x00\x00\x00\x00", 8);
  return "BM" + number(62, 4) + number(0, 4) + number(54, 4) + number(40, 4) + number(2, 4) +
         number(1, 4) + number(1, 2) + number(24, 2) + number(0, 4) + number(8, 4) + number(0, 4) +
         number(0, 4) + number(0, 4) + number(0, 4) + pixels;
}

class ProcessedPictures : public testing::Test {
 protected:
  Result<ProcessedImage> process(const std::string& config, Type type) {
    const Path file = folder_.path() / "picture.bmp";
    EXPECT_TRUE(write_file(file, red_and_blue()));
    EXPECT_TRUE(write_file(folder_.path() / "preprocessor_config.json", config));
    const auto processor = find_processor(folder_.path(), Medium::picture, {});
    EXPECT_TRUE(processor && *processor);
    return process_image(file, {"pixel_values", std::move(type)}, **processor);
  }

  static Type floats(std::vector<std::int64_t> dims, ElementType type = ElementType::float32) {
    return Type::tensor(type, shape_of(dims));
  }

  const std::string plain_ = R"({"image_processor_type": "ViTImageProcessor",
      "size": {"height": 1, "width": 2}, "do_normalize": false})";
  TemporaryFolder folder_ = *TemporaryFolder::create("processed");
};

TEST_F(ProcessedPictures, HaveTheLayoutAndTheTypeOfTheInput) {
  const auto planes = process(plain_, floats({1, 3, 1, 2}));
  ASSERT_TRUE(planes) << planes.error().cause;
  EXPECT_THAT(*to_doubles(*planes->picture), ElementsAre(1, 0, 0, 0, 0, 1));
  EXPECT_EQ(planes->mask, nullptr);
  const auto pixels = process(plain_, floats({1, 1, 2, 3}, ElementType::float16));
  ASSERT_TRUE(pixels) << pixels.error().cause;
  EXPECT_EQ(pixels->picture->type, ElementType::float16);
  EXPECT_THAT(*to_doubles(*pixels->picture), ElementsAre(1, 0, 0, 0, 0, 1));
}

TEST_F(ProcessedPictures, ThatTheInputDoesNotTakeAreRefusedWithBothShapes) {
  const auto larger = process(plain_, floats({1, 3, 4, 4}));
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().cause, "it takes float[1,3,4,4], and that is float[1,3,1,2]");
  EXPECT_FALSE(process(plain_, floats({1, 1, 1, 2})));
  const auto bytes = process(plain_, floats({1, 3, 1, 2}, ElementType::uint8));
  ASSERT_FALSE(bytes);
  EXPECT_THAT(bytes.error().cause, HasSubstr("it takes uint8[1,3,1,2]"));
}

TEST_F(ProcessedPictures, AreBytesWhereNothingIsDoneToThem) {
  const auto made =
      process(R"({"image_processor_type": "LayoutLMv2ImageProcessor", "do_resize": false})",
              floats({1, 3, 1, 2}, ElementType::uint8));
  ASSERT_TRUE(made) << made.error().cause;
  EXPECT_THAT(*to_ints(*made->picture), ElementsAre(0, 255, 0, 0, 255, 0));
}

TEST_F(ProcessedPictures, BringTheirMask) {
  const auto made = process(R"({"image_processor_type": "DetrImageProcessor", "do_resize": false,
                               "do_normalize": false, "pad_size": {"height": 2, "width": 3}})",
                            floats({1, 3, 2, 3}));
  ASSERT_TRUE(made) << made.error().cause;
  ASSERT_NE(made->mask, nullptr);
  EXPECT_THAT(made->mask->dims, ElementsAre(1, 2, 3));
  EXPECT_THAT(*to_ints(*made->mask), ElementsAre(1, 1, 0, 0, 0, 0));
}

TEST_F(ProcessedPictures, AreFirstWhatTheNewerFileSays) {
  EXPECT_TRUE(write_file(folder_.path() / "processor_config.json",
                         R"({"image_processor": {"image_processor_type": "ViTImageProcessor",
                              "do_resize": false, "do_rescale": false, "do_normalize": false}})"));
  const auto made = process(plain_, floats({1, 3, 1, 2}));
  ASSERT_TRUE(made);
  EXPECT_THAT(*to_doubles(*made->picture), ElementsAre(255, 0, 0, 0, 0, 255));
}

}  // namespace
}  // namespace hone
