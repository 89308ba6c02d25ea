#include "ep/sim/sim.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

#include "base/file.h"
#include "ep/sim/claim.h"
#include "ep/sim/context.h"
#include "ep/sim/nested_session.h"
#include "ep/sim/options.h"
#include "ep/sim/pace.h"
#include "ep/sim/trace.h"

namespace hone::ep::sim {
namespace {

using Clock = Pace::Clock;

// One group on the device.
class SimNode : public ComputeNode {
 public:
  SimNode(const Ort& ort, NestedSession session, const Pace& pace, Trace& trace, std::size_t graph)
      : ComputeNode(ort), session_(std::move(session)), pace_(pace), trace_(trace), graph_(graph) {}

  Status run(OrtKernelContext* context) override {
    const auto start = Clock::now();
    Clock::time_point device_end;
    HONE_TRY_DO(session_.run(context, [&] {
      pace_.wait(start);
      device_end = Clock::now();
    }));
    trace_.record(graph_, device_end - start, Clock::now() - start);
    return done();
  }

 private:
  NestedSession session_;
  const Pace& pace_;
  Trace& trace_;
  std::size_t graph_;
};

class Sim : public Provider {
 public:
  Sim(const SessionRequest& request, Options options, Owned<OrtEnv> env)
      : Provider(request.ort, provider_name),
        logger_(request.logger),
        options_(std::move(options)),
        wish_(read_wish(request.config)),
        env_(std::move(env)),
        pace_(options_.profile, options_.seed),
        trace_(options_),
        compatibility_(sim::compatibility(options_.profile)) {
    log(ort_, logger_, info,
        "HoneSim: profile '" + options_.profile.name + "', runs take " +
            Json(pace_.factor()).dump(-1) + " times their time here");
  }

  ~Sim() override {
    const Status written = trace_.write();
    if (!written) log(ort_, logger_, error, "HoneSim: " + written.error().what);
  }

  // ONNX Runtime logs a failure here and goes on without us. A device that silently was the CPU
  // would spoil what is measured, so the first run fails instead.
  Status claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support) override {
    Status status = try_claim(graph, support);
    if (!status) claim_failure_ = status.error();
    return status;
  }
  Result<CompiledGroup> compile(const CompileRequest& group) override;
  Status on_run_start() override {
    if (claim_failure_) return fail(*claim_failure_);
    options_.faults.pass({Stage::run, ++runs_});
    return done();
  }
  const char* compatibility() override { return compatibility_.c_str(); }

 private:
  struct Opened {
    NestedSession session;
    std::vector<TracedOp> ops;
    Owned<OrtNode> context_node{nullptr, nullptr};
  };
  Status try_claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support) const;
  Result<Opened> open_context(const CompileRequest& group, const GraphNode& node) const;
  Result<Opened> open_nodes(const CompileRequest& group, const std::vector<GraphNode>& nodes) const;
  NestedSession::Settings nested() const { return {ort_, env_.get(), options_.profile.threads}; }

  const OrtLogger* logger_;
  Options options_;
  ContextWish wish_;
  Owned<OrtEnv> env_;  // one of many holders of the process's only environment
  Pace pace_;
  Trace trace_;
  std::string compatibility_;
  std::optional<Error> claim_failure_;
  std::atomic<std::uint64_t> runs_ = 0;
};

Status Sim::try_claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support) const {
  HONE_TRY(const Claim claim, decide(ort_, graph, options_.profile));
  for (const SimDeclined& node : claim.report.declined) {
    log(ort_, logger_, info,
        "HoneSim: node '" + node.node + "' (" + node.op + ") is not taken: " + node.reason);
  }
  HONE_TRY(const bool is_top, is_top_level(ort_, graph));
  if (is_top && !options_.report.empty()) {
    HONE_TRY_DO(
        write_file(options_.report, to_document(claim.report, sim_report_schema).dump() + "\n"));
  }
  return hand_in(ort_, claim, support);
}

// Nested names in the order of the fused node's: ONNX Runtime may have left out what nobody uses.
Result<std::vector<std::string>> match_names(const std::vector<std::optional<GraphValue>>& fused,
                                             const std::vector<std::optional<GraphValue>>& node,
                                             const std::vector<std::string>& nested) {
  std::vector<std::string> names;
  for (const auto& value : fused) {
    const auto found = std::find_if(node.begin(), node.end(), [&](const auto& other) {
      return value && other && other->name == value->name;
    });
    const auto index = static_cast<std::size_t>(found - node.begin());
    if (found == node.end() || index >= nested.size()) {
      return fail(Fault::bad_input, "HoneSim: the context does not fit its node");
    }
    names.push_back(nested[index]);
  }
  return names;
}

