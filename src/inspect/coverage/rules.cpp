#include "inspect/coverage/rules.h"

#include <algorithm>
#include <charconv>

#include "base/folder.h"
#include "base/json.h"
#include "base/json_trim.h"
#include "base/text.h"
#include "model/types.h"

namespace hone {
namespace {

const std::vector<std::string> device_classes = {"cpu", "gpu", "npu"};

Failure wrong(std::string what) { return fail(Fault::bad_input, std::move(what)); }

Status check_devices(const std::vector<std::string>& devices,
                     const std::vector<std::string>& allowed) {
  for (const std::string& device : devices) {
    if (std::ranges::find(allowed, device) == allowed.end())
      return wrong("'" + device + "' is none of " + join(allowed, ", "));
  }
  return done();
}

Status check_types(const std::vector<std::vector<std::string>>& positions) {
  for (const std::vector<std::string>& types : positions) {
    for (const std::string& type : types) {
      if (!element_type_named(type)) return wrong("'" + type + "' is no element type");
    }
  }
  return done();
}

Status check_condition(const OpCondition& condition) {
  HONE_TRY_DO(check_types(condition.inputs));
  HONE_TRY_DO(check_types(condition.outputs));
  if (condition.max_rank && *condition.max_rank < 0) return wrong("max_rank is below zero");
  for (const AttributeRule& rule : condition.attributes) {
    if (rule.values.empty()) return wrong("attribute '" + rule.name + "' is allowed no value");
  }
  return done();
}

Status check_rule(const OpRule& rule, const std::vector<std::string>& devices) {
  if (rule.ops.empty()) return wrong("it names no op");
  if (rule.since < 1 || (rule.until && *rule.until < rule.since))
    return wrong("no opset is from " + std::to_string(rule.since) + " to " +
                 std::to_string(rule.until.value_or(0)));
  if (rule.status == Support::unknown)
    return wrong("its status is unknown, which is what no rule says");
  if (rule.status == Support::partial && rule.note.empty())
    return wrong("a partial status needs a note that says which part");
  HONE_TRY_DO(check_devices(rule.devices, devices));
  return check_condition(rule.when);
}

// "1.29.0" -> 1, 29, 0. Nothing for what is no version.
std::optional<std::vector<int>> parts_of(std::string_view version) {
  std::vector<int> parts;
  for (const std::string_view word : split(version, '.')) {
    int part = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), part);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    parts.push_back(part);
  }
  return parts;
}

Status check_range(const VersionRange& range, std::string_view of) {
  for (const std::string& end : {range.since, range.until}) {
    if (!end.empty() && !parts_of(end))
      return wrong("'" + end + "' is no version of " + std::string(of) + " (1.29.0)");
  }
  return done();
}

Status check(const RuleFile& file) {
  if (file.ep.empty()) return wrong("it names no EP");
  if (file.devices.empty()) return wrong("it names no device");
  if (file.provenance.source.empty()) return wrong("its provenance has no source");
  if (file.provenance.kind == Provenance::probed && file.provenance.made_by.empty())
    return wrong("it was probed, but does not say by which command (made_by)");
  HONE_TRY_DO(check_devices(file.devices, device_classes));
  HONE_TRY_DO(check_range(file.onnxruntime, "ONNX Runtime"));
  HONE_TRY_DO(check_range(file.ep_version, "the EP"));
  HONE_TRY_DO(check_condition(file.needs));
  for (std::size_t i = 0; i < file.rules.size(); ++i) {
    Status status = check_rule(file.rules[i], file.devices);
    if (status) continue;
    const std::vector<std::string>& ops = file.rules[i].ops;
    return wrong("rules[" + std::to_string(i) + "] (" + (ops.empty() ? "" : ops.front()) +
                 "): " + status.error().what);
  }
  return done();
}

// Every default of a rule file is an empty value but `since`, which is worth saying.
bool is_default(std::string_view key, const Json& member) {
  if (key == "quantized") return member.is_null();  // false asks, too
  return is_empty(member) || member == Json(false);
}

// Versions of another length are compared as far as both go: 1.29 is every 1.29.x.
int compare(const std::vector<int>& a, const std::vector<int>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

}  // namespace

Result<NamedRules> read_rules(std::string_view name, std::string_view text) {
  const auto read = [&]() -> Result<RuleFile> {
    HONE_TRY(const Json json, Json::parse(text));
    HONE_TRY(RuleFile file, from_document<RuleFile>(json, rules_schema_version));
    HONE_TRY_DO(check(file));
    return file;
  };
  Result<RuleFile> file = read();
  if (file) return NamedRules{std::string(name), std::move(*file)};
  Error error = std::move(file).error();
  return fail(error.fault, "cannot use the rule file '" + printable(name) + "'",
              error.what + (error.cause.empty() ? "" : ": " + error.cause),
              error.hint.empty() ? "docs/rules.md describes the format" : error.hint);
}

std::string write_rules(const RuleFile& rules) {
  return without_defaults(to_document(rules, rules_schema_version), is_default).dump() + "\n";
}

Result<std::vector<NamedRules>> load_rules(const Path& folder) {
  std::vector<NamedRules> files;
  if (folder.empty()) {
    for (const EmbeddedFile& file : embedded_rules()) {
      HONE_TRY(NamedRules rules, read_rules(file.name, file.text));
      files.push_back(std::move(rules));
    }
    return files;
  }
  const auto entries = list_folder(folder);
  if (!entries) {
    return fail(Fault::not_found, "cannot read the rules in '" + folder.string() + "'",
                entries.error().cause, "--rules takes a folder of rule files (.json)");
  }
  for (const FolderEntry& entry : *entries) {
    if (entry.path.extension() != ".json") continue;
    constexpr std::uint64_t largest = 64 << 20;
    HONE_TRY(const std::string text, read_file(entry.path, largest));
    HONE_TRY(NamedRules rules, read_rules(entry.name, text));
    files.push_back(std::move(rules));
  }
  return files;
}

const NamedRules* find_rules(std::span<const NamedRules> files, std::string_view ep,
                             std::string_view device) {
  const auto fits = [&](const NamedRules& file) {
    return file.rules.ep == ep &&
           (device == "auto" ||
            std::ranges::find(file.rules.devices, device) != file.rules.devices.end());
  };
  const auto found = std::ranges::find_if(files, fits);
  return found == files.end() ? nullptr : &*found;
}

bool is_inside(const VersionRange& range, std::string_view version) {
  const auto here = parts_of(version);
  if (!here) return false;
  const auto since = parts_of(range.since);
  const auto until = parts_of(range.until);
  return (!since || range.since.empty() || compare(*here, *since) >= 0) &&
         (!until || range.until.empty() || compare(*here, *until) <= 0);
}

}  // namespace hone
