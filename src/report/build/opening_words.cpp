#include "report/build/opening_words.h"

namespace hone {
namespace {

constexpr std::array<OpeningLanguage, opening_language_count> languages = {{
    {.column = 0,
     .title = "C",
     .fence = "c",
     .begin = R"(OrtSessionOptions* options = NULL;
api->CreateSessionOptions(&options);  // of this and all calls: check the OrtStatus*
)",
     .entry = "api->AddSessionConfigEntry(options, <<key>>, <<value>>);\n",
     .ep = R"(const char* const keys[] = {<<keys>>};
const char* const values[] = {<<values>>};
const OrtEpDevice* const* devices = NULL;
size_t count = 0;
api->GetEpDevices(env, &devices, &count);
for (size_t i = 0; i < count; ++i) {
  if (strcmp(api->EpDevice_EpName(devices[i]), <<ep>>) != 0) continue;
<<device>>  api->SessionOptionsAppendExecutionProvider_V2(options, env, &devices[i], 1, keys, values,
                                                <<count>>);
  break;
}
)",
     .plain_ep = R"(const OrtEpDevice* const* devices = NULL;
size_t count = 0;
api->GetEpDevices(env, &devices, &count);
for (size_t i = 0; i < count; ++i) {
  if (strcmp(api->EpDevice_EpName(devices[i]), <<ep>>) != 0) continue;
<<device>>  api->SessionOptionsAppendExecutionProvider_V2(options, env, &devices[i], 1, NULL, NULL, 0);
  break;
}
)",
     .device = R"(  const OrtHardwareDevice* hardware = api->EpDevice_Device(devices[i]);
  if (api->HardwareDevice_Type(hardware) != OrtHardwareDeviceType_<<type>>) continue;
)",
     .ep_option = "",
     .end = R"(OrtSession* session = NULL;
api->CreateSession(env, "model.onnx", options, &session);
)",
     .end_on_cpu = R"(OrtSession* session = NULL;
api->CreateSession(env, "model.onnx", options, &session);
)",
     .ep_remark = ""},
    {.column = 1,
     .title = "C++",
     .fence = "cpp",
     .begin = "Ort::SessionOptions options;\n",
     .entry = "options.AddConfigEntry(<<key>>, <<value>>);\n",
     .ep = R"(const std::unordered_map<std::string, std::string> ep_options = {<<options>>};
for (const Ort::ConstEpDevice& device : env.GetEpDevices()) {
  if (std::string(device.EpName()) != <<ep>>) continue;
<<device>>  options.AppendExecutionProvider_V2(env, {device}, ep_options);
  break;
}
)",
     .plain_ep = R"(const std::unordered_map<std::string, std::string> ep_options;
for (const Ort::ConstEpDevice& device : env.GetEpDevices()) {
  if (std::string(device.EpName()) != <<ep>>) continue;
<<device>>  options.AppendExecutionProvider_V2(env, {device}, ep_options);
  break;
}
)",
     .device = "  if (device.Device().Type() != OrtHardwareDeviceType_<<type>>) continue;\n",
     .ep_option = "{<<key>>, <<value>>}",
     .end = "Ort::Session session(env, \"model.onnx\", options);\n",
     .end_on_cpu = "Ort::Session session(env, \"model.onnx\", options);\n",
     .ep_remark = ""},
    {.column = 2,
     .title = "C#",
     .fence = "csharp",
     .begin = "var options = new SessionOptions();\n",
     .entry = "options.AddSessionConfigEntry(<<key>>, <<value>>);\n",
     .ep = R"(var env = OrtEnv.Instance();
var device = env.GetEpDevices().First(d => d.EpName == <<ep>><<device>>);
options.AppendExecutionProvider(env, new[] { device },
                                new Dictionary<string, string> { <<options>> });
)",
     .plain_ep = R"(var env = OrtEnv.Instance();
var device = env.GetEpDevices().First(d => d.EpName == <<ep>><<device>>);
options.AppendExecutionProvider(env, new[] { device }, new Dictionary<string, string>());
)",
     .device = R"(
    && d.HardwareDevice.Type == OrtHardwareDeviceType.<<type>>)",
     .ep_option = "[<<key>>] = <<value>>",
     .end = "var session = new InferenceSession(\"model.onnx\", options);\n",
     .end_on_cpu = "var session = new InferenceSession(\"model.onnx\", options);\n",
     .ep_remark = ""},
    {.column = 3,
     .title = "Python",
     .fence = "python",
     .begin = R"(import onnxruntime as ort

options = ort.SessionOptions()
)",
     .entry = "options.add_session_config_entry(<<key>>, <<value>>)\n",
     .ep = R"(device = next(d for d in ort.get_ep_devices() if d.ep_name == <<ep>><<device>>)
options.add_provider_for_devices([device], {<<options>>})
)",
     .plain_ep = R"(device = next(d for d in ort.get_ep_devices() if d.ep_name == <<ep>><<device>>)
