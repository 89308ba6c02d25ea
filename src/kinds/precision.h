#pragma once
// Precisions as plain facts: what a model's numbers can be brought to, how, where that can be
// faster, and what it may cost. A precision is one file in precisions/ that returns a Precision,
// and one line in precisions.inc; options, recipes, remedies, hypotheses, the checks of evidence,
// help and docs/quantize.md are derived from it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// How the numbers are made (transform/quantize/precisions.h does it).
enum class Making {
  nothing,        // it is the float model, or what its steps make in turn
  ranges,         // integers, with scales of ranges that calibration measures
  while_running,  // integers, with scales that are found while the model runs
  blocks,         // weights of products in blocks, each with its scale
  half,           // floats of half the bits
};

// What to try where too little is left.
struct MilderPrecision {
  std::string_view name;
  std::string_view what;  // "16-bit activations"
};

// A hypothesis of a search, where the device has kernels for it. Rough: they order ideas, and
// measuring decides.
struct PrecisionTry {
  bool per_channel = false;
  double gain = 0;    // the share of the time that it would save where all of it is in what changes
  double chance = 0;  // that it does
  double cost = 1;    // of finding out, as a multiple of what another session takes
};

struct Precision {
  std::string_view name;                    // for ever: recipes and findings hold it
  std::string_view summary;                 // at most 72 characters, no full stop
  std::vector<std::string_view> aliases{};  // what people type besides
  Making making = Making::nothing;
  std::vector<std::string_view> steps{};  // the precisions it is made of, in turn

  // Types in ONNX's own words.
  std::string_view weight_type{};      // of the integers; empty: not about integers by scales
  std::string_view activation_type{};  // empty: activations are not stored as integers
  std::vector<std::string_view> stored_as{};  // any of these are its weights in a file
  std::vector<std::string_view> tables_as{};  // what tables that are looked up in become besides
  bool is_of_products = false;                // it changes weights that are multiplied by, alone

  std::string_view lacking{};  // what a model has that it can do nothing with
  std::string_view instead{};  // and what takes more
  std::vector<MilderPrecision> milder{};

  std::string_view usual_on{};  // the device class that gets it when nothing is said
  std::string_view usual_because{};
  std::vector<std::string_view> fast_on{};  // device classes with kernels for it
  std::string_view elsewhere{};             // why not on the others
  std::vector<PrecisionTry> tries{};

  double least_cosine = 0.90;  // of an output beside the reference's, for evidence that it answers
};

// In the order in which precisions are listed.
std::span<const Precision> all_precisions();
// By its name or an alias; null when there is none.
const Precision* find_precision(std::string_view word);
// The one that recipes and `hone quantize` call so: it is made by itself. Null when there is none.
const Precision* find_made_precision(std::string_view name);
// All names but aliases, and those that are made by themselves.
std::vector<std::string> precision_names();
std::vector<std::string> made_precision_names();

namespace precisions {
#define HONE_PRECISION(name) Precision name();
#include "kinds/precisions.inc"
#undef HONE_PRECISION
}  // namespace precisions

}  // namespace hone
