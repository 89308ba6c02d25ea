#pragma once
// Inputs that are written on the command line.

#include <string>

#include "model/tensor.h"
#include "runtime/session.h"

namespace hone {

// "[1,2,3]", "[[0.5,1],[2,3]]", "[true,false]", "[\"a\",\"b\"]": JSON, as the input's own type.
// Dimensions of 1 that the input has before those are added.
Result<TensorPtr> parse_numbers(const std::string& text, const Port& input);

// One text for an input of strings. Numbers of tokens are not made of it: that takes a tokenizer.
Result<TensorPtr> make_text(const std::string& text, const Port& input);

// "16000", "0.5", "true".
Result<double> parse_value(const std::string& text, const Port& input);

}  // namespace hone
