#pragma once
// A sweep: many models on many targets, cell by cell.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/fields.h"
#include "record/publish.h"
#include "record/recipe.h"
#include "record/target.h"
#include "record/where.h"

namespace hone {

inline constexpr std::int64_t catalog_schema_version = 1;
inline constexpr std::int64_t sweep_schema_version = 1;

// A model of a catalog. Paths are taken from the folder of the catalog's file.
struct CatalogModel {
  std::string id;     // org/name
  std::string model;  // the ONNX file, or a folder with one
  std::string task;
  std::string group;
  std::string priority = "P2";                  // P0 to P3
  std::optional<std::string> precision;         // null: what suits the target
  std::optional<std::string> data;              // labelled samples of the task
  std::optional<std::string> input_data;        // what runs are fed with; null: random values
  std::optional<std::string> calibration_data;  // what quantizing is calibrated with
  std::optional<std::string> shape_config;      // sizes for open dimensions
  Json overrides;                               // of the recipe, field by field
};
template <RecordOf<CatalogModel> Self>
void for_each_field(Self& model, auto&& field) {
  field("id", model.id, Presence::required);
  field("model", model.model, Presence::required);
  field("task", model.task);
  field("group", model.group);
  field("priority", model.priority);
  field("precision", model.precision);
  field("data", model.data);
  field("input_data", model.input_data);
  field("calibration_data", model.calibration_data);
  field("shape_config", model.shape_config);
  field("overrides", model.overrides);
}

struct Catalog {
  std::vector<CatalogModel> models;
};
template <RecordOf<Catalog> Self>
void for_each_field(Self& catalog, auto&& field) {
  field("models", catalog.models, Presence::required);
}

// A column of the matrix.
struct SweepTarget {
  std::string label;
  Target target;
  std::optional<std::string> precision;      // null: what suits the target
  std::map<std::string, std::string> slurm;  // partition, constraint, gres, ...
  bool is_build_only = false;                // its cells are built and not tried: it is elsewhere
};
template <RecordOf<SweepTarget> Self>
void for_each_field(Self& target, auto&& field) {
  field("label", target.label, Presence::required);
  field("target", target.target, Presence::required);
  field("precision", target.precision);
  field("slurm", target.slurm);
  field("build_only", target.is_build_only);
}

// What a sweep would be of.
struct SweepListing {
  std::vector<CatalogModel> models;
  std::vector<SweepTarget> targets;
};
template <RecordOf<SweepListing> Self>
void for_each_field(Self& listing, auto&& field) {
  field("models", listing.models);
  field("targets", listing.targets);
}

struct SweepTargets {
  std::vector<SweepTarget> targets;
};
template <RecordOf<SweepTargets> Self>
void for_each_field(Self& file, auto&& field) {
  field("targets", file.targets, Presence::required);
}

enum class SweepMode {
  build,  // normalize, optimize, quantize: no EP is needed
  perf,
  eval,
  autoconfig,
};
constexpr auto enum_names(SweepMode) {
  return std::to_array<EnumName<SweepMode>>({{SweepMode::build, "build"},
                                             {SweepMode::perf, "perf"},
                                             {SweepMode::eval, "eval"},
                                             {SweepMode::autoconfig, "autoconfig"}});
}

enum class CellStatus { pending, done, failed };
constexpr auto enum_names(CellStatus) {
  return std::to_array<EnumName<CellStatus>>({{CellStatus::pending, "pending"},
                                              {CellStatus::done, "done"},
                                              {CellStatus::failed, "failed"}});
}

// Why a cell failed, as far as that decides what to do about it.
enum class FailureClass {
  unsupported_op,
  build_crash,
  oom,
  timeout,
  numerics,
  placement,
  load,
  disk_full,
  infra,  // the machine's fault: tried again
};
constexpr auto enum_names(FailureClass) {
  return std::to_array<EnumName<FailureClass>>({{FailureClass::unsupported_op, "unsupported-op"},
                                                {FailureClass::build_crash, "build-crash"},
                                                {FailureClass::oom, "oom"},
                                                {FailureClass::timeout, "timeout"},
                                                {FailureClass::numerics, "numerics"},
                                                {FailureClass::placement, "placement"},
                                                {FailureClass::load, "load"},
                                                {FailureClass::disk_full, "disk-full"},
                                                {FailureClass::infra, "infra"}});
}

struct CellFailure {
  FailureClass kind = FailureClass::infra;
  std::string stage;  // config, build, perf, eval, autoconfig, store
  std::string what;
  std::string log_tail;  // what was said last
};
template <RecordOf<CellFailure> Self>
void for_each_field(Self& failure, auto&& field) {
  field("class", failure.kind, Presence::required);
  field("stage", failure.stage);
  field("what", failure.what);
  field("log_tail", failure.log_tail);
}

// What a worker made of it.
struct CellOutcome {
  CellStatus status = CellStatus::pending;
  std::optional<CellFailure> failure;
  std::vector<PackageEntry> files;
  double seconds = 0;
  Json receipt;  // of the build
  Json result;   // of perf, eval or autoconfig
};
template <RecordOf<CellOutcome> Self>
void for_each_field(Self& outcome, auto&& field) {
  field("status", outcome.status, Presence::required);
  field("failure", outcome.failure);
  field("files", outcome.files);
  field("seconds", outcome.seconds);
  field("receipt", outcome.receipt);
  field("result", outcome.result);
}

// All that a worker is told of its cell: a job of flow/job.h.
struct CellOrder {
  static constexpr std::string_view job = "cell";
  using Answer = CellOutcome;

