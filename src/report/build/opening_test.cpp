#include "report/build/opening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/build/opening_words.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

Recipe recipe_on_cpu() {
  Recipe recipe;
  recipe.session.threads = 2;
  recipe.session.options = {{"graph_optimization_level", "layout"},
                            {"session.intra_op.allow_spinning", "0"},
                            {"session.set_denormal_as_zero", "1"}};
  return recipe;
}

TEST(HowToOpen, IsNotSaidOfBytesThatAreAllThereIs) {
  EXPECT_EQ(describe_opening({}), "");
  EXPECT_EQ(words_beside_bytes({}), "");
}

TEST(HowToOpen, IsOneLineForABuildThatLivesInItsSession) {
  EXPECT_EQ(
      describe_opening(recipe_on_cpu()),
      "these bytes alone are not it: open them with threads=2, "
      "graph_optimization_level=layout, session.intra_op.allow_spinning=0, "
      "session.set_denormal_as_zero=1; how-to-open.md has that to paste, in C, C++, C#, Python "
      "and JavaScript");
}

TEST(HowToOpen, IsAPageWithTheOptionsInFiveLanguages) {
  EXPECT_EQ(opening_page(recipe_on_cpu(), "CPUExecutionProvider"), R"(# How to open model.onnx

The bytes alone are not this build. It runs with `threads=2, graph_optimization_level=layout, session.intra_op.allow_spinning=0, session.set_denormal_as_zero=1`
(`recipe.json`). hone opens this folder so by itself; an application says it:

## C

```c
OrtSessionOptions* options = NULL;
api->CreateSessionOptions(&options);  // of this and all calls: check the OrtStatus*
api->SetIntraOpNumThreads(options, 2);
api->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_LAYOUT);
api->AddSessionConfigEntry(options, "session.intra_op.allow_spinning", "0");
api->AddSessionConfigEntry(options, "session.set_denormal_as_zero", "1");
OrtSession* session = NULL;
api->CreateSession(env, "model.onnx", options, &session);
```

## C++

```cpp
Ort::SessionOptions options;
options.SetIntraOpNumThreads(2);
options.SetGraphOptimizationLevel(ORT_ENABLE_LAYOUT);
options.AddConfigEntry("session.intra_op.allow_spinning", "0");
options.AddConfigEntry("session.set_denormal_as_zero", "1");
Ort::Session session(env, "model.onnx", options);
```

## C#

```csharp
var options = new SessionOptions();
options.IntraOpNumThreads = 2;
options.GraphOptimizationLevel = GraphOptimizationLevel.ORT_ENABLE_LAYOUT;
options.AddSessionConfigEntry("session.intra_op.allow_spinning", "0");
options.AddSessionConfigEntry("session.set_denormal_as_zero", "1");
var session = new InferenceSession("model.onnx", options);
```

## Python

```python
import onnxruntime as ort

options = ort.SessionOptions()
options.intra_op_num_threads = 2
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_LAYOUT
options.add_session_config_entry("session.intra_op.allow_spinning", "0")
options.add_session_config_entry("session.set_denormal_as_zero", "1")
session = ort.InferenceSession("model.onnx", options, providers=["CPUExecutionProvider"])
```

## JavaScript

```javascript
import * as ort from 'onnxruntime-node';

const session = await ort.InferenceSession.create('model.onnx', {
  intraOpNumThreads: 2,
  graphOptimizationLevel: 'layout',
  // onnxruntime-node 1.26 takes these; 1.20 passes over them
  extra: { session: { "intra_op.allow_spinning": "0", "set_denormal_as_zero": "1" } },
});
```

ONNX Runtime takes `session.set_denormal_as_zero` from the first session that a process opens, and sets it
on the thread that opens it: open this session first, on the thread that runs it.
)");
}

