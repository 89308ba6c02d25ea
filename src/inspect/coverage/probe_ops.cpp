#include "inspect/coverage/probe_ops.h"

#include <algorithm>
#include <map>

#include "base/folder.h"
#include "base/text.h"
#include "inspect/coverage/coverage.h"
#include "model/text/text.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

bool falls_back(const RunPlan& plan) { return plan.target.ep != "cpu"; }

// What the runtime said, in one line. Its own words tell most.
std::string words_of(const Error& error) {
  std::string text = error.cause.empty() ? error.what : error.cause;
  constexpr std::size_t longest = 300;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  std::ranges::replace(text, '\n', ' ');
  return printable(text);
}

bool reads_half_floats(const Model& model) {
  return std::ranges::any_of(model.graph->inputs(), [](const Value* input) {
    return input->type.element == ElementType::float16 ||
           input->type.element == ElementType::bfloat16;
  });
}

// Where the CPU EP has no kernel for half floats, ONNX Runtime puts casts around the node after it
// was placed. The profile of a run names them.
Result<bool> finds_casts(const Path& folder) {
  HONE_TRY(const std::vector<FolderEntry> entries, list_folder(folder));
  bool found = false;
  for (const FolderEntry& entry : entries) {
    if (!entry.name.starts_with("profile")) continue;
    HONE_TRY(const std::string text, read_file(entry.path));
    found = found || text.find("InsertedPrecisionFreeCast") != std::string::npos;
    std::filesystem::remove(entry.path);
  }
  return found;
}

ProbedOp judge_opened(const WorkerOpened& opened, const Model& model, const std::string& ep) {
  ProbedOp probed{Support::supported, "", opened.ort_version};
  for (const EpShare& share : opened.placement.shares) {
    if (share.ep != ep && share.nodes > 0)
      return {Support::partial, "a part of it runs on " + share.ep, opened.ort_version};
    probed.was_expanded = std::ranges::none_of(model.graph->nodes(), [&](const Node& node) {
      return share.op_counts.contains(node.op_type);
    });
  }
  return probed;
}

}  // namespace

Result<OpProber> OpProber::create(OpProbeJob job) {
  HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("probe-ops"));
  job.run.input_data.clear();
  job.run.shape_config.clear();
  job.run.profile_prefix.clear();
  job.run.samples = 1;
  // A pass that takes the node away would make any EP look able.
  job.run.session_options.insert_or_assign("graph_optimization_level", "disable");
  return OpProber(std::move(job), std::move(folder));
}

Result<WorkerOpened> OpProber::open(const Path& file, const Target& target) {
  if (!worker_ || worker_->is_gone()) {
    HONE_TRY(Worker worker, Worker::start(job_.program, job_.limits, job_.environment));
    worker_.emplace(std::move(worker));
  }
  RunPlan plan = job_.run;
  plan.model = file.string();
  plan.target = target;
  if (falls_back(plan))
    plan.session_options.insert_or_assign("session.disable_cpu_ep_fallback", "1");
  return worker_->open(plan);
}

Result<ProbedOp> OpProber::probe(const Model& model) {
  HONE_TRY(const std::string bytes, serialize(model));
  const Path file = folder_.path() / "op.onnx";
  HONE_TRY_DO(write_file(file, bytes));
  const Target& target = job_.run.target;
  const bool profiles = reads_half_floats(model);
  job_.run.profile_prefix = profiles ? (folder_.path() / "profile").string() : "";
  const Result<WorkerOpened> opened = open(file, target);
  if (opened) {
    ProbedOp probed = judge_opened(*opened, model, ep_short_name(target.ep));
    if (!profiles) return probed;
    HONE_TRY_DO(worker_->close());
    HONE_TRY(const bool has_casts, finds_casts(folder_.path()));
    if (has_casts) {
      probed.status = Support::partial;
      probed.reason = "runs as float, between casts";
    }
    return probed;
  }
  ProbedOp probed{Support::unsupported, words_of(opened.error())};
  if (opened.error().trouble == Trouble::no_kernel) return probed;
  // A machine under load is slow, too.
  if (opened.error().fault == Fault::timeout) return ProbedOp{Support::unknown, probed.reason};
  if (!falls_back(job_.run)) return ProbedOp{Support::unknown, probed.reason};
  // Our inputs may be at fault: only what the CPU EP runs tells something of the target.
  const Result<WorkerOpened> control = open(file, Target{});
  if (!control)
    return ProbedOp{Support::unknown, "it does not run on the CPU either: " + probed.reason};
  probed.ort_version = control->ort_version;
  return probed;
}

Status run_unknown_ops(const Model& model, OpProbeJob job, CoverageFacts& facts) {
  const std::vector<const Node*> nodes = covered_nodes(model);
  HONE_CHECK(nodes.size() == facts.nodes.size());
  const auto progress = job.progress;
  HONE_TRY(OpProber prober, OpProber::create(std::move(job)));
  std::map<std::string, ProbedOp> seen;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    NodeCoverage& node = facts.nodes[i];
    if (node.status != Support::unknown || node.op == "EPContext") continue;
    const Result<Model> alone = cut_out(model, *nodes[i]);
    if (!alone) {
      node.reason = "cannot be run alone: " + alone.error().what;
      continue;
    }
    const std::string key = print_text(*alone);
    if (!seen.contains(key)) {
      progress("running " + printable(node.op) + " alone");
      HONE_TRY(seen[key], prober.probe(*alone));
    }
    const ProbedOp& probed = seen[key];
    node.status = probed.status;
    node.reason = probed.reason;
    node.source = probed.status == Support::unknown ? "" : "run";
  }
  sum_up(facts);
  return done();
}

}  // namespace hone