  std::string version;  // the cell's name everywhere: 0.0.0-<run>-<label>-<model>
  std::string owner;    // its name in the store, which several sweeps may share
  std::string key;      // the hash of all that decides its bytes
  CatalogModel model;   // with paths that lead there from anywhere
  SweepTarget target;
  Recipe recipe;
  SweepMode mode = SweepMode::build;
  std::string folder;                    // where it is built
  std::string store;                     // the folder of the content store
  std::int64_t time_limit_s = 600;       // of each step
  std::uint64_t memory_limit_bytes = 0;  // likewise; 0: none
  bool allows_unsupported = false;       // builds what the EP is known not to take all the same
  double max_drop = 0.01;                // of eval and autoconfig with labelled samples
  std::string knowledge{};               // autoconfig: a folder of findings; empty: none but ours
  // The host, with the cache of stages that all cells share, and the placement that perf requires;
  // the target is the recipe's.
  Where where{};
};
template <RecordOf<CellOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("version", order.version, Presence::required);
  field("owner", order.owner, Presence::required);
  field("key", order.key, Presence::required);
  field("model", order.model, Presence::required);
  field("target", order.target, Presence::required);
  field("recipe", order.recipe, Presence::required);
  field("mode", order.mode);
  field("folder", order.folder, Presence::required);
  field("store", order.store, Presence::required);
  field("time_limit_s", order.time_limit_s);
  field("memory_limit_bytes", order.memory_limit_bytes);
  field("allows_unsupported", order.allows_unsupported);
  field("max_drop", order.max_drop);
  field("knowledge", order.knowledge);
  field("where", order.where, Presence::required);
}

// A cell as the sweep reports it.
struct SweepCell {
  std::string version;
  std::string key;
  std::string model;
  std::string task;
  std::string label;
  std::string ep;
  std::string device;
  std::string precision;  // what was asked of quantizing; empty: float
  CellStatus status = CellStatus::pending;
  std::uint64_t attempts = 0;
  bool is_resumed = false;  // an earlier run did it
  std::optional<CellFailure> failure;
  std::vector<PackageEntry> files;
  std::uint64_t bytes = 0;
  double seconds = 0;
  std::optional<double> latency_ms;
  std::optional<std::string> accuracy;  // the verdict, or the metric in words
  std::optional<std::string> champion;  // what a search kept, by id; null: nothing
  std::optional<double> p_value;        // of the champion's final test
  std::optional<double> q_value;        // the same among the final tests of all cells
  std::vector<double> final_p;          // of all arms of the search's final
  std::string upload = "n/a";           // uploaded, exists-skipped, timeout, failed, skipped, n/a
  bool is_confirmed = false;            // what is there was asked for and is what was sent
  std::optional<std::string> reference;
  std::optional<std::string> digest;
  std::string upload_error;
  std::vector<std::string> notes;
};
template <RecordOf<SweepCell> Self>
void for_each_field(Self& cell, auto&& field) {
  field("version", cell.version, Presence::required);
  field("key", cell.key);
  field("model", cell.model);
  field("task", cell.task);
  field("label", cell.label);
  field("ep", cell.ep);
  field("device", cell.device);
  field("precision", cell.precision);
  field("status", cell.status);
  field("attempts", cell.attempts);
  field("resumed", cell.is_resumed);
  field("failure", cell.failure);
  field("files", cell.files);
  field("bytes", cell.bytes);
  field("seconds", cell.seconds);
  field("latency_ms", cell.latency_ms);
  field("accuracy", cell.accuracy);
  field("champion", cell.champion);
  field("p_value", cell.p_value);
  field("q_value", cell.q_value);
  field("final_p", cell.final_p);
  field("upload", cell.upload);
  field("reference", cell.reference);
  field("digest", cell.digest);
  field("confirmed", cell.is_confirmed);
  field("upload_error", cell.upload_error);
  field("notes", cell.notes);
}

struct SweepResult {
  std::string run_stamp;
  SweepMode mode = SweepMode::build;
  std::string environment;  // the key of tool, ONNX Runtime and EP libraries
  std::vector<SweepTarget> targets;
  std::vector<SweepCell> cells;      // by model, then in the order of the targets
  std::uint64_t cell_bytes = 0;      // the sum over all cells
  std::uint64_t disk_bytes = 0;      // what the store has on disk for them
  double seconds = 0;                // of this run
  double journal_seconds = 0;        // of that, in the journal
  std::uint64_t bytes_sent = 0;      // to the publisher
  std::uint64_t bytes_not_sent = 0;  // it had them
  std::vector<std::string> notes;
};
template <RecordOf<SweepResult> Self>
void for_each_field(Self& sweep, auto&& field) {
  field("run_stamp", sweep.run_stamp);
  field("mode", sweep.mode);
  field("environment", sweep.environment);
  field("targets", sweep.targets);
  field("cells", sweep.cells);
  field("cell_bytes", sweep.cell_bytes);
  field("disk_bytes", sweep.disk_bytes);
  field("seconds", sweep.seconds);
  field("journal_seconds", sweep.journal_seconds);
  field("bytes_sent", sweep.bytes_sent);
  field("bytes_not_sent", sweep.bytes_not_sent);
  field("notes", sweep.notes);
}

}  // namespace hone
