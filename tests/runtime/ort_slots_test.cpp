// What ONNX Runtime answers through our slots: each test holds only if every function it calls is
// the one we take it for. So a wrong slot shows without any header (ort_abi_test.cpp).

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "ep/ep_abi.h"
#include "model/model.h"
#include "model/text/text.h"
#include "tests/runtime/slots.h"
#include "tests/runtime/with_runtime.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int float32 = 1;
constexpr int text_element = 8;

class SlotsInUse : public WithRuntime {
 protected:
  const ort::Api& api() const { return runtime_->api(); }

  void expect_ok(ort::OrtStatus* status) const {
    const Status checked = runtime_->check(status, "failed");
    EXPECT_TRUE(checked) << checked.error().cause;
  }
  std::string words_of(ort::OrtStatus* status) const {
    const Status checked = runtime_->check(status, "failed");
    return checked ? "" : checked.error().cause;
  }
  // What a function writes to its last parameter.
  template <class T, class Function, class... Arguments>
  T ask(Function function, Arguments... arguments) const {
    T answer{};
    expect_ok(function(arguments..., &answer));
    return answer;
  }
  template <class T, class Function, class... Arguments>
  Owned<T> make(void (*release)(T*), Function create, Arguments... arguments) const {
    return Owned<T>(ask<T*>(create, arguments...), release);
  }

  Owned<ort::OrtSessionOptions> make_options() const {
    return make<ort::OrtSessionOptions>(api().ReleaseSessionOptions, api().CreateSessionOptions);
  }
  Owned<ort::OrtSession> open(const ort::OrtSessionOptions* options) const {
    // An Identity, so that an optimizer that is on has something to remove.
    const auto model = parse_text(
        R"(<ir_version: 8, opset_import: ["": 17]>
           g (float[n, 2] x, float[n, 2] z) => (float[n, 2] y) { t = Neg(x) u = Identity(t) y = Add(u, z) })");
    EXPECT_TRUE(model) << model.error().what;
    const std::string bytes = serialize(*model).value();
    return make<ort::OrtSession>(api().ReleaseSession, api().CreateSessionFromArray,
                                 runtime_->env(), static_cast<const void*>(bytes.data()),
                                 bytes.size(), options);
  }
  Owned<ort::OrtValue> make_value(std::array<float, 2>& numbers) const {
    const auto memory =
        make<ort::OrtMemoryInfo>(api().ReleaseMemoryInfo, api().CreateCpuMemoryInfo, 0, 0);
    const std::array<std::int64_t, 2> dims = {1, 2};
    return make<ort::OrtValue>(api().ReleaseValue, api().CreateTensorWithDataAsOrtValue,
                               memory.get(), static_cast<void*>(numbers.data()), sizeof numbers,
                               dims.data(), dims.size(), float32);
  }
  std::vector<float> numbers_of(ort::OrtValue* value) const {
    const auto* data = static_cast<const float*>(ask<void*>(api().GetTensorMutableData, value));
    return {data, data + 2};
  }
  ort::OrtAllocator* allocator() const {
    return ask<ort::OrtAllocator*>(api().GetAllocatorWithDefaultOptions);
  }
  std::string take(char* text) const {
    std::string taken = text;
    expect_ok(api().AllocatorFree(allocator(), text));
    return taken;
  }
};

