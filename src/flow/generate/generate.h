#pragma once
// What a model writes: from prompts, pictures or sounds to texts, a token at a time.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/watch.h"
#include "record/generation.h"
#include "record/where.h"

namespace hone {

struct GenerateOrder {
  static constexpr std::string_view job = "generate";
  using Answer = GenerateReport;

  std::string model;
  std::vector<std::string> prompts;  // texts
  std::vector<std::string> tokens;   // the same as ids: "1, 2, 3"
  std::vector<std::string> inputs;   // files for an encoder of pictures or sounds
  std::optional<std::int64_t> sample_rate;
  std::string tokenizer;  // a folder or file; empty: what lies beside the model
  TokenChoice choice;
  Where where;
};
template <RecordOf<GenerateOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("prompts", order.prompts);
  field("tokens", order.tokens);
  field("inputs", order.inputs);
  field("sample_rate", order.sample_rate);
  field("tokenizer", order.tokenizer);
  field("choice", order.choice);
  field("where", order.where);
}

struct GenerateWatch {
  Watch watch{};  // its stop ends the texts with what they have by then
  // Text as it is written; of several texts, and of beams, nothing is told before the end.
  std::function<void(std::string_view piece)> said{};
};

// In this process: what is written is told as it comes, and no order of tokens goes over a pipe.
Result<GenerateReport> generate_texts(const GenerateOrder& order, const GenerateWatch& watch);

}  // namespace hone
