#pragma once
// Writes profiles exactly as ONNX Runtime does: without escaping anything.

#include <string>
#include <string_view>

namespace hone {

class ProfileForTests {
 public:
  ProfileForTests& event(std::string_view category, double start, double duration,
                         std::string_view name, std::string_view args = {}, int thread = 7) {
    if (!text_.empty()) text_ += ",\n";
    text_ += "{\"cat\" : \"" + std::string(category) +
             "\",\"pid\" :1,\"tid\" :" + std::to_string(thread) +
             ",\"dur\" :" + std::to_string(static_cast<long>(duration)) +
             ",\"ts\" :" + std::to_string(static_cast<long>(start)) +
             ",\"ph\" : \"X\",\"name\" :\"" + std::string(name) + "\",\"args\" : {" +
             std::string(args) + "}}";
    return *this;
  }
  ProfileForTests& node(double start, double duration, std::string_view name,
                        std::string_view type = "Conv", int index = 0, int thread = 7) {
    return event("Node", start, duration, std::string(name) + "_kernel_time",
                 "\"input_type_shape\" : [{\"float\":[1,3]},{\"float\":[]}],\"op_name\" : \"" +
                     std::string(type) +
                     "\",\"thread_scheduling_stats\" : {\"main_thread\": {\"x\": \"y\"}},"
                     "\"provider\" : \"CPUExecutionProvider\",\"node_index\" : \"" +
                     std::to_string(index) + "\",\"output_size\" : \"8\"",
                 thread);
  }
  ProfileForTests& run(double start, double duration, int thread = 7) {
    return event("Session", start, duration, "model_run", {}, thread);
  }
  std::string text() const { return "[\n" + text_ + "\n]\n"; }

 private:
  std::string text_;
};

}  // namespace hone
