#include "checkpoint/seq2seq.h"

#include "checkpoint/heads.h"

namespace hone {
namespace {

constexpr std::string_view encoder_part = "encoder_model";
constexpr std::string_view decoder_part = "decoder_model";
constexpr std::string_view past_part = "decoder_with_past_model";

constexpr const char* past_length = "past_decoder_sequence_length";
constexpr const char* new_length = "decoder_sequence_length";

// How many tokens came before: a list of one, null at the beginning.
Value* past_count(Net& net, const Decoding& decoding) {
  return decoding.past.empty() ? nullptr : net.size_of(decoding.past.front().decoder.key, 2);
}

Value* tokens(Net& net, std::string_view name, const std::string& length) {
  return net.input(name, ElementType::int64, {"batch_size", length});
}

std::vector<NetDim> cache_dims(const Seq2seq& both, const NetDim& length) {
  return {"batch_size", both.heads, length, both.head_size};
}

KeyValue past_input(Net& net, const Seq2seq& both, const std::string& name, const NetDim& length) {
  const std::string whole = "past_key_values." + name;
  KeyValue pair;
  pair.key = net.float_input(whole + ".key", cache_dims(both, length));
  pair.value = net.float_input(whole + ".value", cache_dims(both, length));
  return pair;
}

void write_present(Net& net, const Seq2seq& both, const std::string& name, const NetDim& length,
                   const KeyValue& pair) {
  net.output("present." + name + ".key", pair.key, cache_dims(both, length));
  net.output("present." + name + ".value", pair.value, cache_dims(both, length));
}

struct Given {
  Value* input = nullptr;
  Value* mask = nullptr;
};

Given encoder_inputs(Net& net, const Seq2seq& both, const std::string& length) {
  if (both.input) return {both.input(), nullptr};
  Value* ids = tokens(net, "input_ids", length);
  return {ids, tokens(net, "attention_mask", length)};
}

void write_encoder(Net& net, const Seq2seq& both) {
  const Given given = encoder_inputs(net, both, "encoder_sequence_length");
  net.output("last_hidden_state", both.encode(given.input, given.mask),
             {"batch_size", both.states_length, both.states_width});
}

void write_decoder(Net& net, const Seq2seq& both, bool has_past) {
  Decoding decoding{.ids = tokens(net, "input_ids", new_length), .keeps = true};
  if (!both.input) {
    decoding.states_mask = tokens(net, "encoder_attention_mask", "encoder_sequence_length");
  }
  if (!has_past) {
    decoding.states = net.float_input("encoder_hidden_states",
                                      {"batch_size", both.states_length, both.states_width});
  }
  for (std::int64_t i = 0; has_past && i < both.layers; ++i) {
    const std::string name = std::to_string(i);
    const KeyValue before = past_input(net, both, name + ".decoder", past_length);
    decoding.past.push_back({before, past_input(net, both, name + ".encoder", both.states_length)});
  }
  net.output("logits", both.predict(both.decode(decoding)),
             {"batch_size", new_length, both.vocabulary});
  const std::string length = has_past ? std::string(past_length) + " + " + new_length : new_length;
  for (std::size_t i = 0; i < decoding.present.size(); ++i) {
    const std::string name = std::to_string(i);
    write_present(net, both, name + ".decoder", length, decoding.present[i].decoder);
    if (has_past) continue;
    write_present(net, both, name + ".encoder", both.states_length, decoding.present[i].encoder);
  }
}

void write_hidden_states(Net& net, const Seq2seq& both) {
  const Given given = encoder_inputs(net, both, "encoder_sequence_length");
  Decoding decoding{.ids = tokens(net, "decoder_input_ids", new_length)};
  if (given.mask) decoding.mask = tokens(net, "decoder_attention_mask", new_length);
  decoding.states = both.encode(given.input, given.mask);
  decoding.states_mask = given.mask;
  Value* x = both.decode(decoding);
  net.output("last_hidden_state", x, {"batch_size", new_length, both.width});
  net.output("encoder_last_hidden_state", decoding.states,
             {"batch_size", both.states_length, both.states_width});
}

// The tokens, one place later.
Value* shift_right(Net& net, Value* ids, std::int64_t start) {
  Value* first = net.expand(net.wholes({start}), net.dims({net.size_of(ids, 0), 1}));
  return net.concat({first, net.slice(ids, 1, 0, -1)}, 1);
}

Value* run_text(Net& net, const Seq2seq& both, const TextHead& head) {
  const Given given = encoder_inputs(net, both, "sequence_length");
  Decoding decoding{.ids = shift_right(net, given.input, head.start)};
  decoding.states = both.encode(given.input, given.mask);
  decoding.states_mask = given.mask;
  return both.decode(decoding);
}

// Of each text [length, width] what is at the last of its tokens `token`: [batch, width].
Value* at_last(Net& net, Value* x, Value* ids, std::int64_t token) {
  Value* is_it = net.cast(net.op("Equal", {ids, net.whole(token)}), ElementType::int32);
  Value* place =
      net.op("ArgMax", {is_it}, {{"axis", 1}, {"keepdims", 1}, {"select_last_index", 1}});
  return net.op("GatherND", {x, place}, {{"batch_dims", 1}});
}

// `key` and `value` as the layer makes them of `x`, the `width` of which is given.
Attention from(Net& net, const AttentionLayer& layer, Value* x, std::int64_t width) {
  const std::int64_t inner = layer.heads * layer.head_size;
  return {.key = net.linear(layer.key, x, width, inner, layer.key_bias),
          .value = net.linear(layer.value, x, width, inner, layer.bias)};
}

Attended run(Net& net, const AttentionLayer& layer, Value* x, Value* bias, Attention attention) {
  const std::int64_t inner = layer.heads * layer.head_size;
  attention.query = net.linear(layer.query, x, layer.width, inner, layer.bias);
  attention.heads = layer.heads;
  attention.head_size = layer.head_size;
  attention.scale = layer.scale;
  attention.bias = bias;
  Attended attended = net.attention(attention);
  attended.output = net.linear(layer.output, attended.output, inner, layer.width, layer.bias);
  return attended;
}

}  // namespace

std::string_view said_name(const Config& config, std::string_view name, std::string_view other) {
  if (!config.has(other)) return name;
  if (config.has(name) && *config.raw(name) != *config.raw(other)) {
    config.refuse(other, std::string(name) + " is the same switch and says something else");
  }
  return other;
}

std::string tied_module(const Net& net, const std::vector<std::string>& modules) {
  for (const std::string& module : modules) {
    if (net.has(module + ".weight")) return module;
  }
  return modules.front();
}

Value* token_places(Net& net, const Decoding& decoding) {
  Value* count = net.size_of(decoding.ids, 1);
  Value* before = past_count(net, decoding);
  return before ? net.add(net.count_up(count), before) : net.count_up(count);
}

Value* token_bias(Net& net, const Decoding& decoding) {
  Value* ahead = net.causal_bias(net.size_of(decoding.ids, 1), past_count(net, decoding));
  return net.join_biases(ahead, decoding.mask ? net.padding_bias(decoding.mask) : nullptr);
}

Value* states_bias(Net& net, const Decoding& decoding) {
  return decoding.states_mask ? net.padding_bias(decoding.states_mask) : nullptr;
}

Value* attend(Net& net, const AttentionLayer& layer, Value* x, Value* bias) {
  return run(net, layer, x, bias, from(net, layer, x, layer.width)).output;
}

Value* attend_to_tokens(Net& net, const AttentionLayer& layer, Value* x, Value* bias,
                        Decoding& decoding, std::size_t at) {
  Attention attention = from(net, layer, x, layer.width);
  attention.keeps_present = decoding.keeps;
  if (at < decoding.past.size()) {
    attention.past_key = decoding.past[at].decoder.key;
    attention.past_value = decoding.past[at].decoder.value;
  }
  const Attended attended = run(net, layer, x, bias, attention);
  if (decoding.keeps) {
    decoding.present.push_back(
        {.decoder = {attended.present_key, attended.present_value}, .encoder = {}});
  }
  return attended.output;
}

Value* attend_to_states(Net& net, const AttentionLayer& layer, Value* x, Value* bias,
                        Decoding& decoding, std::size_t at) {
  Attention attention;
  const bool is_first = at >= decoding.past.size();
  if (is_first) {
    attention = from(net, layer, decoding.states,
                     layer.states_width == 0 ? layer.width : layer.states_width);
    attention.keeps_present = decoding.keeps;
  } else {
    attention.key = decoding.past[at].encoder.key;
    attention.value = decoding.past[at].encoder.value;
    attention.keys_are_split = true;
  }
  const Attended attended = run(net, layer, x, bias, attention);
  if (decoding.keeps && is_first) {
    decoding.present[at].encoder = {attended.present_key, attended.present_value};
  }
  return attended.output;
}

std::vector<std::string> seq2seq_parts(const Config&, std::string_view task) {
  if (task == "text2text-generation" || task == "image-to-text" ||
      task == "automatic-speech-recognition") {
    return {std::string(encoder_part), std::string(decoder_part), std::string(past_part)};
  }
  return {"model"};
}

void write_seq2seq(Net& net, std::string_view part, const Seq2seq& both) {
  if (part == encoder_part) {
    write_encoder(net, both);
  } else if (part == decoder_part || part == past_part) {
    write_decoder(net, both, part == past_part);
  } else {
    write_hidden_states(net, both);
  }
}

TextHead read_text_head(const Config& config, std::int64_t start, std::int64_t end) {
  return {.start = config.whole("decoder_start_token_id", start),
          .end = config.whole("eos_token_id", end)};
}

void write_text_classification(Net& net, const Seq2seq& both, const TextHead& head,
                               std::int64_t labels) {
  Value* x = run_text(net, both, head);
  x = at_last(net, x, net.find_input("input_ids"), head.end);
  const Net::Scope scope = net.enter("classification_head");
  x = net.op("Tanh", {net.linear("dense", x, both.width, both.width)});
  net.output("logits", net.linear("out_proj", x, both.width, labels), {"batch_size", labels});
}

void write_question_answering(Net& net, const Seq2seq& both, const TextHead& head) {
  write_answer_span(net, net.linear("qa_outputs", run_text(net, both, head), both.width, 2));
}

}  // namespace hone
