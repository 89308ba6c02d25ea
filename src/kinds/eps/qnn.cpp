#include "kinds/ep.h"

namespace hone::eps {
namespace {

std::vector<EpNeed> needs() {
  using enum NeedKind;
  return {{plugin,
           "QNN EP",
           {"libonnxruntime_providers_qnn.so"},
           "the package onnxruntime-qnn, 2.0 or newer, brings it: put its folder into HONE_EP_PATH",
           "a runtime that does not have it built in"},
          {library,
           "QNN HTP backend",
           {"libQnnHtp.so"},
           "it comes with onnxruntime-qnn and with Qualcomm's QAIRT SDK; put its folder on "
           "LD_LIBRARY_PATH or name it with --ep-options backend_path=PATH",
           "a plugin that does not bring it"},
          {library,
           "FastRPC",
           {"libcdsprpc.so", "libcdsprpc.so.1"},
           "install the board's FastRPC library (Debian: libfastrpc1)",
           "the NPU"},
          {device,
           "NPU",
           {"/dev/fastrpc-cdsp*", "/dev/adsprpc-smd", "/dev/cdsprpc-smd"},
           "the kernel's fastrpc driver makes it; it needs the DSP's firmware and a udev rule "
           "that lets you open it (Debian: fastrpc-support)",
           "the NPU"},
          {variable,
           "DSP libraries",
           {"ADSP_LIBRARY_PATH"},
           "set it to the folder with libQnnHtpV*Skel.so of your DSP where the system does not",
           "boards whose image does not place them"},
          {variable,
           "QNN SDK",
           {"QNN_SDK_ROOT"},
           "set it to the folder of Qualcomm's QAIRT SDK",
           "detailed op traces"}};
}

}  // namespace

Ep qnn() {
  return {.name = "qnn",
          .own_name = "QNNExecutionProvider",
          .title = "QNN",
          .summary = "Qualcomm's NPUs and GPUs",
          .append_name = "QNN",
          .devices = {"npu", "gpu", "cpu"},
          .places = {{"npu", 1}, {"gpu", 6}},
          // "Dynamic shape is not supported yet": builder/qnn_model.cc of onnxruntime-qnn.
          .static_shapes_on = {"npu", "gpu", "cpu"},
          .origin =
              "the package onnxruntime-qnn, 2.0 or newer, holds it as a plugin: "
              "HONE_EP_PATH=FOLDER or --ep-library qnn=PATH",
          .needs = needs(),
          .recipe = {.preset = "qnn", .compiles_ahead = true},
          // What the EP's documentation says decides about speed; likewise below and in the others.
          .tries = {{.device = "npu",
                     .options = {{"htp_performance_mode", "burst"}},
                     .reason = "the NPU's clocks are chosen by this, and the default saves power",
                     .gain = 0.3,
                     .chance = 0.5},
                    {.device = "npu",
                     .options = {{"htp_performance_mode", "sustained_high_performance"}},
                     .reason = "the NPU's clocks are chosen by this, and burst may not last"},
                    {.device = "npu",
                     .options = {{"htp_graph_finalization_optimization_mode", "3"}},
                     .reason = "more time for preparing the graph can give a faster one"}},
          .sweep = {{"qnn_npu", "npu", 1}, {"qnn_gpu", "gpu", 2}},
          .monitors = {"qnn"},
          .hazards = {"the trace is written when the session is destroyed, and not before",
                      "two users of one NPU disturb each other"}};
}

}  // namespace hone::eps
