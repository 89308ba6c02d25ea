#pragma once
// Regular expressions as tokenizers' files write them: Oniguruma's syntax as Ruby reads it, over
// Unicode. Back-references, \X, \K and the like are refused by name. Matching backtracks; its steps
// are counted, so that a hostile expression ends in an error and not in a hang.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenize/aligned.h"

namespace hone::tokenize {

struct Program;  // tokenize/program.h

class Pattern {
 public:
  static Result<Pattern> compile(std::string_view expression);
  static Pattern literal(std::string_view text);

  // The whole text as parts, one after the other: those that match, and what lies between them.
  Status find_all(std::string_view text, std::vector<Aligned::Part>& parts) const;

 private:
  explicit Pattern(std::shared_ptr<const Program> program);
  std::shared_ptr<const Program> program_;
};

}  // namespace hone::tokenize
