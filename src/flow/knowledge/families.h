#pragma once
// What is known of families of models: claims added, fallen and held again. They are written to a
// user's own folder; what comes with hone is never changed.

#include <string>
#include <vector>

#include "base/file.h"
#include "record/model_knowledge.h"

namespace hone {

// What was said of a finding; what is empty was not.
struct SaidOfFinding {
  std::string draft;  // a file to begin with, the rest is put over it
  std::string title;
  std::string observation;
  std::string effort;
  std::string goal;
  std::string mechanism;
  std::vector<std::string> gotchas;
  std::vector<std::string> gaps;
  std::vector<std::string> evidence;  // files
};

struct FamilyOrder {
  Path folder;             // of the user's own families
  std::string about;       // a family, or the id of a finding
  std::string model_type;  // of a family that nothing is known of yet
  SaidOfFinding said;
  std::vector<ModelTrial> trials;  // where it was seen; the first piece of evidence is theirs
};

// A family as it is kept now, and the finding of it that was spoken of.
struct KeptFinding {
  ListedFamily family;
  ModelFinding finding;
};

// A finding at the end of a family, which may be a new one.
Result<KeptFinding> add_to_family(const FamilyOrder& order);
// A counter-example to a finding. REQUIRES: one trial.
Result<KeptFinding> falsify_in_family(const FamilyOrder& order);
// One more trial on which a finding held. REQUIRES: one trial.
Result<KeptFinding> validate_in_family(const FamilyOrder& order);

struct MineOrder {
  Path build;  // a folder of `hone build`
  std::string family;
  std::string perf;  // a result of `hone perf`; empty: perf.json of the build, where there is one
  Path output;       // the draft
  bool overwrite = false;
};
// A draft of a finding from what a build left behind, for a person to read.
Result<ModelFindingDraft> mine_build(const MineOrder& order);

}  // namespace hone
