#pragma once
// What the claims of a published cell rest on: attached to its package, and read again by whoever
// checks it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/build.h"
#include "record/fields.h"
#include "record/publish.h"
#include "record/search.h"
#include "record/sweep.h"

namespace hone {

inline constexpr std::int64_t evidence_schema_version = 1;

struct CellEvidence {
  std::string version;  // of the package
  std::string key;      // the hash of all that decides its bytes
  std::string model;
  std::string task;
  SweepTarget target;
  SweepMode mode = SweepMode::build;
  Recipe recipe;
  std::string recipe_sha256;
  std::vector<PackageEntry> files;
  BuildReceipt receipt;
  std::string receipt_sha256;          // of its canonical JSON
  std::optional<std::string> shapes;   // of open dimensions: NAME=SIZE words, or the JSON of a file
  std::optional<Placement> placement;  // null: the mode opened no session on the EP
  std::vector<AccuracyCheck> verdicts;  // empty: the mode judged nothing
  Json result;                          // of perf, eval or autoconfig, as the command said it
  std::map<std::string, std::string> machine;
  std::optional<NoiseCertificate> noise_certificate;
};
template <RecordOf<CellEvidence> Self>
void for_each_field(Self& evidence, auto&& field) {
  field("version", evidence.version, Presence::required);
  field("key", evidence.key, Presence::required);
  field("model", evidence.model, Presence::required);
  field("task", evidence.task);
  field("target", evidence.target, Presence::required);
  field("mode", evidence.mode, Presence::required);
  field("recipe", evidence.recipe, Presence::required);
  field("recipe_sha256", evidence.recipe_sha256, Presence::required);
  field("files", evidence.files, Presence::required);
  field("receipt", evidence.receipt, Presence::required);
  field("receipt_sha256", evidence.receipt_sha256, Presence::required);
  field("shapes", evidence.shapes);
  field("placement", evidence.placement, Presence::required);
  field("verdicts", evidence.verdicts, Presence::required);
  field("result", evidence.result, Presence::required);
  field("machine", evidence.machine, Presence::required);
  field("noise_certificate", evidence.noise_certificate, Presence::required);
}

}  // namespace hone
