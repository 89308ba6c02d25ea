#pragma once
// Models that answer with text: what they were given, and what they are held against. The output is
// the ids of the whole answer: of a loop that runs an encoder and its decoders, or of a model that
// has the search in its graph (BeamSearch, GreedySearch).

#include "inspect/eval/judge.h"
#include "inspect/eval/text_encoder.h"

namespace hone {

// Rows of `source` and `target`.
Result<std::unique_ptr<Encoder>> open_source_encoder(const EncoderSettings& settings);

// What one answer is worth, with the facts of figures of all of them.
using ScoreText = Unit (*)(const std::string& expected, const std::string& got);
Result<std::unique_ptr<Judge>> open_text_judge(const TaskSettings& settings, ScoreText score);

// Whether an output is ids, and no scores.
bool holds_ids(const NamedTensors& outputs, const std::string& output);
// The text of an output's ids.
Result<std::string> read_written(const NamedTensors& outputs, const TaskSettings& settings);

// Of facts {edits, length, ...}: which share of lengths the edits are; `right`: one less of it.
template <std::size_t place, bool right>
WholeFigure edit_rate_of_all(std::span<const std::vector<double>> facts) {
  return [facts](std::span<const std::uint32_t> times) {
    double edits = 0;
    double length = 0;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      edits += times[i] * facts[i][place];
      length += times[i] * facts[i][place + 1];
    }
    const double rate = length > 0 ? edits / length : 0;
    return right ? 1 - rate : rate;
  };
}

// Of facts {got, expected, both} by order: chrF, and chrF++ with the orders of words.
WholeFigure chrf_of_all(std::span<const std::vector<double>> facts);
WholeFigure chrf_plus_of_all(std::span<const std::vector<double>> facts);
std::vector<double> chrf_facts(const std::string& expected, const std::string& got);

}  // namespace hone
