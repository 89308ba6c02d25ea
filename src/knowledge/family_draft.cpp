#include "knowledge/family_draft.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/counted.h"
#include "base/file.h"
#include "base/text.h"
#include "record/target_name.h"

namespace hone {
namespace {

// What is beyond says less than the receipt, which is named.
constexpr std::size_t most_entries = 24;
constexpr std::size_t longest_name = 120;

std::string name_for_people(const std::string& name) {
  return printable(name.substr(0, longest_name));
}

std::string enumerated(const std::vector<std::string>& parts) {
  const std::size_t shown = std::min(parts.size(), most_entries);
  const std::string text = join(std::span(parts).first(shown), ", ");
  return shown == parts.size() ? text
                               : text + " and " + std::to_string(parts.size() - shown) + " more";
}

std::uint64_t total(const OpHistogram& ops) {
  std::uint64_t nodes = 0;
  for (const auto& [op, count] : ops) nodes += count;
  return nodes;
}

std::uint64_t count_in(const OpHistogram& ops, const std::string& op) {
  const auto found = ops.find(op);
  return found == ops.end() ? 0 : found->second;
}

// "Constant 308 -> 0, Conv 53 -> 29", those that moved most first.
std::string moved_ops(const OpHistogram& before, const OpHistogram& after) {
  struct Move {
    std::uint64_t distance;
    std::string text;
  };
  OpHistogram all = before;
  all.insert(after.begin(), after.end());
  std::vector<Move> moves;
  for (const auto& [op, ignored] : all) {
    const std::uint64_t from = count_in(before, op);
    const std::uint64_t to = count_in(after, op);
    if (from == to) continue;
    moves.push_back(
        {std::max(from, to) - std::min(from, to),
         name_for_people(op) + " " + std::to_string(from) + " -> " + std::to_string(to)});
  }
  std::ranges::stable_sort(moves, std::greater<>(), &Move::distance);
  std::vector<std::string> texts;
  for (Move& move : moves) texts.push_back(std::move(move.text));
  return enumerated(texts);
}

const StageReceipt* stage_named(const BuildReceipt& receipt, std::string_view name) {
  const auto found = std::ranges::find(receipt.stages, name, &StageReceipt::name);
  return found == receipt.stages.end() ? nullptr : &*found;
}

const StageReceipt* failed_stage(const BuildReceipt& receipt) {
  const auto found = std::ranges::find(receipt.stages, StageStatus::failed, &StageReceipt::status);
  return found == receipt.stages.end() ? nullptr : &*found;
}

// The effect of a stage is the record of another command: what is not there is not told.
std::uint64_t number_in(const Json& object, std::string_view key) {
  const Json* member = object.find(key);
  const auto number = member == nullptr ? Result<std::uint64_t>(0) : member->to_uint();
  return number ? *number : 0;
}

bool is_true_in(const Json& object, std::string_view key) {
  const Json* member = object.find(key);
  const bool* value = member == nullptr ? nullptr : member->as_bool();
  return value != nullptr && *value;
}

// "conv_bn_fusion 41": what changed the graph, and how many nodes.
std::string capabilities_text(const BuildReceipt& receipt) {
  const StageReceipt* stage = stage_named(receipt, "optimize");
  const Json* all = stage == nullptr ? nullptr : stage->effect.find("capabilities");
  const Json::Object* members = all == nullptr ? nullptr : all->as_object();
  if (members == nullptr) return {};
  std::vector<std::string> changed;
  for (const auto& [name, effect] : *members) {
    if (!is_true_in(effect, "changed")) continue;
    changed.push_back(name_for_people(name) + " " + std::to_string(number_in(effect, "fused")));
  }
  return enumerated(changed);
}

std::string decibels(const Json& output) {
  const Json* sqnr = output.find("sqnr_db");
  const auto number = sqnr == nullptr ? Result<double>(0.0) : sqnr->to_double();
  if (sqnr == nullptr || !number || !std::isfinite(*number)) return "not known";
  char text[32];
  return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.1f dB", *number))};
}

std::string quantize_text(const BuildReceipt& receipt) {
  const StageReceipt* stage = stage_named(receipt, "quantize");
  if (stage == nullptr || stage->effect.as_object() == nullptr) return {};
  std::string text = std::to_string(number_in(stage->effect, "nodes_quantized")) + " of " +
                     counted(number_in(stage->effect, "nodes"), "node") + " quantized";
  const Json* outputs = stage->effect.find("outputs");
  const Json::Array* list = outputs == nullptr ? nullptr : outputs->as_array();
  std::vector<std::string> errors;
  for (const Json& output : list == nullptr ? Json::Array{} : *list) {
    const Json* name = output.find("output");
    const std::string* word = name == nullptr ? nullptr : name->as_string();
    errors.push_back(name_for_people(word == nullptr ? "?" : *word) + " " + decibels(output));
  }
  return errors.empty() ? text : text + ", signal to noise of outputs: " + enumerated(errors);
}

// What the build and its stages said beside their results.
std::string notes_text(const BuildReceipt& receipt) {
  std::vector<std::string> notes;
  for (const std::string& note : receipt.notes) notes.push_back(name_for_people(note));
  for (const StageReceipt& stage : receipt.stages) {
    const Json* said = stage.effect.find("notes");
    const Json::Array* list = said == nullptr ? nullptr : said->as_array();
    for (const Json& note : list == nullptr ? Json::Array{} : *list) {
      if (const std::string* text = note.as_string()) notes.push_back(name_for_people(*text));
    }
  }
  return enumerated(notes);
}

std::string placement_text(const std::optional<Placement>& placement) {
  if (!placement || !placement->known) return {};
  std::vector<std::string> shares;
  for (const EpShare& share : placement->shares) {
    shares.push_back(name_for_people(share.ep) + " " + std::to_string(share.nodes));
  }
  return "of " + counted(placement->total_nodes(), "node") + " when it ran: " + enumerated(shares);
}

// A member per value, "quantize.samples"; lists are values.
void flatten(const Json& json, const std::string& place, std::map<std::string, std::string>& into) {
  const Json::Object* object = json.as_object();
  if (object == nullptr) {
    into[place] = json.dump(-1);
    return;
  }
  for (const auto& [key, member] : *object) {
    flatten(member, place.empty() ? key : place + "." + key, into);
  }
}

// Where a file lies is of one machine; its name is kept.
void drop_folder(std::optional<std::string>& file) {
  if (file) file = Path(*file).filename().string();
}

// What only one of the two has is one clause; its members are told only where both have it, and of
// a new one beside its defaults.
template <class Part>
void pair_up(std::optional<Part>& usual, std::optional<Part>& given, const std::string& name,
             std::vector<std::string>& clauses) {
  if (usual && !given) {
    clauses.push_back(name + ": left out");
    usual.reset();
  } else if (given && !usual) {
    clauses.push_back(name + ": added");
    usual.emplace();
  }
}

void add_sentence(std::string& text, const std::string& label, const std::string& what) {
  if (!what.empty()) text += " " + label + ": " + what + ".";
}

std::string title_of(const BuildRemains& remains, const ModelTrial& trial) {
  const std::string what = trial.model + " at " + trial.precision + " on " + trial.ep;
  if (const StageReceipt* failed = failed_stage(remains.receipt)) {
    return what + " does not build: " + name_for_people(failed->name) + " fails";
  }
  if (remains.ops_after.empty()) return what + " was not built to its end";
  return what + " goes from " + std::to_string(total(remains.ops_before)) + " to " +
         counted(total(remains.ops_after), "node");
}

std::string observation_of(const BuildRemains& remains) {
  const BuildReceipt& receipt = remains.receipt;
  std::string text = "Built by hone " + name_for_people(receipt.tool_version) +
                     " with onnxruntime " + name_for_people(receipt.ort_version) + ", recipe " +
                     name_for_people(receipt.recipe_sha256.substr(0, 12)) + ".";
  if (const StageReceipt* failed = failed_stage(receipt)) {
    add_sentence(text, "Failed", printable(failed->reason.substr(0, 1000)));
  }
  if (!remains.ops_after.empty()) {
    add_sentence(text, "Operators", moved_ops(remains.ops_before, remains.ops_after));
  }
  add_sentence(text, "Changed by", capabilities_text(receipt));
  add_sentence(text, "Precision", quantize_text(receipt));
  const std::vector<std::string> clauses = differences_of(remains.usual, receipt.recipe);
  add_sentence(text, "Recipe beside the usual one",
               clauses.empty() ? "the same" : enumerated(clauses));
  add_sentence(text, "Placement", placement_text(remains.placement));
  add_sentence(text, "Notes", notes_text(receipt));
  return text;
}

}  // namespace

std::vector<std::string> differences_of(const Recipe& usual_recipe, const Recipe& given_recipe) {
  Recipe usual = usual_recipe;
  Recipe given = given_recipe;
  std::vector<std::string> clauses;
  pair_up(usual.quantize, given.quantize, "quantize", clauses);
  pair_up(usual.compile, given.compile, "compile", clauses);
  for (Recipe* recipe : {&usual, &given}) {
    if (!recipe->quantize) continue;
    drop_folder(recipe->quantize->calibration_data);
    drop_folder(recipe->quantize->overrides);
  }
  std::map<std::string, std::string> before;
  std::map<std::string, std::string> after;
  flatten(to_json(usual), "", before);
  flatten(to_json(given), "", after);
  std::map<std::string, std::string> all = before;
  all.insert(after.begin(), after.end());
  for (const auto& [key, ignored] : all) {
    const auto from = before.find(key);
    const auto to = after.find(key);
    const std::string was = from == before.end() ? "none" : from->second;
    const std::string is = to == after.end() ? "none" : to->second;
    if (was != is) clauses.push_back(name_for_people(key + ": " + was + " -> " + is));
  }
  return clauses;
}

ModelFinding draft_of(const BuildRemains& remains, const std::string& date) {
  const BuildReceipt& receipt = remains.receipt;
  ModelTrial trial{.model = name_for_people(Path(receipt.model).stem().string()),
                   .precision = remains.precision,
                   .ep = target_name(receipt.recipe.target)};
  if (!receipt.ort_version.empty()) trial.ort_version = receipt.ort_version;
  if (!remains.evidence.empty()) trial.evidence = remains.evidence.front().sha256;
  ModelFinding finding;
  finding.title = title_of(remains, trial);
  finding.observation = observation_of(remains);
  finding.scope.validated_on.push_back(std::move(trial));
  finding.effort = "L0";
  finding.evidence = remains.evidence;
  finding.date = date;
  return finding;
}

}  // namespace hone
