#pragma once
// How an application opens a build: what of its recipe is not in the bytes of the model, said in
// the languages that ONNX Runtime is called from.

#include <string>

#include "record/recipe.h"

namespace hone {

// The file of a build folder that says it.
inline constexpr auto opening_name = "how-to-open.md";

// "session.set_denormal_as_zero=1", "qnn/npu, threads=2"; empty where the bytes are all there is.
std::string words_beside_bytes(const Recipe& recipe);

// One line for people: that the bytes alone are not the build, and where it says how to open them.
// Empty where they are.
std::string describe_opening(const Recipe& recipe);

// The page, in Markdown. `ep_name` is the name that ONNX Runtime knows the EP by.
std::string opening_page(const Recipe& recipe, const std::string& ep_name);

}  // namespace hone
