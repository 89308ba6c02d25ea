#pragma once
// Small checkpoints that transformers saved, with what it computed from them
// (tests/fixtures/hf/NAME/reference.npz), and the forms in which they are exported.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "checkpoint/export.h"
#include "checkpoint/family.h"
#include "model/npz/npz.h"
#include "real_runtime.h"
#include "runtime/session.h"

namespace hone {

struct FormAt {
  const char* name;
  GraphForm form;
  std::int64_t opset;
};

inline constexpr FormAt forms[] = {
    {"standard_17", GraphForm::standard, 17},
    {"standard_21", GraphForm::standard, 21},
    {"standard_23", GraphForm::standard, 23},
    {"contrib_17", GraphForm::contrib, 17},
    {"onnx_attention_23", GraphForm::onnx_attention, 23},
};

inline std::vector<std::string> checkpoints() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(HONE_SOURCE_DIR "/tests/fixtures/hf")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline Path folder_of(const std::string& name) {
  return Path(HONE_SOURCE_DIR "/tests/fixtures/hf") / name;
}

inline NamedTensors named(const std::string& start, const std::vector<TensorPtr>& arrays) {
  NamedTensors found;
  for (const TensorPtr& array : arrays) {
    if (array->name.starts_with(start)) found[array->name.substr(start.size())] = array;
  }
  return found;
}

inline TensorPtr whole_numbers(const std::string& name, const std::vector<std::int64_t>& numbers) {
  const TensorPtr flat = make_int64_tensor(name, numbers);
  return make_tensor(name, ElementType::int64, {1, flat->dims.front()}, flat->dense);
}

// What no reference has: where tokens stand, and caches in which nothing is yet. Null for others.
inline TensorPtr input_of_a_beginning(const Port& port, const NamedTensors& given) {
  const std::vector<std::int64_t>& dims = given.at("input_ids")->dims;
  if (port.name == "position_ids") {
    std::string bytes;
    for (std::int64_t row = 0; row < dims[0]; ++row) {
      for (std::int64_t i = 0; i < dims[1]; ++i) {
        bytes.append(reinterpret_cast<const char*>(&i), sizeof i);
      }
    }
    return make_tensor(port.name, ElementType::int64, dims, Blob::own(std::move(bytes)));
  }
  if (!port.name.starts_with("past_key_values.")) return nullptr;
  std::vector<std::int64_t> empty;
  for (const Dim& dim : port.type.shape.value()) empty.push_back(dim.value.value_or(0));
  empty[0] = dims[0];
  return make_tensor(port.name, port.type.element, empty, {});
}

// What a graph is fed with: inputs of the reference by their names, and what graphs before it made.
// Decoders call their tokens input_ids, and the mask of what the encoder saw by another name; a
// reference does too, where the encoder has no tokens.
inline NamedTensors inputs_of(const Session& session, const NamedTensors& given, bool is_decoder) {
  static const std::map<std::string, std::string> of_decoders = {
      {"input_ids", "decoder_input_ids"}, {"encoder_attention_mask", "attention_mask"}};
  NamedTensors inputs;
  for (const Port& port : session.inputs()) {
    const auto other = of_decoders.find(port.name);
    const bool is_renamed =
        is_decoder && other != of_decoders.end() && given.contains(other->second);
    const std::string name = is_renamed ? other->second : port.name;
    const auto at = given.find(name);
    const TensorPtr input = at != given.end() ? at->second : input_of_a_beginning(port, given);
    EXPECT_NE(input, nullptr) << "the reference has no input for " << port.name;
    if (input) inputs[port.name] = input;
  }
  return inputs;
}

// The largest difference as a share of the largest value.
inline double distance(const Tensor& ours, const Tensor& theirs) {
  EXPECT_EQ(ours.dims, theirs.dims) << ours.name;
  if (ours.dims != theirs.dims) return 1e9;
  const auto a = to_doubles(ours).value();
  const auto b = to_doubles(theirs).value();
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) return 1e9;
    largest = std::max(largest, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return largest == 0 ? difference : difference / largest;
}

template <typename Info>
std::string name_of(const Info& info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param).name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace hone
