// BERT: embeddings of words, positions and segments, then layers that normalize after each sum.

#include "checkpoint/family.h"
#include "checkpoint/text_encoder.h"
#include "checkpoint/text_heads.h"

namespace hone::families {
namespace {

Value* embed(Net& net, const TextSizes& s, Value* ids, Value* segments) {
  const Net::Scope scope = net.enter("embeddings");
  Value* sum = sum_embeddings(net, s, s.width, ids, count_places(net, ids), segments);
  return net.layer_norm("LayerNorm", sum, s.width, s.epsilon);
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  TextSizes s = read_text_sizes(config);
  s.segments = config.size("type_vocab_size", 2);
  Value* ids = text_input(net, wanted, "input_ids");
  Value* mask = text_input(net, wanted, "attention_mask");
  Value* segments = text_input(net, wanted, "token_type_ids");
  TextBody body{.name = "bert"};
  {
    const Net::Scope base = net.enter_base(body.name);
    body.x = run_text_layers(net, s, embed(net, s, ids, segments), mask);
    body.pooled = pool_text(net, wanted, is_of_whole_text(wanted), "pooler.dense", body.x, s.width);
  }
  write_bert_heads(net, config, wanted, s, body);
}

}  // namespace

Family bert() {
  return {.name = "bert", .model_types = {"bert"}, .tasks = text_tasks(), .write = write};
}

}  // namespace hone::families
