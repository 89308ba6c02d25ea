#include "flow/session.h"

#include <map>
#include <mutex>

#include "base/misuse.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "flow/where.h"
#include "inspect/facts.h"
#include "runtime/prepared.h"
#include "runtime/run_views.h"

namespace hone {
namespace {

// One of each library for the life of the process. ONNX Runtime has one environment, which keeps
// the log of whoever made it first, and one list of plugin libraries.
class SharedRuntimes {
 public:
  Result<std::shared_ptr<Runtime>> start(const RunPlan& plan) {
    const std::scoped_lock lock(mutex_);
    HONE_TRY(std::shared_ptr<Runtime> loaded, Runtime::load(plan.ort));
    Entry& entry = entries_.try_emplace(loaded->path().string(), Entry{loaded, {}}).first->second;
    for (const auto& [name, path] : plan.ep_libraries) {
      const auto known = entry.libraries.find(name);
      if (known != entry.libraries.end() && known->second == path) continue;
      HONE_TRY_DO(entry.runtime->register_library(name, path));
      entry.libraries[name] = path;
    }
    return entry.runtime;
  }

 private:
  struct Entry {
    std::shared_ptr<Runtime> runtime;
    std::map<std::string, std::string> libraries;
  };
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

// Never destroyed: threads of ONNX Runtime may outlive main().
SharedRuntimes& shared_runtimes() {
  static auto& runtimes = *new SharedRuntimes();
  return runtimes;
}

// What the monitors ask for is put over what the plan says.
Status ask_monitors(const std::vector<Watcher>& watchers, RunPlan& plan, SessionFacts& facts) {
  const WindowPlan window{watchers, {plan.session_options, plan.target.options}, plan.target.ep};
  HONE_TRY(WindowOptions merged, merge_options(window, facts.notes));
  plan.session_options = std::move(merged.session);
  plan.target.options = std::move(merged.provider);
  return check_session_options(plan.session_options);
}

void describe(const RunPlan& plan, const Runtime& runtime, const Session& session,
              SessionFacts& facts) {
  facts.model = plan.model;
  facts.ort_version = runtime.version();
  facts.target = plan.target;
  facts.session_options = plan.session_options;
  facts.placement = session.placement();
  for (const Port& port : session.inputs())
    facts.inputs.push_back(value_facts(port.name, port.type));
  for (const Port& port : session.outputs())
    facts.outputs.push_back(value_facts(port.name, port.type));
}

std::string in_words(const Error& error) {
  return error.what + (error.cause.empty() ? "" : ": " + error.cause);
}

// A monitor that fails is a note, and the others are called all the same.
void call_monitor(const Watcher& watcher, Status (OpenMonitor::*step)(),
                  std::vector<std::string>& notes) {
  const Status status = (watcher.monitor->*step)();
  if (!status) notes.push_back(in_words(status.error()));
}

}  // namespace

OpenSession::OpenSession() = default;
OpenSession::~OpenSession() = default;

Result<std::unique_ptr<OpenSession>> OpenSession::open(const OpenSessionOrder& order,
                                                       std::vector<Watcher> watchers) {
  HONE_TRY(const GivenModel given, find_model(order.model, order.where));
  HONE_TRY(RunPlan plan, plan_of(given));
  std::unique_ptr<OpenSession> open(new OpenSession());
  open->facts_.notes = given.notes;
  HONE_TRY_DO(ask_monitors(watchers, plan, open->facts_));
  HONE_TRY_DO(load_whole_model(given.file));
  HONE_TRY(const std::shared_ptr<Runtime> runtime, shared_runtimes().start(plan));
  HONE_TRY(Session session, Session::open(runtime, plan.model, settings_of(plan)));
  HONE_TRY_DO(check_placement(order.where, session.placement()));
  describe(plan, *runtime, session, open->facts_);
  open->runtime_ = runtime;
  open->session_ = std::make_unique<Session>(std::move(session));
  open->watchers_ = std::move(watchers);
  for (const Watcher& watcher : open->watchers_)
    call_monitor(watcher, &OpenMonitor::after_open, open->facts_.notes);
  return open;
}

Result<NamedTensors> OpenSession::run(const NamedTensors& inputs) {
  // ONNX Runtime would fail in the middle of the graph, with the words of a kernel.
  const bool are_fewer = inputs.size() < facts_.inputs.size();  // else one has a wrong name
  for (const ValueFacts& input : facts_.inputs) {
    if (are_fewer && !inputs.contains(input.name))
      return misuse("there is nothing for the input '" + printable(input.name) + "'",
                    "every input of the model gets a tensor");
  }
  std::int64_t none = 0;
  first_run_ns_.compare_exchange_strong(none, steady_now().count());
  const auto denormals = facts_.session_options.find("session.set_denormal_as_zero");
  const bool zeroes = denormals != facts_.session_options.end() && denormals->second == "1";
  HONE_TRY(NamedTensors outputs, run_views(*runtime_, *session_, inputs, zeroes));
  last_run_ns_ = steady_now().count();
  ++runs_;
  return outputs;
}

SessionEnd OpenSession::close() {
  SessionEnd end;
  end.runs = runs_;
  for (const Watcher& watcher : watchers_)
    call_monitor(watcher, &OpenMonitor::before_close, end.notes);
  session_.reset();
  ClosedWindow window;
  window.counts = RunCounts{.warmup = 0, .measured = static_cast<std::int64_t>(end.runs)};
  window.body_start = Nanoseconds(first_run_ns_);
  window.body_end = Nanoseconds(last_run_ns_);
  for (const Watcher& watcher : watchers_) {
    Result<MonitorFinding> finding = watcher.monitor->parse(window);
    if (!finding) {
      end.notes.push_back(in_words(finding.error()));
    } else if (finding->own) {
      end.monitors.emplace(watcher.name, std::move(*finding->own));
    }
  }
  return end;
}

}  // namespace hone
