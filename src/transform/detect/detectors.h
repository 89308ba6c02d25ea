#pragma once
// What could be fused, one function for each thing to look for. They change nothing; each hands
// back the nodes that make the results, in the graph's order.

#include <vector>

#include "transform/rewriter.h"

namespace hone::detect {

using Found = std::vector<Node*>;

// --- Activations
// GELU by the error function, in the orders ONNX Runtime's optimizer knows, and in all orders.
Found gelu(const Rewriter& model);
Found any_gelu(const Rewriter& model);
// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
Found fast_gelu(const Rewriter& model);
// x * sigmoid(1.702 x). ONNX Runtime would take any factor; 1 is SiLU, which most EPs know as it
// is.
Found quick_gelu(const Rewriter& model);
// A GELU, whole or in its parts, of something and a bias that nobody else needs.
Found bias_gelu(const Rewriter& model);
// Softmax of scores and a mask: a summand that is repeated along an axis of the scores.
Found bias_softmax(const Rewriter& model);

// --- Normalization and attention
Found layer_norm(const Rewriter& model);
// By the root of the mean square, and not the second half of a layer normalization.
bool is_rms_norm(Node& mul);
Found rms_norm(const Rewriter& model);
// A layer normalization, whole or in its parts, of the sum of two tensors.
Found skip_layer_norm(const Rewriter& model);
// Attention between heads that are [B,S,N*H] outside of it, and in other forms.
Found attention(const Rewriter& model);
Found other_attention(const Rewriter& model);

// --- Matrix products
Found matmul_add(const Rewriter& model);
Found matmul_add_of_one_open_dim(const Rewriter& model);
Found matmul_activation(const Rewriter& model);
Found matmul_transpose(const Rewriter& model);
Found matmul_scale(const Rewriter& model);
Found gemm_activation(const Rewriter& model);
Found gemm_sum(const Rewriter& model);
Found gemm_transpose(const Rewriter& model);

// --- Convolutions
Found conv_batch_norm(const Rewriter& model);
Found conv_add(const Rewriter& model);
Found conv_mul(const Rewriter& model);
Found conv_activation(const Rewriter& model);
// With the residual of another branch in between.
Found conv_add_activation(const Rewriter& model);
Found pad_conv(const Rewriter& model);

// --- What moves elements
Found whole_slice(const Rewriter& model);
Found idle_expand(const Rewriter& model);
Found constant_unsqueeze(const Rewriter& model);
// Slices that hand out what the Concat before them put together.
Found concat_slice(const Rewriter& model);
// Transposes that meet another one behind operators that do not mind the order of axes.
Found meeting_transposes(const Rewriter& model);

}  // namespace hone::detect