Result<Sim::Opened> Sim::open_context(const CompileRequest& group, const GraphNode& node) const {
  if (wish_.is_wanted) {
    return fail(Fault::bad_input, "HoneSim: the model is compiled already", {},
                "compile the original");
  }
  HONE_TRY(Context context, load_context(ort_, group, node, wish_, options_.profile));
  HONE_TRY(const GraphNode fused, read_node(ort_, group.fused));
  HONE_TRY(auto inputs, match_names(fused.inputs, node.inputs, context.header.inputs));
  HONE_TRY(auto outputs, match_names(fused.outputs, node.outputs, context.header.outputs));
  HONE_TRY(NestedSession session,
           NestedSession::open(nested(), context.model, std::move(inputs), std::move(outputs)));
  return Opened{std::move(session), std::move(context.header.ops)};
}

Result<Sim::Opened> Sim::open_nodes(const CompileRequest& group,
                                    const std::vector<GraphNode>& nodes) const {
  std::vector<TracedOp> ops;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string name =
        nodes[i].name.empty() ? nodes[i].op + "_" + std::to_string(i) : nodes[i].name;
    ops.push_back({name, cost_of(options_.profile, nodes[i])});
  }
  HONE_TRY(NestedModel model, build_model(ort_, group));
  if (!wish_.is_wanted) {
    HONE_TRY(NestedSession session, NestedSession::open(nested(), std::move(model)));
    return Opened{std::move(session), std::move(ops)};
  }
  Context context;
  context.header = {.device = identity(options_.profile),
                    .inputs = model.inputs,
                    .outputs = model.outputs,
                    .ops = ops};
  HONE_TRY(context.model, serialize(nested(), model));
  HONE_TRY(auto node, make_context_node(ort_, group, wish_, context));
  // From its bytes, as it will be opened later.
  HONE_TRY(NestedSession session,
           NestedSession::open(nested(), context.model, model.inputs, model.outputs));
  return Opened{std::move(session), std::move(ops), std::move(node)};
}

Result<CompiledGroup> Sim::compile(const CompileRequest& group) {
  options_.faults.pass({Stage::compile});
  const auto start = Clock::now();
  HONE_TRY(const auto nodes, read_nodes(ort_, group.graph));
  const bool is_context = nodes.size() == 1 && is_context_node(nodes.front());
  HONE_TRY(Opened opened,
           is_context ? open_context(group, nodes.front()) : open_nodes(group, nodes));
  const std::size_t graph = trace_.add_graph(std::move(opened.ops), Clock::now() - start);
  return CompiledGroup{
      std::make_unique<SimNode>(ort_, std::move(opened.session), pace_, trace_, graph),
      std::move(opened.context_node)};
}

Status check_device(const Profile& profile, DeviceType device) {
  const auto here = static_cast<DeviceClass>(device);
  if (!profile.device || *profile.device == here) return done();
  return fail(Fault::bad_input,
              "HoneSim: the profile '" + profile.name + "' is for a device of class " +
                  std::string(name_of(*profile.device)) + ", the session is on " +
                  std::string(name_of(here)),
              {}, "register the library under a name that ends in .virtual and choose that device");
}

Result<std::unique_ptr<Provider>> open(const SessionRequest& request) {
  HONE_TRY(Options options, read_options(request.options));
  HONE_TRY_DO(check_device(options.profile, request.device));
  for (const Path& file : {options.report, options.profiling_file}) {
    // Found here, since later nobody would hear of it.
    if (!file.empty()) HONE_TRY_DO(AtomicFile::create(file));
  }
  options.faults.pass({Stage::create});
  const Ort& ort = request.ort;
  HONE_TRY(auto env, make<OrtEnv>(ort, ort.api.ReleaseEnv, ort.api.CreateEnv, int{warning},
                                  static_cast<const char*>(provider_name)));
  std::unique_ptr<Provider> provider =
      std::make_unique<Sim>(request, std::move(options), std::move(env));
  return provider;
}

}  // namespace

ProviderKind kind() { return {provider_name, true, open, judge_compatibility}; }

}  // namespace hone::ep::sim
