#pragma once
// `hone kb models`: what is known of families of models.

#include <string>
#include <vector>

#include "app/command.h"
#include "flow/knowledge/families.h"

namespace hone::app {

// What only `models` takes.
struct FamilyArguments {
  std::string family;
  std::string model_type;
  SaidOfFinding said;
  std::string against;
  std::string perf;
  std::string output;
  bool overwrite = false;
};
void declare_models(Options& options, FamilyArguments& arguments);

// What the call says beside them.
struct FamilyCall {
  std::string action;                 // list, show, ...
  std::vector<std::string> what;      // FAMILY, ID, files or a folder
  std::vector<std::string> on;        // MODEL@PRECISION@EP
  std::vector<std::string> evidence;  // files
  std::string ort_version;            // of the trials of `on`; empty: not known
  Path folder;                        // of the user's own families
};
Result<ExitCode> run_models(const FamilyArguments& arguments, const FamilyCall& given,
                            const Call& call);

}  // namespace hone::app
