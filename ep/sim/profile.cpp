#include "ep/sim/profile.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ep/element_types.h"

namespace hone::ep::sim {
namespace {

bool names_op(const Rule& rule, const GraphNode& node) {
  return std::any_of(rule.ops.begin(), rule.ops.end(), [&](const std::string& op) {
    return op == "*" || op == node.op || op == node.domain + "." + node.op;
  });
}

std::vector<const ValueType*> tensors_of(const GraphNode& node) {
  std::vector<const ValueType*> tensors;
  if (!node.inputs.empty() && node.inputs[0]) tensors.push_back(&node.inputs[0]->type);
  for (const auto& output : node.outputs) {
    if (output) tensors.push_back(&output->type);
  }
  return tensors;
}

std::optional<std::string> type_problem(const Rule& rule, const ValueType& type) {
  if (rule.types.empty()) return std::nullopt;
  const std::string name = element_name(type.element);
  if (std::find(rule.types.begin(), rule.types.end(), name) != rule.types.end()) {
    return std::nullopt;
  }
  return "type " + name + " is not among " + join(rule.types, ", ");
}

std::optional<std::string> rank_problem(const Rule& rule, const ValueType& type) {
  if (!rule.min_rank && !rule.max_rank) return std::nullopt;
  if (!type.shape) return "its rank is not known";
  const auto rank = static_cast<std::int64_t>(type.shape->size());
  if (rule.min_rank && rank < *rule.min_rank) {
    return "rank " + std::to_string(rank) + " is below " + std::to_string(*rule.min_rank);
  }
  if (rule.max_rank && rank > *rule.max_rank) {
    return "rank " + std::to_string(rank) + " is above " + std::to_string(*rule.max_rank);
  }
  return std::nullopt;
}

std::optional<std::string> shape_problem(const Rule& rule, const ValueType& type) {
  if (!rule.dynamic_shapes || *rule.dynamic_shapes != type.is_static()) return std::nullopt;
  return type.is_static() ? "its shape is static" : "its shape is dynamic";
}

constexpr std::array conditions = {type_problem, rank_problem, shape_problem};

// The first condition a tensor of the node does not meet.
std::optional<std::string> unmet(const Rule& rule, const GraphNode& node) {
  for (const ValueType* tensor : tensors_of(node)) {
    for (const auto condition : conditions) {
      if (auto problem = condition(rule, *tensor)) return problem;
    }
  }
  return std::nullopt;
}

// For every condition there is a tensor that meets it.
bool denies(const Rule& rule, const GraphNode& node) {
  const auto tensors = tensors_of(node);
  return names_op(rule, node) &&
         std::all_of(conditions.begin(), conditions.end(), [&](const auto condition) {
           return tensors.empty() ||
                  std::any_of(tensors.begin(), tensors.end(),
                              [&](const ValueType* tensor) { return !condition(rule, *tensor); });
         });
}

std::optional<std::string> not_allowed(const Profile& profile, const GraphNode& node) {
  if (!profile.allow) return std::nullopt;
  std::optional<std::string> reason;
  for (const Rule& rule : *profile.allow) {
    if (!names_op(rule, node)) continue;
    const auto problem = unmet(rule, node);
    if (!problem) return std::nullopt;
    if (!reason) reason = rule.reason.value_or(*problem);
  }
  return reason ? reason : "not in the profile's list of allowed ops";
}

Status check_rules(const std::vector<Rule>& rules, const std::string& where) {
  for (const Rule& rule : rules) {
    if (rule.ops.empty()) return fail(Fault::bad_input, where + ": a rule names no op");
    for (const std::string& type : rule.types) {
      if (element_named(type)) continue;
      return fail(Fault::bad_input, where + ": '" + type + "' is no element type", {},
                  "ONNX's words are float, float16, double, int8, uint8, ...");
    }
  }
  return done();
}

}  // namespace

Result<Profile> load_profile(const Path& file) {
  constexpr std::uint64_t generous_limit = 16u << 20;
  HONE_TRY(const std::string text, read_file(file, generous_limit));
  auto document = Json::parse(text);
  if (!document) {
    return fail(Fault::bad_input, "'" + file.string() + "' is not JSON", document.error().what);
  }
  auto profile = from_document<Profile>(*document, profile_schema);
  if (!profile) {
    Error error = std::move(profile).error();
    error.what = "the profile '" + file.string() + "' is refused: " + error.what;
    return fail(std::move(error));
  }
  return profile;
}

Status check_profile(const Profile& profile, const std::string& where) {
  HONE_TRY_DO(check_rules(profile.deny, where));
  if (profile.allow) HONE_TRY_DO(check_rules(*profile.allow, where));
  struct Limit {
    const char* what;
    double value;
    int least;
    int most;
  };
  constexpr int ten_minutes_us = 600'000'000;
  // An effect below 1 would ask this machine to be faster than it is.
  for (const Limit& limit : {Limit{"clock_mhz", profile.clock_mhz, 1, 1'000'000},
                             Limit{"threads", static_cast<double>(profile.threads), 1, 1024},
                             Limit{"latency_us", profile.latency_us, 0, ten_minutes_us},
                             Limit{"effect", profile.effect, 1, 1'000'000},
                             Limit{"session_jitter", profile.session_jitter, 0, 1}}) {
    if (limit.value >= limit.least && limit.value <= limit.most) continue;
    return fail(Fault::bad_input, where + ": " + limit.what + " must be between " +
                                      std::to_string(limit.least) + " and " +
                                      std::to_string(limit.most));
  }
  for (const auto& [op, cost] : profile.costs) {
    if (std::isfinite(cost) && cost >= 0) continue;
    return fail(Fault::bad_input, where + ": the cost of " + op + " is negative");
  }
  return done();
}

std::optional<std::string> reason_against(const Profile& profile, const GraphNode& node) {
  for (const Rule& rule : profile.deny) {
    if (denies(rule, node)) return rule.reason.value_or("denied by the profile");
  }
  return not_allowed(profile, node);
}

double cost_of(const Profile& profile, const GraphNode& node) {
  std::uint64_t elements = 0;
  for (const auto& output : node.outputs) {
    if (output) elements += output->type.least_elements();
  }
  const auto cost = profile.costs.find(node.op);
  return (cost == profile.costs.end() ? 1 : cost->second) * static_cast<double>(elements);
}

Json identity(const Profile& profile) {
  Json fields = Json::object();
  fields.set("name", profile.name).set("vendor", profile.vendor);
  fields.set("device", to_json(profile.device));
  fields.set("allow", to_json(profile.allow)).set("deny", to_json(profile.deny));
  return fields;
}

}  // namespace hone::ep::sim
