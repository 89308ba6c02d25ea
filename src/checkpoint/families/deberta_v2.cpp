// DeBERTa v2 and v3: BERT whose attention scores words against relative positions, too.

#include <cmath>

#include "base/text.h"
#include "checkpoint/family.h"
#include "checkpoint/relative_positions.h"
#include "checkpoint/text_encoder.h"
#include "checkpoint/text_heads.h"

namespace hone::families {
namespace {

// Of published ones the furthest is 512 words.
constexpr std::int64_t furthest = 65'536;

struct Sizes {
  TextSizes text;
  std::int64_t narrow = 1;  // width of embeddings
  bool has_places = true;   // in the embeddings
  bool is_relative = false;
  bool of_words = false;   // c2p: a query's words against positions
  bool of_places = false;  // p2c: a key's
  bool shares_keys = false;
  bool norms_relative = false;
  std::int64_t buckets = 0;  // 0: every position is one of its own
  std::int64_t reach = 1;    // half the rows of the table of relative positions
  std::int64_t max_distance = 1;
  double scale = 1;
};

struct Convolved {
  std::int64_t kernel, groups;
  std::string act;
};

std::string without_spaces(const std::string& word) {
  const std::size_t begin = word.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : word.substr(begin, word.find_last_not_of(' ') + 1 - begin);
}

// "c2p|p2c", or a list of them.
void read_attention_types(const Config& config, Sizes& s) {
  const Json* said = config.raw("pos_att_type");
  std::vector<std::string> types;
  if (said && said->as_string()) {
    types = split(lowercase(*said->as_string()), '|');
    for (std::string& type : types) type = without_spaces(type);
  } else if (said) {
    types = config.words("pos_att_type", {});
  }
  for (const std::string& type : types) {
    if (type == "c2p") s.of_words = true;
    if (type == "p2c") s.of_places = true;
    if (type != "c2p" && type != "p2c" && !type.empty()) {
      config.refuse("pos_att_type", "known are c2p and p2c");
    }
  }
}

// A size, or 0 where it is -1: not wanted.
std::int64_t said_size(const Config& config, std::string_view key) {
  return config.whole(key, -1) < 1 ? 0 : config.size(key);
}

void read_relative(const Config& config, Sizes& s) {
  read_attention_types(config, s);
  s.is_relative = config.flag("relative_attention", false);
  s.shares_keys = config.flag("share_att_key", false);
  s.norms_relative = config.one_of("norm_rel_ebd", {"none", "layer_norm"}, "none") == "layer_norm";
  s.max_distance = said_size(config, "max_relative_positions");
  if (s.max_distance == 0) s.max_distance = s.text.positions;
  s.buckets = said_size(config, "position_buckets");
  s.reach = s.buckets > 0 ? s.buckets : s.max_distance;
  if (s.buckets > 0 && (s.buckets < 2 || s.max_distance - 1 <= s.buckets / 2)) {
    config.refuse("position_buckets", "half of it has to be 1 to max_relative_positions - 2");
    s.buckets = 0;
  }
  const double parts = 1 + (s.of_words ? 1 : 0) + (s.of_places ? 1 : 0);
  s.scale = 1 / std::sqrt(static_cast<double>(s.text.head_size) * parts);
}

Sizes read_sizes(const Config& config) {
  Sizes s{.text = read_text_sizes(config, {.width = 1536,
                                           .heads = 24,
                                           .inner = 6144,
                                           .layers = 24,
                                           .vocabulary = 128100,
                                           .epsilon = 1e-7}),
          .has_places = config.flag("position_biased_input", true)};
  s.text.segments = config.whole("type_vocab_size", 0) == 0 ? 0 : config.size("type_vocab_size");
  s.narrow = config.size("embedding_size", s.text.width);
  config.only("attention_head_size", s.text.head_size, "heads have to be as wide as the layers");
  read_relative(config, s);
  return s;
}

Value* embed(Net& net, const Sizes& s, Value* ids, Value* segments, Value* is_word) {
  const Net::Scope scope = net.enter("embeddings");
  net.ignore("position_ids");
  Value* x = net.embedding("word_embeddings", ids, s.text.vocabulary, s.narrow);
  if (s.has_places) {
    Value* places = count_places(net, ids);
    x = net.add(x, net.embedding("position_embeddings", places, s.text.positions, s.narrow));
  } else {
    net.ignore("position_embeddings.weight");
  }
  if (segments) {
    x = net.add(x, net.embedding("token_type_embeddings", segments, s.text.segments, s.narrow));
  }
  if (s.narrow != s.text.width) x = net.linear("embed_proj", x, s.narrow, s.text.width, false);
  x = net.layer_norm("LayerNorm", x, s.text.width, s.text.epsilon);
  return net.mul(x, is_word);
}

// What hides a key from a query. Padding sees nothing, and equally much of everything then: with
// the lowest number itself, Attention of opset 23 would give such rows nothing.
Value* hidden(Net& net) { return net.real(net.lowest() / 2); }

// What layers share: which tokens see each other, and rows of the table of relative positions.
struct Seen {
  Value* visible = nullptr;  // [batch, 1, queries, keys], of bool
  Value* bias = nullptr;     // 0 where it is so, else hidden()
  Value* table = nullptr;    // [2 * reach, width]; null without relative attention
  Value* rows = nullptr;     // [1, 1, queries, keys]
};

Value* relative_rows(Net& net, const Config& config, const Sizes& s, Value* ids) {
  Value* distances = distances_between(net, ids);
  const auto within = [&](Value* x, std::int64_t low, std::int64_t high) {
    return net.op("Clip", {x, net.whole(low), net.whole(high)});
  };
  if (s.buckets == 0) {
    Value* from_first = net.add(distances, net.whole(s.reach));
    return net.unsqueeze(within(from_first, 0, 2 * s.reach - 1), {0, 1});
  }
  const auto rows = deberta_rows(s.buckets, s.max_distance, furthest);
  if (!rows) {
    config.refuse("max_relative_positions", "with position_buckets it reaches beyond 65,536");
    return net.unsqueeze(distances, {0, 1});
  }
  const auto far = static_cast<std::int64_t>(rows->size() / 2);
  Value* at = net.add(within(distances, -far, far), net.whole(far));
  return net.unsqueeze(net.gather(net.wholes(*rows), at), {0, 1});
}

Seen look(Net& net, const Config& config, const Sizes& s, Value* ids, Value* mask) {
  Value* is_word = net.cast(mask, ElementType::boolean);
  Seen seen;
  seen.visible = net.op("And", {net.unsqueeze(is_word, {1, 2}), net.unsqueeze(is_word, {1, 3})});
  seen.bias = net.where(seen.visible, net.real(0), hidden(net));
  if (!s.is_relative) return seen;
  const Net::Scope scope = net.enter("encoder");
  seen.table = net.weight("rel_embeddings.weight", {2 * s.reach, s.text.width});
  if (s.norms_relative) {
    seen.table = net.layer_norm("LayerNorm", seen.table, s.text.width, s.text.epsilon);
  }
  if (!net.problems().any()) seen.rows = relative_rows(net, config, s, ids);
  return seen;
}

// Of each row of `x` [batch, heads, length, head_size] the products with the table's rows that
// `rows` [1, 1, length, other] names.
Value* score_relative(Net& net, const Sizes& s, const Seen& seen, std::string_view module, Value* x,
                      Value* rows) {
  Value* table = net.linear(module, seen.table, s.text.width, s.text.width);
  Value* of_heads =
      net.transpose(net.reshape(table, {-1, s.text.heads, s.text.head_size}), {1, 2, 0});
  Value* index = net.expand(rows, net.dims({net.size_of(x, 0), s.text.heads, 1, 1}));
  return net.op("GatherElements", {net.matmul(x, of_heads), index}, {{"axis", -1}});
}

Value* relative_bias(Net& net, const Sizes& s, const Seen& seen, Value* query, Value* key) {
  Value* bias = nullptr;
  if (s.of_words) {
    bias = score_relative(net, s, seen, s.shares_keys ? "key_proj" : "pos_key_proj",
                          net.split_heads(query, s.text.heads, s.text.head_size), seen.rows);
  }
  if (s.of_places) {
    // Of a key's view, and so the other way round: how far a row's key is after a column's query.
    Value* scores = score_relative(net, s, seen, s.shares_keys ? "query_proj" : "pos_query_proj",
                                   net.split_heads(key, s.text.heads, s.text.head_size),
                                   net.transpose(seen.rows, {0, 1, 3, 2}));
    scores = net.transpose(scores, {0, 1, 3, 2});
    bias = bias ? net.add(bias, scores) : scores;
  }
  return bias ? net.mul(bias, s.scale) : nullptr;
}

Value* attend(Net& net, const Sizes& s, const Seen& seen, Value* x) {
  const Net::Scope scope = net.enter("attention.self");
  const std::int64_t width = s.text.width;
  Value* query = net.linear("query_proj", x, width, width);
  Value* key = net.linear("key_proj", x, width, width);
  Value* relative = seen.rows ? relative_bias(net, s, seen, query, key) : nullptr;
  Value* bias = relative ? net.where(seen.visible, relative, hidden(net)) : seen.bias;
  return net
      .attention({.query = query,
                  .key = key,
                  .value = net.linear("value_proj", x, width, width),
                  .heads = s.text.heads,
                  .head_size = s.text.head_size,
                  .bias = bias,
                  .scale = s.scale})
      .output;
}

// After the first layer: what it made, plus a convolution of what went into it.
Value* convolve(Net& net, const Sizes& s, const Convolved& how, Value* x, Value* made,
                Value* is_word) {
  const Net::Scope scope = net.enter("encoder.conv");
  const std::int64_t width = s.text.width;
  Value* around = net.convolution("conv", net.transpose(x, {0, 2, 1}),
                                  {.in = width,
                                   .out = width,
                                   .kernel = {how.kernel},
                                   .padding = {how.kernel / 2},
                                   .groups = how.groups});
  around = net.mul(net.transpose(around, {0, 2, 1}), is_word);
  around = net.activation(how.act, around, "conv_act");
  return net.mul(net.add_layer_norm("LayerNorm", around, made, width, s.text.epsilon), is_word);
}

Convolved read_convolved(const Config& config, const Sizes& s) {
  Convolved how{.kernel = said_size(config, "conv_kernel_size"), .groups = 1, .act = "tanh"};
  if (how.kernel == 0) return how;
  if (how.kernel % 2 == 0) config.refuse("conv_kernel_size", "it has to be odd");
  how.groups = config.size("conv_groups", 1);
  config.divided("hidden_size", s.text.width, "conv_groups", how.groups);
  how.act = config.word("conv_act", "tanh");
  return how;
}

Value* encode(Net& net, const Config& config, const Sizes& s, Value* ids, Value* mask,
              Value* segments) {
  Value* is_word = net.unsqueeze(net.to_float(mask), {2});
  Value* embedded = embed(net, s, ids, segments, is_word);
  const Seen seen = look(net, config, s, ids, mask);
  const Convolved how = read_convolved(config, s);
  Value* x = embedded;
  for (std::int64_t i = 0; i < s.text.layers; ++i) {
    {
      const Net::Scope layer = net.enter("encoder.layer", i);
      x = finish_text_layer(net, s.text, attend(net, s, seen, x), x);
    }
    if (i == 0 && how.kernel > 0) x = convolve(net, s, how, embedded, x, is_word);
  }
  return x;
}

void classify(Net& net, const Config& config, const WantedGraph& wanted, const Sizes& s, Value* x) {
  const std::int64_t width = s.text.width;
  config.only("pooler_hidden_size", width, "it has to be hidden_size");
  Value* text = net.linear("pooler.dense", net.pick(x, 1, 0), width, width);
  text = net.activation(config.word("pooler_hidden_act", "gelu"), text, "pooler_hidden_act");
  write_text_logits(net, config, wanted, "classifier", text, width);
}

void predict_words(Net& net, const Config& config, const Sizes& s, Value* x) {
  const std::int64_t width = s.text.width;
  if (config.flag("legacy", true)) {
    write_bert_words(net, config, s.text, s.narrow, {.name = "deberta", .x = x});
    return;
  }
  if (s.narrow != width) config.refuse("embedding_size", "without legacy it has to be hidden_size");
  const std::string words = base_path(net, "deberta", "embeddings.word_embeddings.weight");
  const Net::Scope scope = net.enter("lm_predictions.lm_head");
  x = transform_words(net,
                      {.dense = "dense",
                       .norm = "LayerNorm",
                       .act = s.text.act,
                       .in = width,
                       .out = width,
                       .epsilon = s.text.epsilon},
                      x);
  Value* bias = net.weight("bias", {s.text.vocabulary});
  const Net::Scope root = net.enter_root();
  Value* logits = net.times_transposed(x, net.weight(words, {s.text.vocabulary, width}));
  net.output("logits", net.add(logits, bias), {"batch_size", "sequence_length", s.text.vocabulary});
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  Value* ids = text_input(net, wanted, "input_ids");
  Value* mask = text_input(net, wanted, "attention_mask");
  Value* segments = s.text.segments > 0 ? text_input(net, wanted, "token_type_ids") : nullptr;
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base("deberta");
    x = encode(net, config, s, ids, mask, segments);
  }
  if (wanted.task == "feature-extraction") {
    write_hidden_state(net, x, nullptr, s.text.width);
  } else if (is_of_whole_text(wanted)) {
    classify(net, config, wanted, s, x);
  } else if (wanted.task == "fill-mask") {
    predict_words(net, config, s, x);
  } else {
    write_token_logits(net, config, wanted, x, s.text.width);
  }
}

}  // namespace

Family deberta_v2() {
  return {
      .name = "deberta-v2", .model_types = {"deberta-v2"}, .tasks = text_tasks(), .write = write};
}

}  // namespace hone::families
