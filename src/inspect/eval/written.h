#pragma once
// Models that answer with text: what they were given, and what they are held against. hone runs no
// loop that generates: the model's output has to be the ids of the whole answer, as exporters make
// it that put the search into the graph (BeamSearch, GreedySearch).

#include "inspect/eval/judge.h"
#include "inspect/eval/text_encoder.h"

namespace hone {

// Rows of `source` and `target`.
Result<std::unique_ptr<Encoder>> open_source_encoder(const EncoderSettings& settings);

// What one answer is worth, with the facts of figures of all of them.
using ScoreText = Unit (*)(const std::string& expected, const std::string& got);
Result<std::unique_ptr<Judge>> open_text_judge(const TaskSettings& settings, ScoreText score);

// Of facts {got, expected, both} by order: chrF, and chrF++ with the orders of words.
WholeFigure chrf_of_all(std::span<const std::vector<double>> facts);
WholeFigure chrf_plus_of_all(std::span<const std::vector<double>> facts);
std::vector<double> chrf_facts(const std::string& expected, const std::string& got);

}  // namespace hone
