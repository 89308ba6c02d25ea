#pragma once
// Rule files: the ones that come with the program, and those of a folder instead of them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.h"
#include "base/file.h"
#include "record/coverage_rules.h"

namespace hone {

std::span<const EmbeddedFile> embedded_rules();

struct NamedRules {
  std::string file;
  RuleFile rules;
};

// Refuses unknown keys, types, devices and ranges that cannot be meant. `name` is for messages.
Result<NamedRules> read_rules(std::string_view name, std::string_view text);
// What read_rules reads; members that say nothing are left out.
std::string write_rules(const RuleFile& rules);

// All rule files: the .json files of `folder` in the order of their names, or the program's own
// when it is empty.
Result<std::vector<NamedRules>> load_rules(const Path& folder = {});

// The file for an EP (its short name) on a device class; "auto" is the first device of the EP's
// first file. Null: none speaks of it.
const NamedRules* find_rules(std::span<const NamedRules> files, std::string_view ep,
                             std::string_view device);

// Is `version` ("1.29.0") inside? Parts are compared as numbers; 1.29 is every 1.29.x.
bool is_inside(const VersionRange& range, std::string_view version);

}  // namespace hone
