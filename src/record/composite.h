#pragma once
// Several models that are one thing: an encoder with its decoders, the towers of one that sees and
// reads. The manifest beside them, and what commands answer of all parts.

#include <string>
#include <vector>

#include "record/build.h"
#include "record/model_facts.h"
#include "record/perf.h"

namespace hone {

inline constexpr std::int64_t composite_schema_version = 1;

struct CompositePart {
  std::string part;  // "encoder_model"
  std::string file;  // below the folder
};
template <RecordOf<CompositePart> Self>
void for_each_field(Self& part, auto&& field) {
  field("part", part.part, Presence::required);
  field("file", part.file, Presence::required);
}

// An output of one part is an input of another, or of itself in the next step. "*" stands for what
// all of a kind share: "present.*" feeds "past_key_values.*".
struct CompositeFeed {
  std::string from;
  std::string output;
  std::string to;
  std::string input;
};
template <RecordOf<CompositeFeed> Self>
void for_each_field(Self& feed, auto&& field) {
  field("from", feed.from, Presence::required);
  field("output", feed.output, Presence::required);
  field("to", feed.to, Presence::required);
  field("input", feed.input, Presence::required);
}

struct Composite {
  std::vector<CompositePart> parts;
  std::vector<CompositeFeed> feeds;
  std::vector<std::string> variants{};  // files of other forms of the parts: quantized, merged
};
template <RecordOf<Composite> Self>
void for_each_field(Self& composite, auto&& field) {
  field("parts", composite.parts, Presence::required);
  field("feeds", composite.feeds);
  field("variants", composite.variants, Presence::when_given);
}

// What a command answers of one part.
template <class Answer>
struct PartAnswer {
  using OfPart = Answer;
  std::string part;
  Answer answer;
};
template <class Self>
requires requires { typename Self::OfPart; }
void for_each_field(Self& part, auto&& field) {
  field("part", part.part, Presence::required);
  field("answer", part.answer, Presence::required);
}

// And of all of them.
template <class Answer>
struct CompositeAnswer {
  using OfParts = Answer;
  std::string model;  // as it was asked for
  Composite composite;
  std::vector<PartAnswer<Answer>> parts;
};
template <class Self>
requires requires { typename Self::OfParts; }
void for_each_field(Self& all, auto&& field) {
  field("model", all.model);
  field("composite", all.composite);
  field("parts", all.parts);
}

using CompositeFacts = CompositeAnswer<ModelFacts>;
using CompositePerf = CompositeAnswer<PerfResult>;
using CompositeReceipt = CompositeAnswer<BuildReceipt>;

}  // namespace hone
