#include "inspect/analyze/suggest.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "inspect/analyze/fusions.h"
#include "runtime/ep_names.h"
#include "transform/capability.h"
#include "transform/optimize.h"
#include "transform/unfuse.h"

namespace hone {
namespace {

constexpr std::string_view own_domain = "com.microsoft";

struct OpName {
  std::string op;
  std::string domain;
};

// "com.microsoft.Gelu" apart; names of ONNX's own operators hold no dot.
OpName take_apart(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {name, ""};
  return {name.substr(dot + 1), name.substr(0, dot)};
}

bool acts_on(const Capability& capability, std::string_view ep) {
  const auto& only = capability.only_on;
  return only.empty() || std::ranges::find(only, ep) != only.end();
}

// Why something should not be made; empty when it may. A guess is one that nothing speaks against:
// the target may take it all the same.
struct Objection {
  std::string why;
  bool is_guess = false;
};

Objection objection_to(const std::string& made, const std::string& ep, const OpSupport& support) {
  if (made.empty()) return {};
  const OpName name = take_apart(made);
  const Support known = support(name.op, name.domain);
  if (known == Support::unsupported) return {ep + " does not take " + made};
  // ONNX Runtime makes its own operators for its own CPU kernels; elsewhere few of them exist.
  if (known == Support::unknown && name.domain == own_domain && ep != "cpu") {
    return {"it is not known that " + ep + " takes " + made, true};
  }
  return {};
}

Objection objection(const FusionCandidate& fusion, const std::string& ep,
                    const OpSupport& support) {
  constexpr int layout_level = 3;
  const Capability& capability = *find_capability(fusion.capability).value();
  if (capability.level == layout_level) return {"it makes a model for the CPU it is made on"};
  if (!acts_on(capability, ep)) return {"it acts on " + limit_of(capability) + " alone"};
  if (capability.detection && capability.detection->aim == Aim::accelerators && ep == "cpu") {
    return {"the CPU EP gains nothing by it"};
  }
  if (capability.pass != nullptr && capability.pass->numerics == Numerics::relaxed) {
    return {"it changes numbers by more than rounding"};
  }
  return objection_to(fusion.makes, ep, support);
}

bool speaks_of(const OpRule& rule, std::string_view op, std::string_view domain,
               const std::string& device, std::int64_t opset) {
  const auto has = [](const std::vector<std::string>& all, std::string_view one) {
    return std::ranges::find(all, one) != all.end();
  };
  return has(rule.ops, op) && rule.domain == domain && opset >= rule.since &&
         opset <= rule.until.value_or(opset) &&
         (rule.devices.empty() || device == "auto" || has(rule.devices, device));
}

// The first capability of the set that this one would spoil; empty when there is none.
std::string first_of_larger(const std::string& capability, const std::set<std::string>& all) {
  const auto& detection = find_capability(capability).value()->detection;
  if (!detection) return {};
  for (const std::string_view larger : detection->yields_to) {
    if (all.contains(json_name(*find_capability(larger).value()))) return std::string(larger);
  }
  return {};
}

std::string reason_for(const FusionCandidate& fusion) {
  const bool is_one = fusion.count == 1;
  const std::string places = format_count(fusion.count) + (is_one ? " place" : " places");
  return fusion.makes.empty() ? places
                              : places + (is_one ? " becomes " : " become ") + fusion.makes;
}

using RefusedOps = std::map<std::string, std::uint64_t>;

RefusedOps refused_ops(const CoverageFacts& coverage) {
  RefusedOps refused;
  for (const OpCoverage& op : coverage.ops) {
    const bool is_own = op.domain.empty() || op.domain == "ai.onnx";
    if (op.counts.unsupported > 0) {
      refused[is_own ? op.op : op.domain + "." + op.op] = op.counts.unsupported;
    }
  }
  return refused;
}

struct Refusals {
  const Model& model;
  const RefusedOps& refused;
  const OpSupport& support;
};

// What passes, one after the other, do about operators that are refused.
struct Remedy {
  std::vector<std::string> removed;  // "com.microsoft.FusedConv x5"
  std::string made;                  // one of the operators in their place
  bool adds_refused = false;
};

Result<Remedy> try_passes(const std::vector<const Pass*>& passes, const Refusals& refusals) {
  Model copy = clone(refusals.model);
  for (const Pass* pass : passes) HONE_TRY_DO(run_pass(*pass, copy));
  Remedy remedy;
  for (const auto& [op, change] : op_changes(refusals.model, copy)) {
    if (change < 0 && refusals.refused.contains(op))
      remedy.removed.push_back(op + " x" + std::to_string(-change));
    if (change <= 0) continue;
    const OpName name = take_apart(op);
    const Support known = refusals.support(name.op, name.domain);
    remedy.adds_refused |=
        known == Support::unsupported || (known == Support::unknown && name.domain == own_domain);
    remedy.made = op;
  }
  return remedy;
}

// The pass, and where what it makes is refused as well, the one that writes that in its parts:
// BiasGelu is Add and Gelu, and a Gelu can be written with Erf. Empty when they do not help.
Result<std::vector<const Pass*>> chain_of(const Pass& pass, const Refusals& refusals) {
  using Chain = std::vector<const Pass*>;
  HONE_TRY(const Remedy alone, try_passes({&pass}, refusals));
  if (alone.removed.empty()) return Chain{};
  if (!alone.adds_refused) return Chain{&pass};
  if (pass.category != unfusing_category) return Chain{};
  for (const Pass& next : all_passes()) {
    if (next.category != unfusing_category || &next == &pass) continue;
    HONE_TRY(const Remedy both, try_passes({&pass, &next}, refusals));
    if (!both.removed.empty() && !both.adds_refused) return Chain{&pass, &next};
  }
  return Chain{};
}

}  // namespace

OpSupport support_by(const NamedRules* rules, std::string device, std::int64_t opset) {
  return [rules, device = std::move(device), opset](std::string_view op, std::string_view domain) {
    if (rules == nullptr) return Support::unknown;
    Support best = Support::unknown;
    bool is_listed = false;
    for (const OpRule& rule : rules->rules.rules) {
      is_listed |= rule.domain == domain && std::ranges::find(rule.ops, op) != rule.ops.end();
      if (!speaks_of(rule, op, domain, device, opset)) continue;
      best = std::min(best, rule.status);  // the enum is sorted, best first
    }
    return is_listed || rules->rules.unlisted.empty() ? best : Support::unsupported;
  };
}

SuggestedCapabilities suggest(const std::vector<FusionCandidate>& fusions, const Target& target,
                              const OpSupport& support) {
  SuggestedCapabilities advice;
  const std::string ep = ep_short_name(target.ep);
  std::set<std::string> good;
  std::map<std::string, Objection> against;
  for (const FusionCandidate& fusion : fusions) {
    const Objection reason = objection(fusion, ep, support);
    if (reason.why.empty()) {
      good.insert(fusion.capability);
    } else {
      against[fusion.capability] = reason;
    }
  }
  for (const FusionCandidate& fusion : fusions) {
    if (const std::string larger = first_of_larger(fusion.capability, good);
        !larger.empty() && good.contains(fusion.capability)) {
      against[fusion.capability] = {"it would take parts of " + larger};
    }
    const auto reason = against.find(fusion.capability);
    if (reason != against.end()) {
      const Objection& found = reason->second;
      advice.withheld.push_back({fusion.capability, fusion.makes, found.why, found.is_guess});
    } else {
      advice.suggestions.push_back({fusion.capability, fusion.makes, reason_for(fusion)});
    }
  }
  return advice;
}

Result<std::vector<Suggestion>> find_remedies(const Model& model, const CoverageFacts& coverage,
                                              const OpSupport& support) {
  std::vector<Suggestion> remedies;
  const RefusedOps refused = refused_ops(coverage);
  if (refused.empty()) return remedies;
  for (const Pass& pass : all_passes()) {
    if (pass.run == nullptr || pass.numerics == Numerics::relaxed) continue;
    HONE_TRY(const std::vector<const Pass*> chain, chain_of(pass, {model, refused, support}));
    for (const Pass* one : chain) {
      const std::string name = json_name(*find_capability(one->name).value());
      const auto same = std::ranges::find(remedies, name, &Suggestion::capability);
      if (same != remedies.end()) continue;
      HONE_TRY(const Remedy alone, try_passes({one}, {model, refused, support}));
      std::string why = alone.removed.empty() ? "takes away what " + std::string(pass.name) +
                                                    " makes, which " + coverage.ep + " refuses too"
                                              : "takes away what " + coverage.ep +
                                                    " refuses: " + join(alone.removed, ", ");
      remedies.push_back(
          {.capability = name, .makes = alone.made, .why = std::move(why), .is_remedy = true});
    }
  }
  return remedies;
}

}  // namespace hone
