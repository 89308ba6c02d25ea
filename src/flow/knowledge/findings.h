#pragma once
// The knowledge base: what is known of changes to a recipe, and what that does for a model. What
// changes is written to a user's own folder; what comes with hone is never changed.

#include <string>
#include <vector>

#include "base/file.h"
#include "flow/watch.h"
#include "record/knowledge.h"
#include "record/where.h"

namespace hone {

// Which findings are asked for; what is empty was not said.
struct FindingFilter {
  std::string ep;
  std::string device;
  std::string status;
};
Result<KnowledgeList> list_findings(const Path& folder, const FindingFilter& filter);
Result<ListedFinding> show_finding(const Path& folder, const std::string& id);

// Of a file or a folder; without a path: what is shipped, and the user's own.
Result<KnowledgeCheck> check_findings(const std::string& path, const Path& folder);

// The findings of a file: what is known already is refused, or joined with what was seen. Nothing
// is kept unless everything can be.
enum class TakeIn { new_ones, all };
Result<KnowledgeList> take_in_findings(const Path& folder, const std::string& file, TakeIn what);

struct FalsifyOrder {
  Path folder;
  std::string id;
  FindingTrial trial;  // where it did not hold
  std::string why;
  std::vector<std::string> evidence;  // files
};
Result<ListedFinding> falsify_finding(const FalsifyOrder& order);

Result<ListedFinding> promote_finding(const Path& folder, const std::string& id);

struct WhyOrder {
  Path folder;
  std::string model;       // a file, or a folder with one
  Where where;             // the target that is asked about, as it was said
  std::string ep_version;  // empty: that of the EP here, where it is installed
  std::string driver;
  std::string precision;  // empty: the model's own
};
// What all findings do to every change they speak of.
Result<KnowledgeAnswer> explain_findings(const WhyOrder& order, const Watch& watch);

}  // namespace hone
