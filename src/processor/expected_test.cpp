// What comes out, beside what transformers and Pillow make of the same.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/hash.h"
#include "processor/processor.h"
#include "processor/samples_for_tests.h"

namespace hone {
namespace {

std::string text_of(const Json& json, std::string_view key) { return *json.find(key)->as_string(); }

template <class T>
std::string hash_of_values(const std::vector<T>& values) {
  return sha256({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}).hex();
}

std::vector<std::int64_t> wholes(const Json& list) {
  std::vector<std::int64_t> numbers;
  for (const Json& number : *list.as_array()) numbers.push_back(*number.to_int());
  return numbers;
}

// The largest difference of values at the places of which the fixture has some.
double largest_difference(const Json& row, const std::vector<float>& values) {
  const Json::Array& samples = *row.find("samples")->as_array();
  double largest = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double value = values[i * (values.size() - 1) / (samples.size() - 1)];
    largest = std::max(largest, std::abs(value - *samples[i].to_double()));
  }
  return largest;
}

Result<Processor> processor_of(const Json& entry) {
  const Json* type = entry.find("model_type");
  Json config = *entry.find("config");
  const bool is_named = type != nullptr || config.find("image_processor_type") != nullptr ||
                        config.find("feature_extractor_type") != nullptr;
  if (!is_named) config.set("image_processor_type", *entry.find("class"));
  return read_processor(config, {.file = "preprocessor_config.json",
                                 .model_type = type != nullptr ? *type->as_string() : "",
                                 .pictures = {}});
}

TEST(Resizing, MakesPillowsBytesWithEveryFilter) {
  const Json expected = fixture("expected.json");
  for (const Json& row : *expected.find("resizes")->as_array()) {
    const auto from = wholes(*row.find("from"));
    const auto to = wholes(*row.find("to"));
    const Image picture =
        sample_picture(static_cast<std::size_t>(from[0]), static_cast<std::size_t>(from[1]));
    const auto filter = static_cast<Filter>(*row.find("resample")->to_int());
    const Image made =
        resize(picture, static_cast<std::size_t>(to[0]), static_cast<std::size_t>(to[1]), filter);
    EXPECT_EQ(sha256(made.bytes).hex(), text_of(row, "sha256"))
        << name_of(filter) << " " << from[0] << "x" << from[1] << " to " << to[0] << "x" << to[1];
  }
}

TEST(PictureProcessors, MakeTransformersValuesToTheLastBit) {
  const Json configs = fixture("configs.json");
  const Json expected = fixture("expected.json");
  std::size_t kinds = 0;
  for (const auto& [name, entry] : *configs.find("pictures")->as_object()) {
    const auto processor = processor_of(entry);
    ASSERT_TRUE(processor) << name << ": " << processor.error().what << processor.error().cause;
    ++kinds;
    for (const Json& row : *expected.find("pictures")->as_array()) {
      if (text_of(row, "of") != name) continue;
      const auto made =
          prepare_picture(*processor->picture(), sample_picture(text_of(row, "picture")));
      ASSERT_TRUE(made) << name << ": " << made.error().what;
      const auto dims = wholes(*row.find("shape"));
      EXPECT_EQ(made->size,
                (PictureSize{static_cast<std::size_t>(dims[1]), static_cast<std::size_t>(dims[2])}))
          << name;
      if (made->values.size() != static_cast<std::size_t>(dims[0] * dims[1] * dims[2])) continue;
      EXPECT_LE(largest_difference(row, made->values), 1e-6) << name;
      if (processor->picture()->keeps_bytes) {
        std::string bytes;
        for (const float value : made->values)
          bytes += static_cast<char>(static_cast<unsigned char>(value));
        EXPECT_EQ(sha256(bytes).hex(), text_of(row, "sha256")) << name;
      } else {
        EXPECT_EQ(hash_of_values(made->values), text_of(row, "sha256")) << name;
      }
      if (row.find("mask") != nullptr) {
        EXPECT_EQ(hash_of_values(made->mask), text_of(row, "mask")) << name;
      } else {
        EXPECT_TRUE(made->mask.empty()) << name;
      }
    }
  }
  EXPECT_GE(kinds, 25U);
}

TEST(SoundProcessors, MakeTransformersValues) {
  const Json configs = fixture("configs.json");
  const Json expected = fixture("expected.json");
  for (const Json& row : *expected.find("sounds")->as_array()) {
    const std::string name = text_of(row, "of");
    const auto processor = processor_of(*configs.find("sounds")->find(name));
    ASSERT_TRUE(processor) << name << ": " << processor.error().what << processor.error().cause;
    const auto samples = static_cast<std::size_t>(*row.find("samples_in")->to_int());
    const auto made = processor->sound()->prepare(sample_sound(samples), std::nullopt);
    ASSERT_TRUE(made) << name << ": " << made.error().what;
    EXPECT_EQ(made->dims, wholes(*row.find("shape"))) << name;
    EXPECT_LE(largest_difference(row, made->values), 1e-4) << name;
    double sum = 0;
    for (const float value : made->values) sum += value;
    EXPECT_NEAR(sum / static_cast<double>(made->values.size()), *row.find("mean")->to_double(),
                1e-6)
        << name;
  }
}

}  // namespace
}  // namespace hone