options.add_provider_for_devices([device], {})
)",
     .device = R"(
              and d.device.type == ort.OrtHardwareDeviceType.<<type>>)",
     .ep_option = "<<key>>: <<value>>",
     .end = "session = ort.InferenceSession(\"model.onnx\", options)\n",
     .end_on_cpu = "session = ort.InferenceSession(\"model.onnx\", options, "
                   "providers=[\"CPUExecutionProvider\"])\n",
     .ep_remark = ""},
    {.column = 4,
     .title = "JavaScript",
     .fence = "javascript",
     .begin = R"(import * as ort from 'onnxruntime-node';

const session = await ort.InferenceSession.create('model.onnx', {
)",
     .entry = "",
     .ep = "  executionProviders: [<<name>>],\n",
     .plain_ep = "  executionProviders: [<<name>>],\n",
     .device = "",
     .ep_option = "",
     .end = "});\n",
     .end_on_cpu = "});\n",
     .ep_remark =
         "onnxruntime-node takes cpu, webgpu, cuda, tensorrt, dml, coreml and qnn, where its build "
         "has them, and\nhas names of its own for a few of their options; it loads no plugin EPs."},
}};

constexpr std::array<OpeningWord, 5> levels = {{
    {"disable",
     {"ORT_DISABLE_ALL", "ORT_DISABLE_ALL", "ORT_DISABLE_ALL", "ORT_DISABLE_ALL", "disabled"}},
    {"basic",
     {"ORT_ENABLE_BASIC", "ORT_ENABLE_BASIC", "ORT_ENABLE_BASIC", "ORT_ENABLE_BASIC", "basic"}},
    {"extended",
     {"ORT_ENABLE_EXTENDED", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_EXTENDED",
      "extended"}},
    {"layout",
     {"ORT_ENABLE_LAYOUT", "ORT_ENABLE_LAYOUT", "ORT_ENABLE_LAYOUT", "ORT_ENABLE_LAYOUT",
      "layout"}},
    {"all", {"ORT_ENABLE_ALL", "ORT_ENABLE_ALL", "ORT_ENABLE_ALL", "ORT_ENABLE_ALL", "all"}},
}};

constexpr std::array<OpeningWord, 2> modes = {{
    {"sequential",
     {"ORT_SEQUENTIAL", "ORT_SEQUENTIAL", "ORT_SEQUENTIAL", "ORT_SEQUENTIAL", "sequential"}},
    {"parallel", {"ORT_PARALLEL", "ORT_PARALLEL", "ORT_PARALLEL", "ORT_PARALLEL", "parallel"}},
}};

constexpr OpeningWords off = {"Disable", "Disable", "false", "False", "false"};
constexpr OpeningWords on = {"Enable", "Enable", "true", "True", "true"};
constexpr std::array<OpeningWord, 4> switched = {{{"0", off}, {"off", off}, {"1", on}, {"on", on}}};

constexpr std::array<OpeningSetting, 7> settings = {{
    {"intra_op_num_threads",
     {"api->SetIntraOpNumThreads(options, <<value>>);\n",
      "options.SetIntraOpNumThreads(<<value>>);\n", "options.IntraOpNumThreads = <<value>>;\n",
      "options.intra_op_num_threads = <<value>>\n", "  intraOpNumThreads: <<value>>,\n"},
     {}},
    {"inter_op_num_threads",
     {"api->SetInterOpNumThreads(options, <<value>>);\n",
      "options.SetInterOpNumThreads(<<value>>);\n", "options.InterOpNumThreads = <<value>>;\n",
      "options.inter_op_num_threads = <<value>>\n", "  interOpNumThreads: <<value>>,\n"},
     {}},
    {"log_severity_level",
     {"api->SetSessionLogSeverityLevel(options, <<value>>);\n",
      "options.SetLogSeverityLevel(<<value>>);\n",
      "options.LogSeverityLevel = (OrtLoggingLevel)<<value>>;\n",
      "options.log_severity_level = <<value>>\n", "  logSeverityLevel: <<value>>,\n"},
     {}},
    {"graph_optimization_level",
     {"api->SetSessionGraphOptimizationLevel(options, <<value>>);\n",
      "options.SetGraphOptimizationLevel(<<value>>);\n",
      "options.GraphOptimizationLevel = GraphOptimizationLevel.<<value>>;\n",
      "options.graph_optimization_level = ort.GraphOptimizationLevel.<<value>>\n",
      "  graphOptimizationLevel: '<<value>>',\n"},
     levels},
    {"execution_mode",
     {"api->SetSessionExecutionMode(options, <<value>>);\n",
      "options.SetExecutionMode(<<value>>);\n",
      "options.ExecutionMode = ExecutionMode.<<value>>;\n",
      "options.execution_mode = ort.ExecutionMode.<<value>>\n", "  executionMode: '<<value>>',\n"},
     modes},
    {"enable_cpu_mem_arena",
     {"api-><<value>>CpuMemArena(options);\n", "options.<<value>>CpuMemArena();\n",
      "options.EnableCpuMemArena = <<value>>;\n", "options.enable_cpu_mem_arena = <<value>>\n",
      "  enableCpuMemArena: <<value>>,\n"},
     switched},
    {"enable_mem_pattern",
     {"api-><<value>>MemPattern(options);\n", "options.<<value>>MemPattern();\n",
      "options.EnableMemoryPattern = <<value>>;\n", "options.enable_mem_pattern = <<value>>\n",
      "  enableMemPattern: <<value>>,\n"},
     switched},
}};

constexpr std::array<OpeningRemark, 1> remarks = {{
    {"session.set_denormal_as_zero",
     "ONNX Runtime takes `session.set_denormal_as_zero` from the first session that a process "
     "opens, "
     "and sets it\non the thread that opens it: open this session first, on the thread that runs "
     "it."},
}};

}  // namespace

std::span<const OpeningLanguage> opening_languages() { return languages; }

std::span<const OpeningSetting> opening_settings() { return settings; }

std::span<const OpeningRemark> opening_remarks() { return remarks; }

}  // namespace hone
