#pragma once
// What a user says about the inputs that are made up: sizes, shapes and values.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace hone {

// How the dimensions a model leaves open are closed, and which inputs hold a value of the user's.
struct ShapeRules {
  // "batch" -> 4: every dimension of that symbol, and the input of that name: the length of one
  // with a single dimension, the value of one with none.
  std::map<std::string, std::int64_t> symbols{};
  std::map<std::string, std::vector<std::int64_t>> inputs{};  // an input's whole shape
  std::map<std::string, double> values{};  // an input's value, the same in every element
  std::int64_t batch = 0;                  // for the first dimension; 0: not asked for
  bool operator==(const ShapeRules&) const = default;
};

// "seq=128,x=1x3x48x320,sr:=16000,flag=true" as it is written on the command line. NAME=SIZE,
// NAME=AxBxC, NAME:=NUMBER (an input's value); what is no size is a value without the colon too. A
// backslash takes the character behind it as part of a name.
Result<ShapeRules> parse_shape_text(const std::string& text);

// The same words, or a JSON file {"seq": 128, "x": [1,3,48,320], "sr": {"value": 16000}}.
Result<ShapeRules> parse_shape_rules(const std::string& text_or_file);

// What parse_shape_text reads as rules that make the same inputs. A shape of no dimension says
// nothing and is left out; the batch is not part of it.
std::string to_shape_text(const ShapeRules& rules);

}  // namespace hone
