#pragma once
// What measurements hold for: the machine, ONNX Runtime, the plugin libraries and the tool.

#include <map>
#include <string>

#include "base/file.h"
#include "base/machine.h"
#include "base/result.h"
#include "record/recipe.h"
#include "record/where.h"

namespace hone {

// The facts are for people; the key is their hash, with that of the libraries.
struct SearchEnvironment {
  std::string key;
  std::map<std::string, std::string> facts;

  // Empty: it is not known.
  std::string fact(const std::string& name) const;
};
Result<SearchEnvironment> find_environment(const Where& where, const Target& target);

// The facts, with the hardware's key and the fingerprint of the model: all that a finding says of
// where it was seen.
Result<std::map<std::string, std::string>> facts_for_findings(const Path& model,
                                                              const SearchEnvironment& environment);

// Which machine it is, whatever kernel and programs run on it. Two of one make are the same one.
std::string hardware_key(const MachineFacts& machine);

}  // namespace hone
