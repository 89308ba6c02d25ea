#pragma once
// The models of tests/fixtures, for tests that take every one of them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace hone {

// Every .onnx file, in the order of their names.
std::vector<std::string> fixture_models();

// ".../zoo/bert-tiny.opset17.onnx" -> zoo_bert_tiny_opset17.
std::string fixture_name(const testing::TestParamInfo<std::string>& instance);

// The model as it is, or the zoo's with its weights filled in, which is then a file in `folder`.
Result<Path> with_weights(const Path& model, const Path& folder);

}  // namespace hone
