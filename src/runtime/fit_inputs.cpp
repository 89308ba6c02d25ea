#include "runtime/fit_inputs.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace hone {
namespace {

constexpr std::size_t most_attempts = 40;

struct Extent {
  std::int64_t height;
  std::int64_t width;
};

// Pictures as models of common kinds take them: classifiers, lines of text (low and wide),
// detectors, faces and digits.
constexpr auto usual_extents =
    std::to_array<Extent>({{224, 224}, {48, 320},  {256, 256}, {32, 320},  {640, 640},  {512, 512},
                           {128, 128}, {64, 64},   {96, 96},   {160, 160}, {192, 192},  {112, 112},
                           {299, 299}, {384, 384}, {416, 416}, {448, 448}, {32, 100},   {480, 640},
                           {32, 32},   {28, 28},   {608, 608}, {800, 800}, {1024, 1024}});

// Tokens, frames of features, samples of sound.
constexpr auto usual_lengths = std::to_array<std::int64_t>(
    {16,  8,   64,   512,  256,  32,   77,   80,   96,   100,   160,   384, 400, 576,
     640, 768, 1024, 1536, 1280, 2048, 3000, 4096, 8000, 16000, 48000, 4,   2,   1});

using Guesses = std::vector<DimGuess>;

DimGuess guess_for(const OpenDim& dim, std::int64_t size) { return {dim.input, dim.axis, size}; }

std::vector<OpenDim> assumed_of(const ClosedInputs& closed, DimRole role) {
  std::vector<OpenDim> found;
  for (const OpenDim& dim : closed.open) {
    if (dim.role == role && dim.origin == DimOrigin::assumed) found.push_back(dim);
  }
  return found;
}

// Heights and widths in turn, as they stand in a shape.
void add_extents(const ClosedInputs& first, std::vector<Guesses>& all) {
  const std::vector<OpenDim> dims = assumed_of(first, DimRole::extent);
  if (dims.empty()) return;
  for (const Extent& extent : usual_extents) {
    // A single open one is the width of a line whose height is known, or the other way round.
    if (dims.size() == 1) all.push_back({guess_for(dims[0], extent.width)});
    if (dims.size() == 1) all.push_back({guess_for(dims[0], extent.height)});
    if (dims.size() == 1) continue;
    Guesses& guesses = all.emplace_back();
    for (std::size_t i = 0; i < dims.size(); ++i)
      guesses.push_back(guess_for(dims[i], i % 2 == 0 ? extent.height : extent.width));
  }
}

// Whole frames, a few of them first.
std::vector<std::int64_t> lengths_for(const InputFacts& facts) {
  std::vector<std::int64_t> lengths;
  for (const std::int64_t frame : facts.frames)
    for (const std::int64_t count : {10, 1, 100}) lengths.push_back(frame * count);
  lengths.insert(lengths.end(), usual_lengths.begin(), usual_lengths.end());
  return lengths;
}

// All sequences of one length, then one of them alone.
void add_lengths(const ClosedInputs& first, const InputFacts& facts, std::vector<Guesses>& all) {
  const std::vector<OpenDim> dims = assumed_of(first, DimRole::length);
  if (dims.empty()) return;
  for (const std::int64_t length : lengths_for(facts)) {
    Guesses& guesses = all.emplace_back();
    for (const OpenDim& dim : dims) guesses.push_back(guess_for(dim, length));
  }
  for (std::size_t i = 0; dims.size() > 1 && i < dims.size(); ++i) {
    for (const std::int64_t length : {1, 16, 64, 512}) all.push_back({guess_for(dims[i], length)});
  }
}

// A step of a decoder: one token, and something to remember.
void add_steps(const ClosedInputs& first, std::vector<Guesses>& all) {
  const std::vector<OpenDim> pasts = assumed_of(first, DimRole::past);
  if (pasts.empty()) return;
  for (const std::int64_t length : {128, 1}) {
    Guesses& guesses = all.emplace_back();
    for (const OpenDim& past : pasts) guesses.push_back(guess_for(past, 16));
    for (const OpenDim& dim : assumed_of(first, DimRole::length))
      guesses.push_back(guess_for(dim, length));
  }
}

// Models that take a fixed number at once.
void add_batches(const ClosedInputs& first, std::vector<Guesses>& all) {
  for (const OpenDim& dim : assumed_of(first, DimRole::batch)) {
    for (const std::int64_t size : {2, 4, 8, 16, 32}) all.push_back({guess_for(dim, size)});
    return;
  }
}

// Steps first, and those of pictures and sequences in turn where a model has both.
std::vector<Guesses> guesses_after(const ClosedInputs& first, const InputFacts& facts) {
  std::vector<Guesses> all;
  add_steps(first, all);
  std::vector<Guesses> extents;
  std::vector<Guesses> lengths;
  add_extents(first, extents);
  add_lengths(first, facts, lengths);
  for (std::size_t i = 0; i < std::max(extents.size(), lengths.size()); ++i) {
    if (i < extents.size()) all.push_back(extents[i]);
    if (i < lengths.size()) all.push_back(lengths[i]);
  }
  if (all.size() > most_attempts) all.resize(most_attempts);
  add_batches(first, all);
  return all;
}

bool needs_trial(const ClosedInputs& closed) {
  return !describe_assumptions(closed).empty() || !closed.branches.empty();
}

ClosedInputs with_branches(ClosedInputs closed, bool taken) {
  for (const std::string& name : closed.branches) closed.values[name] = taken ? 1 : 0;
  return closed;
}

std::string shape_text(const ClosedInputs& closed, const std::string& input) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : closed.shapes.at(input)) sizes.push_back(std::to_string(size));
  return join(sizes, "x");
}

