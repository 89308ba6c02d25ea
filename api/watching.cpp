#include "api/watching.h"

#include "api/arguments.h"
#include "api/handles.h"

namespace hone::api {

Watching::Watching(const hone_watch* given) : given_(given) {
  if (given != nullptr && given->size >= sizeof(hone_watch) && given->stop != nullptr)
    stop_ = &given->stop->is_set;
}

Status Watching::check() const {
  return given_ == nullptr ? done() : check_size(given_->size, sizeof(hone_watch), "hone_watch");
}

Watch Watching::watch() {
  Watch watch{.tell = {}, .stop = stop_};
  if (given_ != nullptr && given_->tell != nullptr)
    watch.tell = [this](const FlowProgress& progress) { tell(progress); };
  return watch;
}

// One at a time, and never again once somebody has said stop.
void Watching::tell(const FlowProgress& progress) {
  const std::scoped_lock lock(mutex_);
  if (is_stopped()) return;
  if (given_->tell(given_->user, progress.doing.c_str(), progress.done, progress.total) != 0)
    stop_->store(true);
}

}  // namespace hone::api

hone_stop* hone_stop_new(void) { return new (std::nothrow) hone_stop(); }
void hone_stop_now(hone_stop* stop) {
  if (stop != nullptr) stop->is_set.store(true);
}
void hone_stop_free(hone_stop* stop) { delete stop; }
