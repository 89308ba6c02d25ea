// MPNet: BERT with positions counted as RoBERTa does, and T5's relative ones in its attention.

#include "checkpoint/family.h"
#include "checkpoint/relative_positions.h"
#include "checkpoint/text_encoder.h"
#include "checkpoint/text_heads.h"

namespace hone::families {
namespace {

// Whatever the configuration says: transformers counts with these.
constexpr std::int64_t padding = 1;
constexpr std::int64_t used_buckets = 32;
constexpr std::int64_t furthest = 128;

Value* embed(Net& net, const TextSizes& s, Value* ids) {
  const Net::Scope scope = net.enter("embeddings");
  net.ignore("position_ids");
  Value* words = net.embedding("word_embeddings", ids, s.vocabulary, s.width);
  Value* places = net.embedding("position_embeddings", count_places_after(net, ids, padding),
                                s.positions, s.width);
  return net.layer_norm("LayerNorm", net.add(words, places), s.width, s.epsilon);
}

// [1, heads, queries, keys].
Value* position_bias(Net& net, const Config& config, const TextSizes& s, Value* ids) {
  const Net::Scope scope = net.enter("encoder.relative_attention_bias");
  const std::int64_t buckets = config.size("relative_attention_num_buckets", used_buckets);
  if (buckets < used_buckets) {
    config.refuse("relative_attention_num_buckets", "positions are counted in 32 buckets");
  }
  std::vector<std::int64_t> of_distance;
  for (std::int64_t distance = -furthest; distance <= furthest; ++distance) {
    of_distance.push_back(t5_bucket(distance, used_buckets, furthest));
  }
  Value* of_bucket = net.weight("weight", {buckets, s.heads});
  Value* by_distance = net.transpose(net.gather(of_bucket, net.wholes(of_distance)), {1, 0});
  Value* after = net.op("Clip", {net.op("Neg", {distances_between(net, ids)}), net.whole(-furthest),
                                 net.whole(furthest)});
  Value* index = net.add(after, net.whole(furthest));
  return net.unsqueeze(net.gather(by_distance, index, 1), {0});
}

Value* layer(Net& net, const TextSizes& s, Value* x, Value* bias) {
  {
    const Net::Scope scope = net.enter("attention");
    Value* seen = nullptr;
    {
      const Net::Scope inner = net.enter("attn");
      seen = attend_to_all(net, s, x, bias, {.query = "q", .key = "k", .value = "v"});
      seen = net.linear("o", seen, s.width, s.width);
    }
    x = net.add_layer_norm("LayerNorm", seen, x, s.width, s.epsilon);
  }
  return feed_forward(net, s, x);
}

Value* encode(Net& net, const Config& config, const TextSizes& s, Value* ids, Value* mask) {
  Value* x = embed(net, s, ids);
  Value* bias = net.join_biases(position_bias(net, config, s, ids), net.padding_bias(mask));
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const Net::Scope scope = net.enter("encoder.layer", i);
    x = layer(net, s, x, bias);
  }
  return x;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const TextSizes s = read_text_sizes(config, {.vocabulary = 30527});
  Value* ids = text_input(net, wanted, "input_ids");
  Value* mask = text_input(net, wanted, "attention_mask");
  TextBody body{.name = "mpnet"};
  {
    const Net::Scope base = net.enter_base(body.name);
    body.x = encode(net, config, s, ids, mask);
    const bool pools = wanted.task == "multiple-choice";
    body.pooled = pool_text(net, wanted, pools, "pooler.dense", body.x, s.width);
  }
  write_roberta_heads(net, config, wanted, s, body);
}

}  // namespace

Family mpnet() {
  return {.name = "mpnet", .model_types = {"mpnet"}, .tasks = text_tasks(), .write = write};
}

}  // namespace hone::families
