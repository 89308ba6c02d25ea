#include "model/weights/hydrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "model/elements.h"
#include "model/fingerprint.h"
#include "model/weights/moments.h"
#include "model/weights/strip.h"

namespace hone {
namespace {

using testing::HasSubstr;

const Path zoo = Path(HONE_SOURCE_DIR) / "tests/fixtures/zoo";

struct Wanted {
  ElementType type = ElementType::float32;
  double mean = 0.25;
  double std = 0.5;
  std::int64_t count = 500'000;
};

// A model whose weights "w", "v", ... are absent, and their statistics.
struct Stripped {
  Model model;
  WeightStats stats;

  explicit Stripped(const std::vector<Wanted>& tensors) {
    model.ir_version = 8;
    model.set_opset("", 17);
    std::string name = "w";
    for (const Wanted& wanted : tensors) {
      Tensor tensor;
      tensor.name = name;
      tensor.type = wanted.type;
      tensor.dims = {wanted.count};
      tensor.absent = true;
      tensor.external = ExternalData{"m.weights", stats.bytes, tensor.byte_size(), {}};
      stats.tensors.emplace_back(
          name, TensorStats{static_cast<std::int32_t>(wanted.type), tensor.dims, wanted.mean,
                            wanted.std, stats.bytes, tensor.byte_size()});
      stats.bytes += (tensor.byte_size() + 63) / 64 * 64;
      model.graph->add_initializer(std::make_shared<const Tensor>(std::move(tensor)));
      --name[0];
    }
  }

  // Puts tensor `name` elsewhere in the data file.
  void place(const std::string& name, std::uint64_t offset) {
    Value* value = model.graph->find(name);
    Tensor tensor = *value->initializer();
    tensor.external->offset = offset;
    model.graph->set_initializer(*value, std::make_shared<const Tensor>(std::move(tensor)));
  }
};

class Hydrate : public testing::Test {
 protected:
  Path out() const { return folder_.path() / "m.onnx"; }

  Result<Model> fill(const Stripped& stripped, HydrateOptions options = {}) const {
    options.overwrite = true;
    HONE_TRY_DO(hydrate(stripped.model, stripped.stats, out(), options));
    return load_model(out());
  }

