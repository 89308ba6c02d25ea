#pragma once
// Checkpoints whose configurations differ from their family's usual one in a switch, with what
// transformers computes of them (tests/fixtures/altered/FAMILY.json; make.py writes them). Weights
// and pictures are not stored: both sides make them from their names by one rule.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "model/elements.h"
#include "runtime/session.h"

namespace hone {

struct AlteredCase {
  std::string family;  // the file
  std::string name;
  std::size_t at = 0;                // in the file
  Json said;                         // the case
  std::vector<std::string> tensors;  // "NAME 16x4"
};

// For messages.
inline void PrintTo(const AlteredCase& altered, std::ostream* out) {
  *out << altered.said.find("config")->dump(-1);
}

inline std::vector<AlteredCase> read_altered(const Path& file) {
  const Json document = Json::parse(read_file(file).value()).value();
  std::vector<AlteredCase> cases;
  for (const Json& said : *document.find("cases")->as_array()) {
    AlteredCase made{.family = file.stem().string(),
                     .name = *said.find("name")->as_string(),
                     .at = cases.size(),
                     .said = said,
                     .tensors = {}};
    if (const Json* list = said.find("tensors")) {
      const auto at = static_cast<std::size_t>(list->to_int().value());
      for (const Json& tensor : *document.find("tensors")->as_array()->at(at).as_array()) {
        made.tensors.push_back(*tensor.as_string());
      }
    }
    cases.push_back(std::move(made));
  }
  return cases;
}

// In [-1, 1): splitmix64 from the FNV-1a hash of the name, 24 bits of each.
inline std::vector<double> numbers_of(std::string_view name, std::size_t count) {
  std::uint64_t seed = 0xCBF29CE484222325;
  for (const char byte : name) {
    seed = (seed ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  }
  std::vector<double> numbers;
  for (std::size_t i = 1; i <= count; ++i) {
    std::uint64_t z = seed + i * 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    numbers.push_back(static_cast<double>(z >> 40) / 8388608.0 - 1.0);
  }
  return numbers;
}

inline TensorPtr tensor_of(const std::string& name, const std::vector<std::int64_t>& dims,
                           const std::vector<double>& numbers) {
  std::string bytes(numbers.size() * sizeof(float), '\0');
  encode_elements(ElementType::float32, numbers, bytes.data());
  return make_tensor(name, ElementType::float32, dims, Blob::own(std::move(bytes)));
}

inline std::size_t count_of(const std::vector<std::int64_t>& dims, std::size_t from = 0) {
  std::int64_t count = 1;
  for (std::size_t i = from; i < dims.size(); ++i) count *= dims[i];
  return static_cast<std::size_t>(count);
}

inline bool is_near_one(std::string_view name, std::size_t rank) {
  constexpr std::array always = {"running_var",           "weight_g", "original0", "lambda1",
                                 "layer_scale_parameter", "gamma"};
  for (const std::string_view end : always) {
    if (name.ends_with(end)) return true;
  }
  return rank < 2 && (name.ends_with("weight") || name.ends_with("logit_scale"));
}

// A weight as make.py made it.
inline TensorPtr weight_of(const std::string& name, const std::vector<std::int64_t>& dims) {
  const bool is_one = is_near_one(name, dims.size());
  double scale = 0.3;
  if (!is_one && dims.size() < 2) scale = 0.2;
  if (!is_one && dims.size() > 1) {
    scale = 1.5 * std::sqrt(3.0 / static_cast<double>(count_of(dims, 1)));
  }
  std::vector<double> numbers = numbers_of(name, count_of(dims));
  for (double& number : numbers) number = number * scale + (is_one ? 1 : 0);
  return tensor_of(name, dims, numbers);
}

// The same ones are made once: most cases of a family have them in common.
inline std::vector<TensorPtr> weights_of(const AlteredCase& altered) {
  static std::map<std::string, TensorPtr> made;
  std::vector<TensorPtr> weights;
  for (const std::string& said : altered.tensors) {
    TensorPtr& weight = made[said];
    if (weight) {
      weights.push_back(weight);
      continue;
    }
    const std::size_t space = said.rfind(' ');
    std::vector<std::int64_t> dims;
    for (const std::string& dim : split(said.substr(space + 1), 'x')) {
      if (!dim.empty()) dims.push_back(std::stoll(dim));
    }
    weight = weight_of(said.substr(0, space), dims);
    weights.push_back(weight);
  }
  return weights;
}

inline std::vector<std::int64_t> wholes_in(const Json& list) {
  std::vector<std::int64_t> numbers;
  for (const Json& number : *list.as_array()) numbers.push_back(number.to_int().value());
  return numbers;
}

inline void gather_wholes(const Json& said, std::size_t depth, std::vector<std::int64_t>& dims,
                          std::vector<std::int64_t>& numbers) {
  if (!said.as_array()) return numbers.push_back(said.to_int().value());
  if (dims.size() <= depth) dims.push_back(std::ssize(*said.as_array()));
  for (const Json& element : *said.as_array()) gather_wholes(element, depth + 1, dims, numbers);
}

// Of the case: ids as they are said, pictures and sounds by the rule.
inline NamedTensors inputs_of(const AlteredCase& altered) {
  NamedTensors inputs;
  for (const auto& [name, said] : *altered.said.find("inputs")->as_object()) {
    std::vector<std::int64_t> dims;
    if (const Json* sizes = said.find("dims")) {
      dims = wholes_in(*sizes);
      std::vector<double> numbers = numbers_of(name, count_of(dims));
      for (double& number : numbers) number *= 2;
      inputs[name] = tensor_of(name, dims, numbers);
    } else {
      std::vector<std::int64_t> numbers;
      gather_wholes(*said.find("values"), 0, dims, numbers);
      const TensorPtr flat = make_int64_tensor(name, numbers);
      inputs[name] = make_tensor(name, ElementType::int64, dims, flat->dense);
    }
  }
  return inputs;
}

// How far `ours` is from the numbers that are stored of an output, as a share of its largest.
inline double distance_from(const Json& output, const std::vector<std::int64_t>& dims,
                            const std::vector<double>& ours) {
  EXPECT_EQ(dims, wholes_in(*output.find("dims")));
  if (dims != wholes_in(*output.find("dims"))) return 1e9;
  const double largest = output.find("largest")->to_double().value();
  const auto step = static_cast<std::size_t>(output.find("step")->to_int().value());
  double furthest = 0;
  std::size_t at = 0;
  for (const Json& number : *output.find("values")->as_array()) {
    const double away = std::abs(ours.at(at) - number.to_double().value());
    furthest = std::max(furthest, std::isfinite(away) ? away : 1e9);
    at += step;
  }
  return largest == 0 ? furthest : furthest / largest;
}

}  // namespace hone
