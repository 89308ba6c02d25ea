#pragma once
// Whether two parts of models are the same, and a short text of each for a report.

#include <string>

#include "model/graph.h"

namespace hone {

// Element type, shape and bytes. Where either's bytes are absent, type and shape decide.
bool same_tensor(const Tensor& a, const Tensor& b);
bool is_content_known(const Tensor& a, const Tensor& b);

// Subgraphs are taken as the same: their nodes are compared one by one elsewhere.
bool same_attribute(const Attribute& a, const Attribute& b);

// "float[768,768]".
std::string short_text(const Tensor& tensor);
// "1", "[1, 2, 3]", "'SAME_UPPER'", "float[2]": at most some sixty characters.
std::string short_text(const Attribute& attribute);

}  // namespace hone
