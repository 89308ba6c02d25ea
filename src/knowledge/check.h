#pragma once
// What a finding must look like before it is believed: files are hostile until they were here.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/finding.h"

namespace hone {

// Names that other modules own. An empty list is not known, and its names are not checked.
struct KnownNames {
  std::vector<std::string> capabilities;  // snake_case
  std::vector<std::string> precisions;
  std::vector<std::string> session_options;
};

// Everything that is wrong with it, a clause each: "change.keys[0]: ...".
std::vector<std::string> problems_of(const Finding& finding, const KnownNames& known = {});
// Everything that is wrong with the findings of one collection, each with its id before it.
std::vector<std::string> problems_of_all(std::span<const Finding> findings,
                                         const KnownNames& known = {});

// The findings of a file. Unknown fields are refused with their place, and so are findings with
// problems. `name` is for messages.
Result<std::vector<Finding>> read_findings(std::string_view name, std::string_view text,
                                           const KnownNames& known = {});
// As read_findings, but what a finding says is not looked at: for problems_of_all.
Result<std::vector<Finding>> parse_findings(std::string_view name, std::string_view text);

// What read_findings reads; members that say nothing are left out.
std::string write_findings(std::span<const Finding> findings);
Json compact_json(const Finding& finding);

}  // namespace hone
