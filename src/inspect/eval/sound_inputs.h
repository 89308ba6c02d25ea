#pragma once
// Clips of sound of rows as inputs of a model.

#include "inspect/eval/encoder.h"

namespace hone {

class SoundInputs {
 public:
  static Result<SoundInputs> open(const EncoderSettings& settings);

  Result<Sample> encode(const Json& row, std::string_view column) const;
  std::map<std::string, std::string> described() const;

 private:
  Port input_;
  std::optional<Port> mask_;
  std::optional<std::size_t> length_;  // that the model has
  std::optional<Processor> processor_;
  Path folder_;
};

}  // namespace hone
