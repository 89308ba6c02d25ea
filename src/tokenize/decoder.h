#pragma once
// Tokens back to text: one class for each kind that tokenizer.json knows.

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace hone::tokenize {

class Decoder {
 public:
  virtual ~Decoder() = default;
  // The tokens as they become; in the end all are put together.
  virtual void apply(std::vector<std::string>& tokens) const = 0;
};

// null gives none: tokens with a space between them.
Result<std::shared_ptr<const Decoder>> read_decoder(const Json& json);

}  // namespace hone::tokenize
