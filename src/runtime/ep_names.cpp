#include "runtime/ep_names.h"

#include <array>

#include "base/text.h"

namespace hone {
namespace {

struct EpName {
  std::string_view short_name;
  std::string_view own_name;
  std::string_view append_name;
};

constexpr std::array<EpName, 11> ep_table = {{
    {"cpu", "CPUExecutionProvider", ""},
    {"webgpu", "WebGpuExecutionProvider", "WebGPU"},
    {"qnn", "QNNExecutionProvider", "QNN"},
    {"openvino", "OpenVINOExecutionProvider", "OpenVINO"},
    {"vitisai", "VitisAIExecutionProvider", "VitisAI"},
    {"dml", "DmlExecutionProvider", "DML"},
    {"cuda", "CUDAExecutionProvider", ""},
    {"tensorrt", "TensorrtExecutionProvider", ""},
    {"nvtensorrtrtx", "NvTensorRTRTXExecutionProvider", "NvTensorRtRtx"},
    {"migraphx", "MIGraphXExecutionProvider", ""},
    {"sim", "HoneSim", ""},
}};

}  // namespace

std::string ep_own_name(std::string_view short_name) {
  const std::string wanted = lowercase(short_name);
  for (const EpName& ep : ep_table) {
    if (ep.short_name == wanted || lowercase(ep.own_name) == wanted)
      return std::string(ep.own_name);
  }
  return std::string(short_name);
}

std::string ep_short_name(std::string_view own_name) {
  const std::string wanted = lowercase(own_name);
  for (const EpName& ep : ep_table) {
    if (lowercase(ep.own_name) == wanted || ep.short_name == wanted)
      return std::string(ep.short_name);
  }
  return std::string(own_name);
}

std::vector<std::string> ep_short_names() {
  std::vector<std::string> names;
  for (const EpName& ep : ep_table) names.emplace_back(ep.short_name);
  return names;
}

std::string ep_append_name(std::string_view short_name) {
  for (const EpName& ep : ep_table) {
    if (ep.short_name == short_name) return std::string(ep.append_name);
  }
  return {};
}

}  // namespace hone
