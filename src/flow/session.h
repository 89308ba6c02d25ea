#pragma once
// A session in this process, on a target and with monitors attached: for who embeds hone and has
// inputs of his own. An EP that crashes takes the process with it; commands run models in workers.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "measure/window.h"
#include "record/session.h"
#include "record/where.h"
#include "runtime/values.h"

namespace hone {

class Session;

struct OpenSessionOrder {
  std::string model;  // a file, or a build folder, which runs as its recipe says
  Where where;
};
template <RecordOf<OpenSessionOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("where", order.where);
}

class OpenSession {
 public:
  // The monitors have to outlive it.
  static Result<std::unique_ptr<OpenSession>> open(const OpenSessionOrder& order,
                                                   std::vector<Watcher> watchers);
  OpenSession(const OpenSession&) = delete;
  OpenSession& operator=(const OpenSession&) = delete;
  ~OpenSession();

  const SessionFacts& facts() const { return facts_; }
  // One run, from any thread; inputs are read where they lie.
  Result<NamedTensors> run(const NamedTensors& inputs);
  // Destroys the session and lets the monitors parse. REQUIRES: nothing runs, and nothing will.
  SessionEnd close();

 private:
  OpenSession();

  std::shared_ptr<Runtime> runtime_;
  std::unique_ptr<Session> session_;
  SessionFacts facts_;
  std::vector<Watcher> watchers_;
  std::atomic<std::uint64_t> runs_ = 0;
  std::atomic<std::int64_t> first_run_ns_ = 0;  // by steady_now(); 0: none yet
  std::atomic<std::int64_t> last_run_ns_ = 0;
};

}  // namespace hone
