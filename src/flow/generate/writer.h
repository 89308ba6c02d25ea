#pragma once
// An encoder with its decoders as one thing that answers a sample with ids: what `eval` judges.

#include <memory>
#include <string>

#include "flow/generate/writing_model.h"
#include "generate/choice.h"
#include "inspect/eval/evaluate.h"

namespace hone {

struct OpenWriter {
  WritingModel model;
  OpenNetwork open;
  ChoiceRules rules;
};

// Whether a folder of an encoder with decoders is given as a whole.
Result<bool> is_writer(const std::string& given, const Host& host);
// REQUIRES: is_writer(given).
Result<std::shared_ptr<OpenWriter>> open_writer(const std::string& given, const Where& where);
// Its one output, "sequences", holds what was written: no beginning, and no end token.
Answerer answerer_of(const std::shared_ptr<OpenWriter>& writer);

}  // namespace hone
