#pragma once
// The model that `generate` is given: its parts in the order in which they run, and where the files
// lie that say how it writes and reads.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flow/watch.h"
#include "generate/open.h"
#include "generate/settings.h"
#include "record/export.h"
#include "record/where.h"
#include "tokenize/tokenizer.h"

namespace hone {

struct WritingModel {
  std::vector<PartPlan> parts;
  Where where;               // settled
  std::vector<Path> places;  // the checkpoint's folder, the model's, and above it where it is onnx/
  std::optional<ExportedFrom> exported{};  // of a checkpoint
  std::vector<std::string> notes;
};

// A folder with an encoder and its decoders, one with a single decoder, or its file. Other folders
// of several models are refused.
Result<WritingModel> find_writing_model(const std::string& given, const Where& said,
                                        const Watch& watch);

// The first of the places that has a file of that name; the first of all where none has.
Path place_with(const WritingModel& model, const std::string& file);

using SharedTokenizer = std::shared_ptr<const tokenize::Tokenizer>;
// What is said, or lies in one of the places; null where there is none.
Result<SharedTokenizer> find_tokenizer_of(const WritingModel& model, const std::string& said);

// What is said beside the model of how it writes; what fills up rows is the tokenizer's word, where
// the configuration has none.
Result<GenerationSettings> generation_settings_of(const WritingModel& model,
                                                  const tokenize::Tokenizer* tokenizer);

}  // namespace hone