// ONNX Runtime's own words without the place in its source where it found them.
std::string first_line(const Error& error) {
  constexpr std::size_t most = 200;
  std::string text = error.cause.empty() ? error.what : error.cause;
  text = text.substr(0, text.find('\n'));
  return printable(text.size() > most ? text.substr(0, most) + "..." : text);
}

// "x: 1x3x48x320 runs; 1x3x320x320 did not: ...".
std::string describe_find(const ClosedInputs& first, const ClosedInputs& found,
                          const Error& problem) {
  std::vector<std::string> inputs;
  std::vector<std::string> before;
  for (const auto& [name, dims] : found.shapes) {
    if (dims == first.shapes.at(name)) continue;
    inputs.push_back(name + ": " + shape_text(found, name));
    before.push_back(shape_text(first, name));
  }
  constexpr std::size_t most = 3;
  const std::size_t more = inputs.size() > most ? inputs.size() - most : 0;
  inputs.resize(std::min(inputs.size(), most));
  before.resize(std::min(before.size(), most));
  return printable(join(inputs, ", ")) +
         (more > 0 ? " and " + std::to_string(more) + " more" : "") +
         (inputs.size() + more > 1 ? " run; " : " runs; ") + join(before, ", ") +
         " did not: " + first_line(problem);
}

FittedInputs fitted(const ClosedInputs& closed, const std::vector<Port>& ports) {
  FittedInputs made{.rules = rules_of(closed, ports)};
  if (std::string line = describe_assumptions(closed); !line.empty())
    made.notes.push_back(std::move(line));
  return made;
}

// What the graph says of dimensions that the user has sized otherwise.
std::string said_by_graph(const std::vector<Port>& ports, const ShapeRules& rules,
                          const InputFacts& facts) {
  const auto unsaid = close_inputs(ports, {}, facts);
  std::vector<std::string> said;
  for (const OpenDim& dim : unsaid ? unsaid->open : std::vector<OpenDim>()) {
    const auto given = rules.symbols.find(dim.symbol);
    const bool differs = given != rules.symbols.end() && given->second != dim.size;
    if (dim.origin == DimOrigin::graph && differs && !dim.is_repeated)
      said.push_back(dim.symbol + "=" + std::to_string(dim.size));
  }
  return said.empty() ? "" : "the graph says " + printable(join(said, ", ")) + "; ";
}

Failure none_runs(const ShapeRules& first, Error problem, std::size_t tried) {
  const std::string words[] = {to_shape_text(first)};
  problem.hint = "no size was found that runs, of " + std::to_string(tried) +
                 " tried; give the shapes it takes in the place of --shape-config " +
                 printable(to_shell(words)) + ", or inputs with --input-data";
  return fail(std::move(problem));
}

// Branches that run are taken in turn; one that does not is left out and named.
FittedInputs with_other_branches(const ClosedInputs& closed, const std::vector<Port>& ports,
                                 const InputTrial& trial) {
  if (closed.branches.empty()) return fitted(closed, ports);
  const Status ran = trial(rules_of(with_branches(closed, true), ports));
  if (ran) return fitted(closed, ports);
  FittedInputs made = fitted(with_branches(closed, false), ports);
  for (const std::string& name : closed.branches)
    made.notes.push_back(printable(name) + ":=1 did not run, so that only the branch of " +
                         printable(name) + ":=0 is: " + first_line(ran.error()));
  return made;
}

// Sizes that do not fit fail at once, so one that still runs when the time is over is as good as
// any: other sizes would take as long, one after the other.
FittedInputs slow(const ClosedInputs& closed, const std::vector<Port>& ports) {
  FittedInputs made = fitted(with_branches(closed, false), ports);
  made.notes.emplace_back(
      "the model was still running when the time for a trial was over: the "
      "sizes below were not seen to run to the end");
  std::ranges::rotate(made.notes, made.notes.end() - 1);
  return made;
}

}  // namespace

Result<FittedInputs> fit_inputs(const std::vector<Port>& ports, const ShapeRules& rules,
                                const InputFacts& facts, const InputTrial& trial) {
  HONE_TRY(const ClosedInputs first, close_inputs(ports, rules, facts));
  if (!needs_trial(first)) return fitted(first, ports);
  const Status ran = trial(rules_of(with_branches(first, false), ports));
  if (ran) return with_other_branches(first, ports, trial);
  if (ran.error().fault == Fault::timeout) return slow(first, ports);
  std::vector<ClosedInputs> tried = {first};
  const auto runs = [&](const Result<ClosedInputs>& closed) {
    const auto is_same = [&](const ClosedInputs& other) { return other.shapes == closed->shapes; };
    if (!closed || tried.size() > most_attempts || std::ranges::any_of(tried, is_same))
      return false;
    tried.push_back(*closed);
    return trial(rules_of(with_branches(*closed, false), ports)).has_value();
  };
  // What was read off the graph may be wrong: without it, with the tables that are indexed.
  InputFacts plain;
  plain.ranges = facts.ranges;
  plain.values = facts.values;
  plain.branches = facts.branches;
  bool is_found = runs(close_inputs(ports, rules, plain));
  for (const Guesses& guesses : guesses_after(first, facts)) {
    if (is_found) break;
    is_found = runs(close_inputs(ports, rules, facts, guesses));
  }
  if (!is_found) {
    Failure failure = none_runs(rules_of(first, ports), ran.error(), tried.size());
    failure.error.hint = said_by_graph(ports, rules, facts) + failure.error.hint;
    return failure;
  }
  FittedInputs made = with_other_branches(tried.back(), ports, trial);
  made.notes.insert(made.notes.begin(), describe_find(first, tried.back(), ran.error()));
  return made;
}

}  // namespace hone
