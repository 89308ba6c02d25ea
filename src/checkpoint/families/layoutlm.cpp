// LayoutLM: BERT that is also told where on the page each word stands.

#include "checkpoint/family.h"
#include "checkpoint/text_encoder.h"
#include "checkpoint/text_heads.h"

namespace hone::families {
namespace {

// Edges of the words' boxes, and how high and wide these are. `box` is [batch, sequence, 4].
Value* add_boxes(Net& net, std::int64_t width, std::int64_t places, Value* sum, Value* box) {
  Value* left = net.pick(box, 2, 0);
  Value* top = net.pick(box, 2, 1);
  Value* right = net.pick(box, 2, 2);
  Value* bottom = net.pick(box, 2, 3);
  const auto look_up = [&](std::string_view table, Value* at) {
    sum = net.add(sum, net.embedding(table, at, places, width));
  };
  look_up("x_position_embeddings", left);
  look_up("y_position_embeddings", top);
  look_up("x_position_embeddings", right);
  look_up("y_position_embeddings", bottom);
  look_up("h_position_embeddings", net.sub(bottom, top));
  look_up("w_position_embeddings", net.sub(right, left));
  return sum;
}

Value* embed(Net& net, const Config& config, const TextSizes& s, Value* ids, Value* segments,
             Value* box) {
  const Net::Scope scope = net.enter("embeddings");
  Value* sum = sum_embeddings(net, s, s.width, ids, count_places(net, ids), segments);
  sum = add_boxes(net, s.width, config.size("max_2d_position_embeddings", 1024), sum, box);
  return net.layer_norm("LayerNorm", sum, s.width, s.epsilon);
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  TextSizes s = read_text_sizes(config);
  s.segments = config.size("type_vocab_size", 2);
  Value* ids = text_input(net, wanted, "input_ids");
  Value* box = net.input("bbox", ElementType::int64, {"batch_size", "sequence_length", 4});
  Value* mask = text_input(net, wanted, "attention_mask");
  Value* segments = text_input(net, wanted, "token_type_ids");
  TextBody body{.name = "layoutlm"};
  {
    const Net::Scope base = net.enter_base(body.name);
    body.x = run_text_layers(net, s, embed(net, config, s, ids, segments, box), mask);
    body.pooled = pool_text(net, wanted, is_of_whole_text(wanted), "pooler.dense", body.x, s.width);
  }
  write_bert_heads(net, config, wanted, s, body);
}

}  // namespace

Family layoutlm() {
  return {.name = "layoutlm",
          .model_types = {"layoutlm"},
          .tasks = {"feature-extraction", "text-classification", "token-classification",
                    "question-answering", "fill-mask"},
          .write = write};
}

}  // namespace hone::families
