#pragma once
// What is known of a family of models, and the only ways in which that changes: a claim is added
// at the end, or falls to a counter-example that is added at the end. Nothing is taken back.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/model_knowledge.h"

namespace hone {

// "ppocr" and 3: "ppocr-003".
std::string id_of_finding(std::string_view family, std::size_t number);
// "ppocr-003": "ppocr"; empty where it is no such id.
std::string family_of_id(std::string_view id);

// Whether two trials are of one model, precision and EP.
bool is_same_trial(const ModelTrial& a, const ModelTrial& b);

// What `chain` must hold.
std::vector<std::string> chain_of(const FamilyKnowledge& knowledge);

// With the finding at its end, which gets the next id. Refused with all that is wrong with it.
Result<FamilyKnowledge> appended(FamilyKnowledge knowledge, ModelFinding finding);

// With the trial among those on which the finding `id` fell, and at its end the counter-example,
// which is linked to it and was validated on that trial.
Result<FamilyKnowledge> falsified(FamilyKnowledge knowledge, std::string_view id, ModelTrial trial,
                                  ModelFinding counter);

// With one more trial on which the finding `id` held.
Result<FamilyKnowledge> validated(FamilyKnowledge knowledge, std::string_view id, ModelTrial trial);

// What of `before` is gone or another one in `after`, a clause each. Empty: nothing, it only grew.
std::vector<std::string> rewrites_of_history(const FamilyKnowledge& before,
                                             const FamilyKnowledge& after);

// Unknown fields are refused with their place, and so are files with problems. `name` is for
// messages.
Result<FamilyKnowledge> read_family(std::string_view name, std::string_view text);
// As read_family, but what it says is not looked at: for problems_of.
Result<FamilyKnowledge> parse_family(std::string_view name, std::string_view text);
Result<ModelFindingDraft> parse_draft(std::string_view name, std::string_view text);

// What is read again; members that say nothing are left out.
std::string write_family(const FamilyKnowledge& knowledge);
std::string write_draft(const ModelFindingDraft& draft);

}  // namespace hone
