// RoBERTa and those that were trained like it: BERT with one kind of tokens, and positions that
// count what is no padding.

#include "checkpoint/family.h"
#include "checkpoint/text_encoder.h"
#include "checkpoint/text_heads.h"

namespace hone::families {
namespace {

Value* embed(Net& net, const Config& config, const TextSizes& s, Value* ids) {
  const Net::Scope scope = net.enter("embeddings");
  Value* places = count_places_after(net, ids, config.whole("pad_token_id", 1));
  Value* sum = sum_embeddings(net, s, s.width, ids, places, nullptr);
  return net.layer_norm("LayerNorm", sum, s.width, s.epsilon);
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const bool is_roberta = config.word("model_type") == "roberta";
  TextSizes s = read_text_sizes(config, {.vocabulary = is_roberta ? 50265 : 30522});
  s.segments = config.size("type_vocab_size", 2);
  Value* ids = text_input(net, wanted, "input_ids");
  Value* mask = text_input(net, wanted, "attention_mask");
  TextBody body{.name = "roberta"};
  {
    const Net::Scope base = net.enter_base(body.name);
    body.x = run_text_layers(net, s, embed(net, config, s, ids), mask);
    const bool pools = wanted.task == "multiple-choice";
    body.pooled = pool_text(net, wanted, pools, "pooler.dense", body.x, s.width);
  }
  write_roberta_heads(net, config, wanted, s, body);
}

}  // namespace

Family roberta() {
  return {.name = "roberta",
          .model_types = {"roberta", "xlm-roberta", "camembert"},
          .tasks = text_tasks(),
          .write = write};
}

}  // namespace hone::families
