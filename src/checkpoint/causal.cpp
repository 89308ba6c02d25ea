#include "checkpoint/causal.h"

#include "checkpoint/heads.h"

namespace hone {
namespace {

const std::string past_and_new = "past_sequence_length + sequence_length";

std::string name_of_cache(std::string_view what, std::size_t layer, std::string_view part) {
  return std::string(what) + "." + std::to_string(layer) + "." + std::string(part);
}

void add_caches(Net& net, const CacheSizes& sizes, CausalInputs& in) {
  const std::vector<NetDim> dims = {"batch_size", sizes.heads, "past_sequence_length",
                                    sizes.head_size};
  for (std::size_t i = 0; i < static_cast<std::size_t>(sizes.layers); ++i) {
    Value* key = net.float_input(name_of_cache("past_key_values", i, "key"), dims);
    in.pasts.push_back({key, net.float_input(name_of_cache("past_key_values", i, "value"), dims)});
  }
}

void write_caches(Net& net, const CacheSizes& sizes, const std::vector<Cache>& presents) {
  const std::vector<NetDim> dims = {"batch_size", sizes.heads, past_and_new, sizes.head_size};
  for (std::size_t i = 0; i < presents.size(); ++i) {
    net.output(name_of_cache("present", i, "key"), presents[i].key, dims);
    net.output(name_of_cache("present", i, "value"), presents[i].value, dims);
  }
}

bool is_same(const Tensor& a, const Tensor& b) {
  const auto left = a.bytes();
  const auto right = b.bytes();
  return a.type == b.type && a.dims == b.dims && left && right && *left == *right;
}

// transformers ties the head to the embeddings only where the checkpoint has no other head.
Value* word_weights(Net& net, const CausalHeads& heads) {
  const std::vector<std::int64_t> dims = {heads.vocabulary, heads.width};
  const std::string own = "lm_head.weight";
  const Net::Scope root = net.enter_root();
  const TensorPtr head = net.weights().find(own);
  if (!heads.is_tied) return net.weight(own, dims);
  const Net::Scope base = net.enter_base(heads.base);
  const Net::Scope words = net.enter(heads.words);
  const TensorPtr embedding = net.weights().find(net.path() + ".weight");
  if (head && embedding && !is_same(*head, *embedding)) {
    const Net::Scope again = net.enter_root();
    return net.weight(own, dims);
  }
  if (head) net.weights().take(*head);
  return net.weight("weight", dims);
}

void write_words(Net& net, const CausalHeads& heads, Value* x) {
  Value* weights = word_weights(net, heads);
  const Net::Scope scope = net.enter("lm_head");
  Value* logits = net.times_transposed(x, weights);
  if (heads.softcap != 0) {
    logits = net.mul(net.op("Tanh", {net.div(logits, heads.softcap)}), heads.softcap);
  }
  net.output("logits", logits, {"batch_size", "sequence_length", heads.vocabulary});
}

// [batch, width] of the last token that is no padding.
Value* last_token(Net& net, const Config& config, const CausalHeads& heads, Value* ids, Value* x) {
  if (!heads.padding) config.refuse("pad_token_id", "without it no last token can be found");
  Value* is_padding = net.op("Equal", {ids, net.whole(heads.padding.value_or(0))});
  Value* at = net.where(is_padding, net.whole(0), net.count_up(net.size_of(ids, 1)));
  return net.op("GatherND", {x, net.maximum(at, {1})}, {{"batch_dims", 1}});
}

}  // namespace

CausalInputs causal_inputs(Net& net, const WantedGraph& wanted, const CacheSizes& sizes) {
  CausalInputs in{.ids = token_input(net, "input_ids")};
  if (wanted.task != "text-generation-with-past") {
    in.mask = token_input(net, "attention_mask");
    in.positions = net.expand(net.count_up(net.size_of(in.ids, 1)), net.shape_of(in.ids));
    return in;
  }
  in.mask = net.input("attention_mask", ElementType::int64, {"batch_size", past_and_new});
  in.positions = token_input(net, "position_ids");
  add_caches(net, sizes, in);
  return in;
}

Value* bias_of(Net& net, const CausalInputs& in, std::int64_t window) {
  Value* past = in.pasts.empty() ? nullptr : net.size_of(in.pasts.front().key, 2);
  Value* later = net.causal_bias(net.size_of(in.ids, 1), past, window);
  return net.join_biases(net.padding_bias(in.mask), later);
}

Value* attend_to_past(Net& net, const CausalInputs& in, Attention attention,
                      std::vector<Cache>& presents) {
  if (presents.size() >= in.pasts.size()) return net.attention(attention).output;
  attention.past_key = in.pasts[presents.size()].key;
  attention.past_value = in.pasts[presents.size()].value;
  const Attended seen = net.attention(attention);
  presents.push_back({seen.present_key, seen.present_value});
  return seen.output;
}

void write_causal_task(Net& net, const Config& config, const WantedGraph& wanted,
                       const CausalHeads& heads, const CausalInputs& in, Value* x,
                       const std::vector<Cache>& presents) {
  if (wanted.task.starts_with("text-generation")) {
    write_words(net, heads, x);
    write_caches(net, heads.caches, presents);
  } else if (wanted.task == "feature-extraction") {
    net.output("last_hidden_state", x, {"batch_size", "sequence_length", heads.width});
  } else if (wanted.task == "text-classification") {
    const std::int64_t labels = label_count(config);
    Value* last = last_token(net, config, heads, in.ids, x);
    net.output("logits", net.linear("score", last, heads.width, labels, false),
               {"batch_size", labels});
  } else if (wanted.task == "token-classification") {
    const std::int64_t labels = label_count(config);
    const bool has_bias =
        heads.token_classifier != "score" || config.flag("token_classification_bias", true);
    net.output("logits", net.linear(heads.token_classifier, x, heads.width, labels, has_bias),
               {"batch_size", "sequence_length", labels});
  } else if (wanted.task == "question-answering") {
    write_answer_span(net, net.linear("qa_outputs", x, heads.width, 2));
  }
}

std::optional<std::int64_t> read_padding(const Config& config,
                                         std::optional<std::int64_t> otherwise) {
  if (config.is_null("pad_token_id")) return std::nullopt;
  if (config.has("pad_token_id")) return config.whole("pad_token_id");
  return otherwise;
}

void refuse_other_directions(const Config& config) {
  config.only("is_causal", true, "only networks that read from left to right are written");
  config.only("per_layer_config", Json(), "layers of other sizes are not written");
}

}  // namespace hone