  std::string data(const Stripped& stripped, HydrateOptions options) const {
    EXPECT_TRUE(fill(stripped, options));
    return *read_file(folder_.path() / "m.weights");
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("hydrate-test");
};

TEST_F(Hydrate, MeanAndDeviationAreThoseOfTheStatistics) {
  for (const ElementType type :
       {ElementType::float32, ElementType::float16, ElementType::bfloat16, ElementType::float64}) {
    const Wanted wanted{.type = type};
    const auto model = fill(Stripped({wanted}));
    ASSERT_TRUE(model) << model.error().what;
    const Moments moments = *moments_of(*model->graph->find("w")->initializer());
    const auto count = static_cast<double>(wanted.count);
    EXPECT_NEAR(moments.mean(), wanted.mean, 4 * wanted.std / std::sqrt(count)) << name_of(type);
    EXPECT_NEAR(moments.deviation(), wanted.std, 4 * wanted.std / std::sqrt(2 * count))
        << name_of(type);
  }
}

TEST_F(Hydrate, IntegersAreRoundedAndStayInTheirRange) {
  const auto model = fill(Stripped({{ElementType::int8, 3, 20}, {ElementType::uint4, 8, 2}}));
  ASSERT_TRUE(model) << model.error().what;
  const Moments bytes = *moments_of(*model->graph->find("w")->initializer());
  EXPECT_NEAR(bytes.mean(), 3, 0.2);
  EXPECT_NEAR(bytes.deviation(), 20, 0.2);
  const Moments nibbles = *moments_of(*model->graph->find("v")->initializer());
  EXPECT_NEAR(nibbles.mean(), 8, 0.05);
}

TEST_F(Hydrate, WithoutDeviationEveryElementIsTheMean) {
  const auto model = fill(Stripped({{ElementType::float32, 1, 0, 1000}}));
  ASSERT_TRUE(model);
  EXPECT_EQ(*to_doubles(*model->graph->find("w")->initializer()), std::vector<double>(1000, 1));
}

TEST_F(Hydrate, StaysFiniteWhateverTheStatistics) {
  const auto model =
      fill(Stripped({{ElementType::float32, 0, 3e38, 4000}, {ElementType::float16, 0, 1e9, 4000}}));
  ASSERT_TRUE(model);
  for (const char* name : {"w", "v"}) {
    EXPECT_EQ(moments_of(*model->graph->find(name)->initializer())->count(), 4000u);
  }
}

TEST_F(Hydrate, BytesDependOnTheSeedAndNotOnTheThreads) {
  const Stripped stripped({{}, {ElementType::float16}, {ElementType::int8, 0, 9, 777'777}});
  const std::string one = data(stripped, {.seed = 5, .threads = 1});
  EXPECT_EQ(one.size(), stripped.stats.bytes - 64 + 777'777 % 64);
  EXPECT_EQ(data(stripped, {.seed = 5, .threads = 2}), one);
  EXPECT_EQ(data(stripped, {.seed = 5, .threads = 7}), one);
  EXPECT_NE(data(stripped, {.seed = 6, .threads = 2}), one);
}

TEST_F(Hydrate, ATensorDoesNotDependOnTheOthers) {
  const std::string alone = data(Stripped({Wanted{.count = 1000}}), {.seed = 1});
  const std::string with_another = data(Stripped({{.count = 1000}, {.count = 10}}), {.seed = 1});
  EXPECT_EQ(with_another.substr(0, alone.size()), alone);
}

TEST_F(Hydrate, TensorsThatShareAPlaceAreWrittenOnce) {
  Stripped stripped({{.count = 1000}, {.count = 1000}});
  stripped.place("v", 0);
  const auto report = hydrate(stripped.model, stripped.stats, out(), {});
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->tensors, 1u);
  EXPECT_EQ(report->bytes, 4000u);
}

TEST_F(Hydrate, TensorsThatOverlapAreRefused) {
  Stripped stripped({{.count = 1000}, {.count = 1000}});
  stripped.place("v", 400);
  const auto report = hydrate(stripped.model, stripped.stats, out(), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().cause, "tensor 'v' at offset 400 overlaps the one before it");
}

TEST_F(Hydrate, APlaceFarOffDoesNotMakeAnEnormousFile) {
  for (const std::uint64_t offset : {std::uint64_t{1} << 40, ~std::uint64_t{0} - 8}) {
    Stripped stripped({Wanted{.count = 1000}});
    stripped.place("w", offset);
    const auto report = hydrate(stripped.model, stripped.stats, out(), {});
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().cause, HasSubstr("is far behind the one before it"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Hydrate, AnAbsentTensorWithoutStatisticsIsNamed) {
  Stripped stripped({{.count = 1000}, {.count = 1000}});
  stripped.stats.tensors.pop_back();
  const auto report = hydrate(stripped.model, stripped.stats, out(), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().what, "the statistics do not belong to this model");
  EXPECT_EQ(report.error().cause, "they say nothing about tensor 'v', whose data is absent");
}

TEST_F(Hydrate, StatisticsOfAnotherShapeAreRefused) {
  Stripped stripped({Wanted{.count = 1000}});
  stripped.stats.tensors.front().second.shape = {10, 100};
  const auto report = hydrate(stripped.model, stripped.stats, out(), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().cause,
            "tensor 'w' is float[1000], its statistics are for float[10,100]");
}

TEST_F(Hydrate, AFileThatIsThereIsNotReplacedUnasked) {
  ASSERT_TRUE(write_file(folder_.path() / "m.weights", "precious"));
  const auto report = hydrate(Stripped({Wanted{.count = 1000}}).model,
                              Stripped({Wanted{.count = 1000}}).stats, out(), {});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().what, HasSubstr("m.weights' exists already"));
  EXPECT_EQ(*read_file(folder_.path() / "m.weights"), "precious");
}

TEST_F(Hydrate, AStructureIsFilledTwiceInOneFolder) {
  const Stripped stripped({Wanted{.count = 1000}});
  HydrateOptions options;
  for (const auto* name : {"a.onnx", "b.onnx"}) {
    const auto report = hydrate(stripped.model, stripped.stats, folder_.path() / name, options);
    ASSERT_TRUE(report) << report.error().what;
    ++options.seed;
  }
  const auto first = load_model(folder_.path() / "a.onnx");
  const auto second = load_model(folder_.path() / "b.onnx");
  EXPECT_EQ(first->graph->find("w")->initializer()->external->location, "a.weights");
  EXPECT_EQ(second->graph->find("w")->initializer()->external->location, "b.weights");
  EXPECT_NE(*first->graph->find("w")->initializer()->bytes(),
            *second->graph->find("w")->initializer()->bytes());
}

TEST_F(Hydrate, ProgressEndsAtTheTotal) {
  std::uint64_t last = 0;
  HydrateOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GT(done, last);
    EXPECT_EQ(total, 4'000'000u);
    last = done;
  };
  ASSERT_TRUE(fill(Stripped({Wanted{.count = 1'000'000}}), options));
  EXPECT_EQ(last, 4'000'000u);
}

class HydrateZoo : public Hydrate, public testing::WithParamInterface<const char*> {};

TEST_P(HydrateZoo, StrippingAgainGivesTheSameModelAndTheSameStatistics) {
  const Path path = zoo / (std::string(GetParam()) + ".onnx");
  const Model stripped = *load_model(path);
  const WeightStats stats = *load_stats(stats_path_for(path));
  ASSERT_TRUE(hydrate(stripped, stats, out(), {.seed = 3}));
  Model filled = *load_model(out());
  EXPECT_TRUE(content_fingerprint(filled));
  EXPECT_EQ(structure_fingerprint(filled), structure_fingerprint(stripped));
  const WeightStats again = *strip_weights(filled, {.name = GetParam()});
  EXPECT_EQ(*serialize(filled), *serialize(stripped));
  EXPECT_EQ(again.bytes, stats.bytes);
  ASSERT_EQ(again.tensors.size(), stats.tensors.size());
  for (std::size_t i = 0; i < stats.tensors.size(); ++i) {
    const auto& [name, before] = stats.tensors[i];
    const TensorStats& after = again.tensors[i].second;
    EXPECT_EQ(again.tensors[i].first, name);
    EXPECT_EQ(std::tie(after.dtype, after.shape, after.offset, after.length),
              std::tie(before.dtype, before.shape, before.offset, before.length));
    const double error = before.std / std::sqrt(static_cast<double>(*count_elements(before.shape)));
    EXPECT_NEAR(after.mean, before.mean, 5 * error) << name;
    EXPECT_NEAR(after.std, before.std, 5 * error) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, HydrateZoo,
                         testing::Values("bert-tiny.opset17", "bert-tiny.opset21",
                                         "mobilenet-v2.opset17", "segformer-b0.opset21"));

}  // namespace
}  // namespace hone
