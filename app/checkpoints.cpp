#include "app/checkpoints.h"

#include "app/step_progress.h"
#include "app/where.h"
#include "flow/given_model.h"

namespace hone::app {

Status export_checkpoints(const std::vector<std::string>& models, const Call& call) {
  for (const std::string& model : models) {
    if (!names_checkpoint(model)) continue;
    HONE_TRY(const Host host, this_host());
    StepProgress progress(call);
    HONE_TRY(const FoundModel found, find_given(model, host, progress.watch()));
    progress.end();
    for (const std::string& note : found.notes) call.note(note);
  }
  return done();
}

}  // namespace hone::app
