#include "inspect/eval/image_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

std::string number(std::uint32_t value, std::size_t bytes) {
  return std::string(reinterpret_cast<const char*>(&value), bytes);
}

// A BMP of two pixels beside each other: red and blue.
std::string red_and_blue() {
  const std::string pixels = std::string("\x00\x00\xFF\xFF\x00\x00\x00\x00", 8);
  return "BM" + number(62, 4) + number(0, 4) + number(54, 4) + number(40, 4) + number(2, 4) +
         number(1, 4) + number(1, 2) + number(24, 2) + number(0, 4) + number(8, 4) + number(0, 4) +
         number(0, 4) + number(0, 4) + number(0, 4) + pixels;
}

class Pictures : public testing::Test {
 protected:
  Path write(std::string_view bytes) {
    const Path file = folder_.path() / "picture.bmp";
    EXPECT_TRUE(write_file(file, bytes));
    return file;
  }
  static Port input(std::vector<std::int64_t> dims) {
    return {"pixels", Type::tensor(ElementType::float32, shape_of(dims))};
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("pictures");
};

TEST_F(Pictures, AreReadAsRedGreenAndBlue) {
  const auto image = read_image(write(red_and_blue()), 3);
  ASSERT_TRUE(image) << image.error().cause;
  EXPECT_EQ(image->width, 2u);
  EXPECT_EQ(image->height, 1u);
  EXPECT_EQ(image->bytes, std::string("\xFF\x00\x00\x00\x00\xFF", 6));
}

TEST_F(Pictures, BecomePlanesOrPixelsAsTheInputAsks) {
  const ImageRules plain{.mean = {0}, .deviation = {1}, .size = 2};
  const auto planes = load_image(write(red_and_blue()), input({1, 3, 1, 2}), plain);
  ASSERT_TRUE(planes);
  EXPECT_THAT(*to_doubles(**planes), ElementsAre(1, 0, 0, 0, 0, 1));
  const auto pixels = load_image(write(red_and_blue()), input({1, 1, 2, 3}), plain);
  EXPECT_THAT(*to_doubles(**pixels), testing::SizeIs(6));  // [N,1,H,W] is grey
  const auto last = load_image(write(red_and_blue()), input({1, 2, 2, 3}), plain);
  EXPECT_THAT(*to_doubles(**last), ElementsAre(1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1));
}

TEST_F(Pictures, AreNormalizedChannelByChannel) {
  const ImageRules rules{.mean = {1, 0, 0.5}, .deviation = {1, 1, 0.5}, .size = 2};
  const auto tensor = load_image(write(red_and_blue()), input({1, 3, 1, 2}), rules);
  EXPECT_THAT(*to_doubles(**tensor), ElementsAre(0, -1, 0, 0, -1, 1));
}

TEST_F(Pictures, ThatAreDamagedAreRefused) {
  const auto image = read_image(write("BM and nothing else"), 3);
  ASSERT_FALSE(image);
  EXPECT_THAT(image.error().what, HasSubstr("is no picture that can be read"));
}

TEST_F(Pictures, AreBytesAsTheyAreForIntegersAndFloatsOfAnyWidth) {
  const auto take = [&](ElementType type) {
    return load_image(write(red_and_blue()), {"p", Type::tensor(type, shape_of({1, 2, 2, 3}))},
                      {.mean = {0}, .deviation = {1}});
  };
  const auto bytes = take(ElementType::uint8);
  ASSERT_TRUE(bytes);
  EXPECT_THAT(*to_ints(**bytes), ElementsAre(255, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 255));
  const auto halves = take(ElementType::float16);
  ASSERT_TRUE(halves);
  EXPECT_EQ((*halves)->type, ElementType::float16);
  EXPECT_THAT(*to_doubles(**halves), ElementsAre(1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1));
  EXPECT_FALSE(take(ElementType::boolean));
}

TEST_F(Pictures, GoIntoInputsWithoutABatchAndNotIntoOnesOfMany) {
  const auto alone = image_layout(input({3, 8, 9}), 1);
  ASSERT_TRUE(alone);
  EXPECT_THAT(alone->dims, ElementsAre(3, 8, 9));
  EXPECT_EQ(alone->height, 8u);
  EXPECT_FALSE(image_layout(input({4, 3, 8, 9}), 1));
  EXPECT_FALSE(image_layout(input({1, 3, 0, 9}), 1));
  EXPECT_FALSE(image_layout(input({1, 3, 1 << 20, 1 << 20}), 1));
}

TEST_F(Pictures, CutAnywhereAreRefusedOfEveryKind) {
  const Path fixtures = Path(HONE_SOURCE_DIR) / "tests/fixtures/run";
  const auto refuses_all_cuts = [&](const std::string& whole, std::size_t end) {
    EXPECT_TRUE(read_image(write(whole), 3));
    for (std::size_t length = 0; length < whole.size() - end; length += 7)
      EXPECT_FALSE(read_image(write(whole.substr(0, length)), 3)) << length;
  };
  refuses_all_cuts(red_and_blue(), 1);
  refuses_all_cuts(*read_file(fixtures / "disc.jpg"), 1);
  refuses_all_cuts(*read_file(fixtures / "disc.png"), 12);  // its end mark holds no pixels
}

TEST_F(Pictures, ThatClaimToBeHugeGetNoMemory) {
  std::string png = *read_file(Path(HONE_SOURCE_DIR) / "tests/fixtures/run/disc.png");
  for (const std::size_t at : {16u, 20u}) png.replace(at, 4, "\x7F\xFF\xFF\xFF");
  const auto image = read_image(write(png), 3);
  ASSERT_FALSE(image);
  EXPECT_THAT(image.error().what, HasSubstr("is no picture that can be read"));
}

TEST_F(Pictures, ThatHoldFewerPixelsThanTheyClaimAreNotMadeUp) {
  std::string bmp = red_and_blue();
  bmp.replace(18, 4, number(16000, 4));
  const auto image = read_image(write(bmp), 3);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().cause, "its end is missing");
  EXPECT_FALSE(read_levels(write(bmp)));
  // The header of before says it in twelve bytes.
  const std::string pixels = std::string("\x00\x00\xFF\xFF\x00\x00\x00\x00", 8);
  const auto old = [&](std::uint32_t width) {
    return "BM" + number(34, 4) + number(0, 4) + number(26, 4) + number(12, 4) + number(width, 2) +
           number(1, 2) + number(1, 2) + number(24, 2) + pixels;
  };
  EXPECT_TRUE(read_image(write(old(2)), 3));
  EXPECT_FALSE(read_image(write(old(16000)), 3));
}

TEST_F(Pictures, DoNotFitAnInputOfAnotherKind) {
  const auto tensor = load_image(write(red_and_blue()), input({1, 16}), {});
  ASSERT_FALSE(tensor);
  EXPECT_THAT(tensor.error().what, HasSubstr("takes no picture"));
}

TEST(Scaling, KeepsOneColourAndItsOwnSize) {
  const Image grey{5, 3, 1, std::string(15, '\x64')};
  for (const std::size_t size : {1u, 2u, 5u, 9u}) {
    const Image scaled = resize(grey, size, size);
    EXPECT_EQ(scaled.bytes.size(), size * size);
    EXPECT_THAT(scaled.bytes, Each('\x64'));
  }
  const Image steps{3, 1, 1, std::string("\x00\x32\x64", 3)};
  EXPECT_EQ(resize(steps, 3, 1).bytes, steps.bytes);
}

TEST(Scaling, AveragesWhatBecomesSmaller) {
  const Image stripes{4, 1, 1, std::string("\x00\x64\x00\x64", 4)};
  const Image scaled = resize(stripes, 1, 1);
  EXPECT_EQ(scaled.bytes, "\x32");
}

}  // namespace
}  // namespace hone