TEST_F(SlotsInUse, AllHoldFunctionsOfTheLibrary) {
  void* library = dlopen(runtime_->path().c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto base = reinterpret_cast<const ort::ApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
  const int minor = std::stoi(runtime_->version().substr(2));  // "1.30.0"
  const auto expect_functions = [&](ort::Table table, const Slots& slots) {
    for (const Slot& slot : slots) {
      Dl_info where{};
      if (slot.since > minor) continue;
      ASSERT_NE(dladdr(table[slot.slot], &where), 0) << slot.name;
      EXPECT_TRUE(std::filesystem::equivalent(where.dli_fname, runtime_->path())) << slot.name;
    }
  };
  expect_functions(base()->GetApi(22), api_slots);
  expect_functions(reinterpret_cast<ort::Table>(api().GetCompileApi()), compile_slots);
  expect_functions(reinterpret_cast<ort::Table>(api().GetEpApi()), ep_slots);
  expect_functions(reinterpret_cast<ort::Table>(api().GetModelEditorApi()), model_editor_slots);
  EXPECT_THAT(api().GetBuildInfoString(), StartsWith("ORT Build Info"));
  dlclose(library);
}

TEST_F(SlotsInUse, AStatusGivesBackItsCodeAndItsWords) {
  const Owned<ort::OrtStatus> status(api().CreateStatus(ort::invalid_graph, "the words"),
                                     api().ReleaseStatus);
  EXPECT_EQ(api().GetErrorCode(status.get()), ort::invalid_graph);
  EXPECT_STREQ(api().GetErrorMessage(status.get()), "the words");
}

TEST_F(SlotsInUse, AShapeGivesBackItsElementTypeAndDimensions) {
  const auto shape = make<ort::OrtTensorTypeAndShapeInfo>(api().ReleaseTensorTypeAndShapeInfo,
                                                          api().CreateTensorTypeAndShapeInfo);
  const std::array<std::int64_t, 3> dims = {2, 3, 5};
  std::array<const char*, 3> symbols = {"", "height", ""};
  expect_ok(api().SetTensorElementType(shape.get(), float32));
  expect_ok(api().SetDimensions(shape.get(), dims.data(), dims.size()));
  EXPECT_EQ(ask<int>(api().GetTensorElementType, shape.get()), float32);
  EXPECT_EQ(ask<std::size_t>(api().GetDimensionsCount, shape.get()), 3u);
  EXPECT_EQ(ask<std::size_t>(api().GetTensorShapeElementCount, shape.get()), 30u);
  std::array<std::int64_t, 3> read{};
  expect_ok(api().GetDimensions(shape.get(), read.data(), read.size()));
  EXPECT_EQ(read, dims);
  if (api().TensorTypeAndShape_HasShape != nullptr) {
    EXPECT_TRUE(api().TensorTypeAndShape_HasShape(shape.get()));
  }
  expect_ok(api().SetSymbolicDimensions(shape.get(), symbols.data(), symbols.size()));
  std::array<const char*, 3> words{};
  expect_ok(api().GetSymbolicDimensions(shape.get(), words.data(), words.size()));
  EXPECT_STREQ(words[1], "height");
}

TEST_F(SlotsInUse, ATensorGivesBackItsNumbers) {
  std::array<float, 2> numbers = {3, 4};
  const auto value = make_value(numbers);
  EXPECT_EQ(ask<int>(api().IsTensor, value.get()), 1);
  EXPECT_EQ(ask<int>(api().GetValueType, value.get()), ort::type_tensor);
  EXPECT_EQ(numbers_of(value.get()), (std::vector<float>{3, 4}));
  const auto shape = make<ort::OrtTensorTypeAndShapeInfo>(api().ReleaseTensorTypeAndShapeInfo,
                                                          api().GetTensorTypeAndShape, value.get());
  EXPECT_EQ(ask<std::size_t>(api().GetDimensionsCount, shape.get()), 2u);
  if (api().GetTensorData == nullptr) return;
  EXPECT_EQ(ask<std::size_t>(api().GetTensorSizeInBytes, value.get()), 8u);
  EXPECT_EQ(ask<const void*>(api().GetTensorData, value.get()), numbers.data());
}

TEST_F(SlotsInUse, AStringTensorGivesBackItsTexts) {
  const std::array<std::int64_t, 1> dims = {2};
  const auto value = make<ort::OrtValue>(api().ReleaseValue, api().CreateTensorAsOrtValue,
                                         allocator(), dims.data(), dims.size(), text_element);
  const std::array<const char*, 2> texts = {"one", "three"};
  expect_ok(api().FillStringTensor(value.get(), texts.data(), texts.size()));
  EXPECT_EQ(ask<std::size_t>(api().GetStringTensorDataLength, value.get()), 8u);
  std::string all(8, ' ');
  std::array<std::size_t, 2> starts{};
  expect_ok(api().GetStringTensorContent(value.get(), all.data(), all.size(), starts.data(), 2));
  EXPECT_EQ(all, "onethree");
  EXPECT_THAT(starts, ElementsAre(0, 3));
}

TEST_F(SlotsInUse, PairsGiveBackTheirValues) {
  ort::OrtKeyValuePairs* made = nullptr;
  api().CreateKeyValuePairs(&made);
  const Owned<ort::OrtKeyValuePairs> pairs(made, api().ReleaseKeyValuePairs);
  api().AddKeyValuePair(made, "key", "value");
  EXPECT_STREQ(api().GetKeyValue(made, "key"), "value");
  EXPECT_EQ(api().GetKeyValue(made, "other"), nullptr);
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  std::size_t count = 0;
  api().GetKeyValuePairs(made, &keys, &values, &count);
  ASSERT_EQ(count, 1u);
  EXPECT_STREQ(keys[0], "key");
  EXPECT_STREQ(values[0], "value");
}

TEST_F(SlotsInUse, SessionOptionsAndTheirCloneGiveBackTheirEntries) {
  const auto options = make_options();
  expect_ok(api().AddSessionConfigEntry(options.get(), "a.key", "its value"));
  const auto clone = make<ort::OrtSessionOptions>(api().ReleaseSessionOptions,
                                                  api().CloneSessionOptions, options.get());
  EXPECT_EQ(ask<int>(api().HasSessionConfigEntry, clone.get(), "a.key"), 1);
  EXPECT_EQ(ask<int>(api().HasSessionConfigEntry, clone.get(), "another"), 0);
  std::array<char, 32> value{};
  std::size_t size = value.size();
  expect_ok(api().GetSessionConfigEntry(clone.get(), "a.key", value.data(), &size));
  EXPECT_STREQ(value.data(), "its value");
  if (api().GetSessionOptionsConfigEntries == nullptr) return;
  const auto entries = make<ort::OrtKeyValuePairs>(
      api().ReleaseKeyValuePairs, api().GetSessionOptionsConfigEntries, clone.get());
  EXPECT_STREQ(api().GetKeyValue(entries.get(), "a.key"), "its value");
}

TEST_F(SlotsInUse, AnAttributeGivesBackItsNameAndValue) {
  const std::array<std::int64_t, 2> axes = {4, -1};
  const auto attribute = make<ort::OrtOpAttr>(
      api().ReleaseOpAttr, api().CreateOpAttr, "axes", static_cast<const void*>(axes.data()),
      static_cast<int>(axes.size()), int{ort::attribute_ints});
  std::array<std::int64_t, 2> read{};
  std::size_t bytes = 0;
  expect_ok(
      api().ReadOpAttr(attribute.get(), ort::attribute_ints, read.data(), sizeof read, &bytes));
  EXPECT_EQ(read, axes);
  EXPECT_EQ(bytes, sizeof read);
  if (api().OpAttr_GetName == nullptr) return;
  EXPECT_STREQ(ask<const char*>(api().OpAttr_GetName, attribute.get()), "axes");
  EXPECT_EQ(ask<int>(api().OpAttr_GetType, attribute.get()), ort::attribute_ints);
}

TEST_F(SlotsInUse, ASessionTellsItsPorts) {
  const auto options = make_options();
  expect_ok(api().AddFreeDimensionOverrideByName(options.get(), "n", 1));
  const auto session = open(options.get());
  EXPECT_EQ(ask<std::size_t>(api().SessionGetInputCount, session.get()), 2u);
  EXPECT_EQ(ask<std::size_t>(api().SessionGetOutputCount, session.get()), 1u);
  EXPECT_EQ(take(ask<char*>(api().SessionGetInputName, session.get(), 1u, allocator())), "z");
  EXPECT_EQ(take(ask<char*>(api().SessionGetOutputName, session.get(), 0u, allocator())), "y");
  for (const auto type_of : {api().SessionGetInputTypeInfo, api().SessionGetOutputTypeInfo}) {
    const auto type = make<ort::OrtTypeInfo>(api().ReleaseTypeInfo, type_of, session.get(), 0u);
    EXPECT_EQ(ask<int>(api().GetOnnxTypeFromTypeInfo, type.get()), ort::type_tensor);
    const auto* shape =
        ask<const ort::OrtTensorTypeAndShapeInfo*>(api().CastTypeInfoToTensorInfo, type.get());
    std::array<std::int64_t, 2> dims{};
    expect_ok(api().GetDimensions(shape, dims.data(), dims.size()));
    EXPECT_THAT(dims, ElementsAre(1, 2)) << "the override closed the open dimension";
  }
}

TEST_F(SlotsInUse, ARunComputesUnlessItIsToldToStop) {
  const auto options = make_options();
  const auto session = open(options.get());
  const auto run = make<ort::OrtRunOptions>(api().ReleaseRunOptions, api().CreateRunOptions);
  std::array<float, 2> x = {1, 2};
  std::array<float, 2> z = {10, 20};
  const auto x_value = make_value(x);
  const auto z_value = make_value(z);
  const std::array<const char*, 2> inputs = {"x", "z"};
  const std::array<const ort::OrtValue*, 2> values = {x_value.get(), z_value.get()};
  const char* output = "y";
  ort::OrtValue* made = nullptr;
  const auto run_once = [&] {
    return words_of(
        api().Run(session.get(), run.get(), inputs.data(), values.data(), 2, &output, 1, &made));
  };
  expect_ok(api().RunOptionsSetTerminate(run.get()));
  EXPECT_THAT(run_once(), HasSubstr("terminate"));
  expect_ok(api().RunOptionsUnsetTerminate(run.get()));
  EXPECT_EQ(run_once(), "");
  const Owned<ort::OrtValue> owned(made, api().ReleaseValue);
  EXPECT_EQ(numbers_of(made), (std::vector<float>{9, 18}));
}

TEST_F(SlotsInUse, ABindingComputesIntoWhatItWasGiven) {
  const auto options = make_options();
  const auto session = open(options.get());
  const auto binding =
      make<ort::OrtIoBinding>(api().ReleaseIoBinding, api().CreateIoBinding, session.get());
  std::array<float, 2> x = {1, 2};
  std::array<float, 2> z = {10, 20};
  std::array<float, 2> y = {0, 0};
  const auto x_value = make_value(x);
  const auto z_value = make_value(z);
  const auto y_value = make_value(y);
  expect_ok(api().BindInput(binding.get(), "x", x_value.get()));
  expect_ok(api().BindInput(binding.get(), "z", z_value.get()));
  expect_ok(api().BindOutput(binding.get(), "y", y_value.get()));
  expect_ok(api().SynchronizeBoundInputs(binding.get()));
  expect_ok(api().RunWithBinding(session.get(), nullptr, binding.get()));
  expect_ok(api().SynchronizeBoundOutputs(binding.get()));
  EXPECT_THAT(y, ElementsAre(9, 18));

  const auto run_once = [&] {
    return words_of(api().RunWithBinding(session.get(), nullptr, binding.get()));
  };
  api().ClearBoundInputs(binding.get());
  EXPECT_THAT(run_once(), HasSubstr("Missing Input: x"));
  api().ClearBoundOutputs(binding.get());
  EXPECT_THAT(run_once(), HasSubstr("At least one output should be requested"));
}

TEST_F(SlotsInUse, TheOptimizerWritesWhatItsLevelAllows) {
  const TemporaryFolder folder = *TemporaryFolder::create("slots");
  const auto nodes_at = [&](int level, const std::string& name) {
    const auto options = make_options();
    expect_ok(api().SetSessionGraphOptimizationLevel(options.get(), level));
    expect_ok(api().SetOptimizedModelFilePath(options.get(), (folder.path() / name).c_str()));
    open(options.get());
    return load_model(folder.path() / name).value().graph->nodes().size();
  };
  EXPECT_EQ(nodes_at(ort::optimize_none, "none.onnx"), 3u);
  EXPECT_EQ(nodes_at(ort::optimize_basic, "basic.onnx"), 2u);
}

TEST_F(SlotsInUse, TheProfilerWritesTheFileItNames) {
  const TemporaryFolder folder = *TemporaryFolder::create("slots");
  const auto options = make_options();
  expect_ok(api().EnableProfiling(options.get(), (folder.path() / "profile").c_str()));
  const auto session = open(options.get());
  EXPECT_GT(ask<std::uint64_t>(api().SessionGetProfilingStartTimeNs, session.get()), 0u);
  const std::string file = take(ask<char*>(api().SessionEndProfiling, session.get(), allocator()));
  EXPECT_THAT(file, StartsWith((folder.path() / "profile").string()));
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(SlotsInUse, AnAllocatorCountsWhatItHandsOut) {
  if (api().AllocatorGetStats == nullptr) GTEST_SKIP() << "new in ONNX Runtime 1.23";
  const auto options = make_options();
  const auto session = open(options.get());
  const auto memory =
      make<ort::OrtMemoryInfo>(api().ReleaseMemoryInfo, api().CreateCpuMemoryInfo, 1, 0);
  const auto arena = make<ort::OrtAllocator>(api().ReleaseAllocator, api().CreateAllocator,
                                             session.get(), memory.get());
  const auto stats =
      make<ort::OrtKeyValuePairs>(api().ReleaseKeyValuePairs, api().AllocatorGetStats, arena.get());
  EXPECT_STRNE(api().GetKeyValue(stats.get(), "NumAllocs"), nullptr);
}

}  // namespace
}  // namespace hone
