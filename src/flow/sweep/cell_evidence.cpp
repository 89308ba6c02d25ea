#include "flow/sweep/cell_evidence.h"

#include "base/file.h"
#include "catalog/cell_checks.h"
#include "flow/numerics.h"
#include "pipeline/policy.h"
#include "record/eval.h"
#include "record/perf.h"
#include "support/ladder.h"

namespace hone {
namespace {

constexpr std::uint64_t most_shape_bytes = std::uint64_t{1} << 20;

// A file of shapes stays behind on this machine; its text goes along.
Result<std::optional<std::string>> shapes_of(const CatalogModel& model) {
  if (!model.shape_config || model.shape_config->find('=') != std::string::npos)
    return model.shape_config;
  HONE_TRY(std::string text, read_file(*model.shape_config, most_shape_bytes));
  return std::optional(std::move(text));
}

AccuracyCheck verdict_of(const EvalReport& report) {
  AccuracyCheck check = judge_task(report, report.verdict ? report.verdict->max_drop : 0);
  if (report.verdict) return check;
  check.verdict = CheckVerdict::blocked;
  check.reason = "measured, and no largest drop was asked for";
  return check;
}

Status take_eval(const Json& document, CellEvidence& evidence) {
  const bool is_task = document.find("task") != nullptr;
  if (is_task) {
    HONE_TRY(const EvalReport report, from_document<EvalReport>(document, eval_schema_version));
    evidence.placement = report.placement;
    if (!report.metrics.empty()) evidence.verdicts.push_back(verdict_of(report));
    return done();
  }
  HONE_TRY(const CompareReport report, from_document<CompareReport>(document, eval_schema_version));
  evidence.placement = report.placement;
  evidence.verdicts.push_back(judge_outputs(report, least_cosine_of(evidence.recipe)));
  return done();
}

Status take_search(const Json& document, CellEvidence& evidence) {
  HONE_TRY(const SearchResult search, from_document<SearchResult>(document, search_schema_version));
  for (const SearchArm& arm : search.arms) {
    if (arm.hypothesis.id == search.champion && arm.accuracy)
      evidence.verdicts.push_back(*arm.accuracy);
  }
  return done();
}

Status take_perf(const Json& document, CellEvidence& evidence) {
  if (const Json* placement = document.find("placement")) {
    HONE_TRY(evidence.placement, from_json<std::optional<Placement>>(*placement));
  }
  return done();
}

struct ResultReader {
  const char* name;
  Status (*take)(const Json& document, CellEvidence& evidence);
};
constexpr ResultReader readers[] = {
    {"perf", take_perf}, {"eval", take_eval}, {"search", take_search}};

// A folder of this machine, and what it is called in evidence.
using Names = std::vector<std::pair<std::string, std::string>>;

Json renamed(const Json& value, const Names& names) {
  if (const Json::Array* array = value.as_array()) {
    Json made = Json::array();
    for (const Json& element : *array) made.push(renamed(element, names));
    return made;
  }
  if (const Json::Object* object = value.as_object()) {
    Json made = Json::object();
    for (const auto& [key, member] : *object) made.set(key, renamed(member, names));
    return made;
  }
  if (value.as_string() == nullptr) return value;
  std::string text = *value.as_string();
  for (const auto& [folder, name] : names) {
    for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos; at += name.size())
      text.replace(at, folder.size(), name);
  }
  return text;
}

// Evidence is published: it names no folder of the machine it was made on.
Names names_for(const CellOrder& order) {
  Names names = {{order.folder, "cell"}, {order.where.host.cache, "cache"}};
  const std::string models = Path(order.model.model).parent_path().string();
  if (!models.empty() && models != "/") names.emplace_back(models + "/", "");
  return names;
}

}  // namespace

Result<CellEvidence> evidence_of(const CellOrder& order, const CellOutcome& outcome,
                                 const EvidenceMachine& machine) {
  CellEvidence evidence;
  evidence.version = order.version;
  evidence.key = order.key;
  evidence.model = order.model.id;
  evidence.task = order.model.task;
  evidence.target = order.target;
  evidence.mode = order.mode;
  evidence.files = outcome.files;
  const Names names = names_for(order);
  HONE_TRY(evidence.receipt,
           from_document<BuildReceipt>(renamed(outcome.receipt, names), build_schema_version));
  evidence.receipt_sha256 = hash_of(evidence.receipt);
  // What was built, and not what was ordered: a build settles sizes that the recipe left open.
  evidence.recipe = evidence.receipt.recipe;
  evidence.recipe_sha256 = hash_of(evidence.recipe);
  HONE_TRY(evidence.shapes, shapes_of(order.model));
  evidence.result = renamed(outcome.result, names);
  for (const ResultReader& reader : readers) {
    if (const Json* found = outcome.result.find(reader.name))
      HONE_TRY_DO(reader.take(*found, evidence));
  }
  evidence.machine = machine.facts;
  evidence.noise_certificate = machine.certificate;
  return evidence;
}

}  // namespace hone
