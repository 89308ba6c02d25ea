#include "checkpoint/heads.h"

namespace hone {

std::int64_t label_count(const Config& config, std::int64_t otherwise) {
  const Json* labels = config.raw("id2label");
  if (labels && !labels->as_object()) config.refuse("id2label", "it has to be a table of labels");
  if (config.has("num_labels") || !labels || !labels->as_object()) {
    return config.size("num_labels", otherwise);
  }
  return static_cast<std::int64_t>(labels->as_object()->size());
}

Value* token_input(Net& net, std::string_view name) {
  return net.input(name, ElementType::int64, {"batch_size", "sequence_length"});
}

Value* image_input(Net& net, std::int64_t channels, const NetDim& height, const NetDim& width) {
  return net.float_input("pixel_values", {"batch_size", channels, height, width});
}

void write_answer_span(Net& net, Value* logits) {
  net.output("start_logits", net.pick(logits, -1, 0), {"batch_size", "sequence_length"});
  net.output("end_logits", net.pick(logits, -1, 1), {"batch_size", "sequence_length"});
}

}  // namespace hone
