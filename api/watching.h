#pragma once
// A caller's hone_watch, as flows take it.

#include <hone/hone.h>
#include <atomic>
#include <mutex>

#include "base/result.h"
#include "flow/watch.h"

namespace hone::api {

class Watching {
 public:
  // `given` may be null; else it has to outlive this.
  explicit Watching(const hone_watch* given);

  Status check() const;
  // REQUIRES: this outlives it.
  Watch watch();
  bool is_stopped() const { return stop_->load(); }

 private:
  void tell(const FlowProgress& progress);

  const hone_watch* given_;
  std::atomic<bool> own_ = false;
  std::atomic<bool>* stop_ = &own_;
  std::mutex mutex_;
};

}  // namespace hone::api
