#pragma once
// What a target's EP makes of a model, node by node: what rules say of each, and what was found out
// by running the nodes that no rule speaks of.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

// supported: the EP takes the node. partial: it takes some of its forms, and the rule cannot tell
// which one this is, or a part falls back to the CPU. unsupported: it does not take it. unknown:
// nothing says.
enum class Support { supported, partial, unsupported, unknown };
constexpr auto enum_names(Support) {
  return std::to_array<EnumName<Support>>({{Support::supported, "supported"},
                                           {Support::partial, "partial"},
                                           {Support::unsupported, "unsupported"},
                                           {Support::unknown, "unknown"}});
}

struct CoverageCounts {
  std::uint64_t supported = 0;
  std::uint64_t partial = 0;
  std::uint64_t unsupported = 0;
  std::uint64_t unknown = 0;

  std::uint64_t total() const { return supported + partial + unsupported + unknown; }
  void add(Support status) {
    switch (status) {
      case Support::supported:
        ++supported;
        break;
      case Support::partial:
        ++partial;
        break;
      case Support::unsupported:
        ++unsupported;
        break;
      case Support::unknown:
        ++unknown;
        break;
    }
  }
  bool operator==(const CoverageCounts&) const = default;
};
template <RecordOf<CoverageCounts> Self>
void for_each_field(Self& counts, auto&& field) {
  field("supported", counts.supported);
  field("partial", counts.partial);
  field("unsupported", counts.unsupported);
  field("unknown", counts.unknown);
}

struct NodeCoverage {
  std::string node;    // its name, else what it makes
  std::string op;      // the op type
  std::string domain;  // empty for ONNX's own
  Support status = Support::unknown;
  std::string reason;  // why it is not supported, in words; empty for supported nodes
  std::string source;  // what says so: "rule", "shortcut" or "run"; empty when nothing does
};
template <RecordOf<NodeCoverage> Self>
void for_each_field(Self& coverage, auto&& field) {
  field("node", coverage.node);
  field("op", coverage.op);
  field("domain", coverage.domain);
  field("status", coverage.status);
  field("reason", coverage.reason);
  field("source", coverage.source);
}

// The nodes of one op type.
struct OpCoverage {
  std::string op;
  std::string domain;
  CoverageCounts counts;
};
template <RecordOf<OpCoverage> Self>
void for_each_field(Self& coverage, auto&& field) {
  field("op", coverage.op);
  field("domain", coverage.domain);
  field("counts", coverage.counts);
}

// Versions from `since` to `until`, both included; an open end is empty.
struct VersionRange {
  std::string since;
  std::string until;
  bool operator==(const VersionRange&) const = default;
};
template <RecordOf<VersionRange> Self>
void for_each_field(Self& range, auto&& field) {
  field("since", range.since);
  field("until", range.until);
}

// Which rule file answered, and how far it can be trusted.
struct CoverageRules {
  std::string file;        // "cpu.json"
  std::string provenance;  // "probed" or "documentation"
  std::string source;      // the public page and what it speaks of, or the machine that was probed
  std::string made_by;     // the command that repeats it; empty for documentation
  VersionRange onnxruntime;
  VersionRange ep;
  std::optional<bool> fits;  // is this ONNX Runtime in the range; null when it is not known
};
template <RecordOf<CoverageRules> Self>
void for_each_field(Self& rules, auto&& field) {
  field("file", rules.file);
  field("provenance", rules.provenance);
  field("source", rules.source);
  field("made_by", rules.made_by);
  field("onnxruntime", rules.onnxruntime);
  field("ep", rules.ep);
  field("fits", rules.fits);
}

struct CoverageFacts {
  std::string ep;                      // the short name
  std::string device;                  // cpu, gpu or npu
  std::optional<CoverageRules> rules;  // null when no rule file speaks of this target
  CoverageCounts counts;
  std::vector<OpCoverage> ops;  // sorted by domain and op
  std::vector<NodeCoverage>
      nodes;  // in the model's order, subgraphs behind the node that holds them
  std::vector<std::string> notes;  // what the reader should know before trusting it
};
template <RecordOf<CoverageFacts> Self>
void for_each_field(Self& facts, auto&& field) {
  field("ep", facts.ep);
  field("device", facts.device);
  field("rules", facts.rules);
  field("counts", facts.counts);
  field("ops", facts.ops);
  field("nodes", facts.nodes);
  field("notes", facts.notes);
}

}  // namespace hone
