#pragma once
// The adapters that history.inc names, by the file they are in. "up" writes the node for the
// version named, "down" for the one before it; expand_* say an op in those of the opset before it
// existed.

#include "model/opset/converter.h"

namespace hone::opset {

// activations.cpp
Status expand_gelu(Converter& converter, Node& node);
Status expand_hard_swish(Converter& converter, Node& node);
Status expand_mish(Converter& converter, Node& node);
Status expand_swish(Converter& converter, Node& node);

// arithmetic.cpp
Status expand_cast_like(Converter& converter, Node& node);
Status expand_or_equal(Converter& converter, Node& node);
Status gemm_down(Converter& converter, Node& node);
Status pow_down(Converter& converter, Node& node);
Status dft_up(Converter& converter, Node& node);
Status dft_down(Converter& converter, Node& node);
Status reduce_down(Converter& converter, Node& node);

// data.cpp: constants, scatter, control flow, optional values
Status constant_11_down(Converter& converter, Node& node);
Status constant_12_down(Converter& converter, Node& node);
Status expand_scatter_elements(Converter& converter, Node& node);
Status scatter_up(Converter& converter, Node& node);
Status scatter_18_down(Converter& converter, Node& node);
Status scan_9_up(Converter& converter, Node& node);
Status scan_down(Converter& converter, Node& node);
Status optional_down(Converter& converter, Node& node);
Status attention_down(Converter& converter, Node& node);

// image.cpp
Status upsample_9_up(Converter& converter, Node& node);
Status grid_sample_up(Converter& converter, Node& node);
Status grid_sample_down(Converter& converter, Node& node);
Status roi_align_up(Converter& converter, Node& node);
Status roi_align_down(Converter& converter, Node& node);
Status upsample_up(Converter& converter, Node& node);

// normalization.cpp
Status batch_normalization_9_up(Converter& converter, Node& node);
Status batch_normalization_up(Converter& converter, Node& node);
Status batch_normalization_down(Converter& converter, Node& node);
Status batch_normalization_15_down(Converter& converter, Node& node);
Status check_dropout_mask(Converter& converter, Node& node);
Status dropout_down(Converter& converter, Node& node);
Status expand_layer_normalization(Converter& converter, Node& node);
Status expand_rms_normalization(Converter& converter, Node& node);

// group_normalization.cpp
Status group_normalization_up(Converter& converter, Node& node);
Status group_normalization_down(Converter& converter, Node& node);

// quantization.cpp
Status quantization_axis_down(Converter& converter, Node& node);
Status quantize_21_down(Converter& converter, Node& node);
Status quantize_23_down(Converter& converter, Node& node);
Status dequantize_23_down(Converter& converter, Node& node);

// resize.cpp
Status expand_resize(Converter& converter, Node& node);
Status resize_11_up(Converter& converter, Node& node);
Status resize_11_down(Converter& converter, Node& node);
Status resize_13_up(Converter& converter, Node& node);
Status resize_13_down(Converter& converter, Node& node);
Status resize_18_down(Converter& converter, Node& node);
Status resize_19_down(Converter& converter, Node& node);

// shape_ops.cpp
Status pad_18_down(Converter& converter, Node& node);
Status pad_19_down(Converter& converter, Node& node);
Status reshape_down(Converter& converter, Node& node);
Status shape_down(Converter& converter, Node& node);
Status slice_10_down(Converter& converter, Node& node);
Status slice_11_down(Converter& converter, Node& node);
Status split_18_up(Converter& converter, Node& node);
Status split_18_down(Converter& converter, Node& node);

// softmax.cpp: Softmax, LogSoftmax, Hardmax
Status softmax_up(Converter& converter, Node& node);
Status softmax_down(Converter& converter, Node& node);

}  // namespace hone::opset
