#pragma once
// The functions of ONNX Runtime that we declare by slot, as data.

#include <cstddef>
#include <string>
#include <vector>

namespace hone {

struct Slot {
  std::size_t slot;
  int since;  // the minor version that brought it
  std::string name;
};
using Slots = std::vector<Slot>;

#define HONE_ORT(slot, since, name, result, parameters) {slot, since, #name},
inline const Slots api_slots = {
#include "runtime/ort_api.inc"
};
inline const Slots compile_slots = {
#include "runtime/ort_compile_api.inc"
};
inline const Slots ep_slots = {
#include "ep/ep_api.inc"
};
inline const Slots model_editor_slots = {
#include "ep/ep_model_editor_api.inc"
};
#undef HONE_ORT

}  // namespace hone
