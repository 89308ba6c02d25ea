#pragma once
// A target in one word, as it is asked for: "qnn/npu".

#include <string>
#include <string_view>

#include "base/text.h"
#include "record/target.h"

namespace hone {

// An EP or a device that nobody chose: hone does.
inline bool is_left_open(std::string_view word) {
  return word.empty() || lowercase(word) == "auto";
}

// A device class that was left open is not said: "qnn".
inline std::string target_name(const std::string& ep, const std::string& device) {
  return is_left_open(device) ? ep : ep + "/" + device;
}
inline std::string target_name(const Target& target) {
  return target_name(target.ep, target.device);
}
// Without what everybody knows: the EP called cpu is on the CPU.
inline std::string short_target_name(const Target& target) {
  return target.ep == "cpu" ? target.ep : target_name(target);
}

}  // namespace hone
