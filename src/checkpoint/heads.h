#pragma once
// What heads of many families share: how many labels there are, and the inputs and outputs by the
// names that Optimum gives them.

#include "checkpoint/config.h"
#include "checkpoint/net.h"

namespace hone {

// Of num_labels, else of id2label, else `otherwise`, which is two in most of transformers'
// configurations.
std::int64_t label_count(const Config& config, std::int64_t otherwise = 2);

// [batch_size, sequence_length] of int64.
Value* token_input(Net& net, std::string_view name);
// [batch_size, channels, height, width] of floats.
Value* image_input(Net& net, std::int64_t channels, const NetDim& height, const NetDim& width);

// The outputs of question answering: the two columns of [batch, sequence, 2].
void write_answer_span(Net& net, Value* logits);

}  // namespace hone
