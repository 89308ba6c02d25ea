#pragma once
// The shape of a node's first output from the shapes of its inputs, in whichever opset the node is
// written: axes are read from the attribute or the constant input, whichever is there.

#include "model/opset/facts.h"

namespace hone::opset {

using ShapeRule = PartialShape (*)(const Facts& facts, const Node& node);

PartialShape same_shape(const Facts& facts, const Node& node);
PartialShape same_rank(const Facts& facts, const Node& node);
PartialShape shape_of_input_1(const Facts& facts, const Node& node);
PartialShape broadcast_shape(const Facts& facts, const Node& node);
PartialShape reduced_shape(const Facts& facts, const Node& node);
PartialShape arg_reduced_shape(const Facts& facts, const Node& node);
PartialShape conv_shape(const Facts& facts, const Node& node);
PartialShape matmul_shape(const Facts& facts, const Node& node);
PartialShape recurrent_shape(const Facts& facts, const Node& node);
PartialShape einsum_shape(const Facts& facts, const Node& node);

PartialShape concat_shape(const Facts& facts, const Node& node);
PartialShape expanded_shape(const Facts& facts, const Node& node);
PartialShape flattened_shape(const Facts& facts, const Node& node);
PartialShape gathered_shape(const Facts& facts, const Node& node);
PartialShape gathered_nd_shape(const Facts& facts, const Node& node);
PartialShape range_shape(const Facts& facts, const Node& node);
PartialShape reshaped_shape(const Facts& facts, const Node& node);
PartialShape sliced_shape(const Facts& facts, const Node& node);
PartialShape squeezed_shape(const Facts& facts, const Node& node);
PartialShape transposed_shape(const Facts& facts, const Node& node);
PartialShape unsqueezed_shape(const Facts& facts, const Node& node);
PartialShape constant_of_shape_shape(const Facts& facts, const Node& node);
PartialShape one_hot_shape(const Facts& facts, const Node& node);
PartialShape non_zero_shape(const Facts& facts, const Node& node);
PartialShape shape_shape(const Facts& facts, const Node& node);
PartialShape size_shape(const Facts& facts, const Node& node);

}  // namespace hone::opset