TEST(HowToOpen, AppendsTheEpByItsDevicesWithItsOptions) {
  Recipe recipe;
  recipe.target = {.ep = "qnn",
                   .device = "npu",
                   .options = {{"htp_performance_mode", "burst"}, {"vtcm_mb", "8"}}};
  const std::string page = opening_page(recipe, "QNNExecutionProvider");
  EXPECT_THAT(page, HasSubstr(R"(const char* const keys[] = {"htp_performance_mode", "vtcm_mb"};
const char* const values[] = {"burst", "8"};
const OrtEpDevice* const* devices = NULL;
size_t count = 0;
api->GetEpDevices(env, &devices, &count);
for (size_t i = 0; i < count; ++i) {
  if (strcmp(api->EpDevice_EpName(devices[i]), "QNNExecutionProvider") != 0) continue;
  const OrtHardwareDevice* hardware = api->EpDevice_Device(devices[i]);
  if (api->HardwareDevice_Type(hardware) != OrtHardwareDeviceType_NPU) continue;
  api->SessionOptionsAppendExecutionProvider_V2(options, env, &devices[i], 1, keys, values,
                                                2);
  break;
}
OrtSession* session = NULL;
)"));
  EXPECT_THAT(
      page,
      HasSubstr(
          R"(const std::unordered_map<std::string, std::string> ep_options = {{"htp_performance_mode", "burst"}, {"vtcm_mb", "8"}};
for (const Ort::ConstEpDevice& device : env.GetEpDevices()) {
  if (std::string(device.EpName()) != "QNNExecutionProvider") continue;
  if (device.Device().Type() != OrtHardwareDeviceType_NPU) continue;
  options.AppendExecutionProvider_V2(env, {device}, ep_options);
  break;
}
)"));
  EXPECT_THAT(page, HasSubstr(R"(var env = OrtEnv.Instance();
var device = env.GetEpDevices().First(d => d.EpName == "QNNExecutionProvider"
    && d.HardwareDevice.Type == OrtHardwareDeviceType.NPU);
options.AppendExecutionProvider(env, new[] { device },
                                new Dictionary<string, string> { ["htp_performance_mode"] = "burst", ["vtcm_mb"] = "8" });
)"));
  EXPECT_THAT(
      page,
      HasSubstr(
          R"(device = next(d for d in ort.get_ep_devices() if d.ep_name == "QNNExecutionProvider"
              and d.device.type == ort.OrtHardwareDeviceType.NPU)
options.add_provider_for_devices([device], {"htp_performance_mode": "burst", "vtcm_mb": "8"})
session = ort.InferenceSession("model.onnx", options)
)"));
  EXPECT_THAT(page, HasSubstr("  executionProviders: [\"qnn\"],\n});\n"));
  EXPECT_THAT(page, HasSubstr("it loads no plugin EPs."));
  EXPECT_THAT(page, HasSubstr("`RegisterExecutionProviderLibrary`"));
}

TEST(HowToOpen, HasNoEmptyListsForAnEpWithoutOptions) {
  Recipe recipe;
  recipe.target.ep = "webgpu";
  const std::string page = opening_page(recipe, "WebGpuExecutionProvider");
  EXPECT_THAT(page, HasSubstr("&devices[i], 1, NULL, NULL, 0);"));
  EXPECT_THAT(page, HasSubstr("new[] { device }, new Dictionary<string, string>());"));
  EXPECT_THAT(page, HasSubstr("options.add_provider_for_devices([device], {})\n"));
  EXPECT_THAT(page, Not(HasSubstr("OrtHardwareDeviceType")));
}

TEST(HowToOpen, QuotesWhatItIsGiven) {
  Recipe recipe;
  recipe.target = {.ep = "x', evil: '", .device = "auto", .options = {{"a\"b", "c\\\n"}}};
  const std::string page = opening_page(recipe, "x");
  EXPECT_THAT(page, HasSubstr(R"({"a\"b": "c\\\n"})"));
  EXPECT_THAT(page, HasSubstr(R"(executionProviders: ["x', evil: '"])"));
}

// Each setting has a line and each of its words a name in every language.
TEST(HowToOpen, KnowsEverySettingInEveryLanguage) {
  for (const OpeningSetting& setting : opening_settings()) {
    for (const std::string_view line : setting.lines) EXPECT_THAT(line, HasSubstr("<<value>>"));
    for (const OpeningWord& word : setting.words)
      for (const std::string_view name : word.as) EXPECT_FALSE(name.empty()) << word.word;
  }
}

}  // namespace
}  // namespace hone
